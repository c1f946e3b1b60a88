"""Retention of records in the tables."""

from dataclasses import dataclass

from shared.domain.delivery.retry import MAX_RETRY_SPAN_SECONDS
from shared.domain.errors import InvalidValueError

DAY_SECONDS = 86_400
IDEMPOTENCY_DAYS = 7
"""How long an Idempotency-Key is valid. Records outlive it, so that a replay always finds its job."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Days from the end of an execution to the expiry of its record."""

    days: int

    def __post_init__(self) -> None:
        """Raises InvalidValueError if records would expire before their Idempotency-Keys."""
        if self.days <= IDEMPOTENCY_DAYS:
            raise InvalidValueError(f"records must be kept for more than {IDEMPOTENCY_DAYS} days")

    def expires_at_s(self, now_ms: int) -> int:
        """The TTL of a record that ends now, in epoch seconds."""
        return now_ms // 1000 + self.days * DAY_SECONDS

    def outlives_records_s(self, now_ms: int) -> int:
        """The TTL of a record that locates executions, which may still have all their retries to make."""
        return self.expires_at_s(now_ms) + MAX_RETRY_SPAN_SECONDS + DAY_SECONDS
