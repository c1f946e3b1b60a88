"""How long records are kept hot."""

from dataclasses import dataclass

from shared.domain.delivery.retry import MAX_RETRY_SPAN_SECONDS
from shared.domain.errors import InvalidValueError

DAY_SECONDS = 86_400
IDEMPOTENCY_DAYS = 7
"""An Idempotency-Key is remembered this long; records outlive it, so that a replay always finds its job."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Days from an execution's end to the moment at which its record may be dropped."""

    days: int

    def __post_init__(self) -> None:
        """Refuse a retention that the idempotency window outlives."""
        if self.days <= IDEMPOTENCY_DAYS:
            raise InvalidValueError(f"records must be kept for more than {IDEMPOTENCY_DAYS} days")

    def expires_at_s(self, now_ms: int) -> int:
        """The TTL of a record that ends now, in epoch seconds."""
        return now_ms // 1000 + self.days * DAY_SECONDS

    def outlives_records_s(self, now_ms: int) -> int:
        """The TTL of what is needed to find records whose executions may still have retries before them."""
        return self.expires_at_s(now_ms) + MAX_RETRY_SPAN_SECONDS + DAY_SECONDS
