"""Retention of records in the tables."""

from collections.abc import Iterable

from shared.dataclass import dataclass
from shared.domain.delivery.retry import MAX_RETRY_SPAN_SECONDS
from shared.domain.errors import InvalidValueError

DAY_SECONDS = 86_400
PAYLOAD_SPARE_DAYS = 16
"""How much longer than its record a separately stored request is kept: its execution may start late. Each day
costs storage for every such request."""
PAYLOAD_LATE_DAYS = 8
"""The sweep extends the expiry for an execution that is open for this long, which is more than all retries
take. It may fail for `PAYLOAD_SPARE_DAYS - PAYLOAD_LATE_DAYS` before a record outlives its request."""
PAYLOAD_LEAST_SPARE_DAYS = 10
"""The least spare time of an existing request that another execution reuses: more than `PAYLOAD_LATE_DAYS`."""
RESULT_SPARE_DAYS = 8
"""How much longer than others a record with a result is kept: its run goes on for 7 days and some last attempts."""
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

    def result_expires_at_s(self, now_ms: int) -> int:
        """The TTL of a record with a result that a run needs, from an instant before the run's deadline: the record
        outlives that of the run, and so each redrive finds it."""
        return self.expires_at_s(now_ms) + RESULT_SPARE_DAYS * DAY_SECONDS

    def record_expires_at_s(self, due_at: int, now_ms: int) -> int:
        """The TTL of a record that ends now, and may do so before it is due: the archive reads it after its hour."""
        return self.expires_at_s(max(due_at, now_ms))

    def records_expire_at_s(self, due_at: Iterable[int], now_ms: int) -> int:
        """The TTL of records that end now in one transaction: that of the record with the latest due time."""
        return self.record_expires_at_s(max(due_at, default=now_ms), now_ms)

    def outlives_records_s(self, now_ms: int) -> int:
        """The TTL of a record that locates executions, which may still have all their retries to make."""
        return self.expires_at_s(now_ms) + MAX_RETRY_SPAN_SECONDS + DAY_SECONDS

    def chain_expires_at_s(self, now_ms: int, archive_days: int) -> int:
        """The TTL of the record of a chain that ends now: it locates the executions of the chain in the tables and,
        for `archive_days`, in the archive. 0 without an archive."""
        return self.outlives_records_s(now_ms) + archive_days * DAY_SECONDS

    def payload_expires_at_s(self, due_at: int) -> int:
        """The TTL of a separately stored request: of a one-off from its birth, of a definition from its last use."""
        return self.expires_at_s(due_at) + PAYLOAD_SPARE_DAYS * DAY_SECONDS

    def reused_payload_expires_at_s(self, due_at: int) -> int:
        """The least TTL of an existing request for an execution that is due then. Most need no extension."""
        return self.expires_at_s(due_at) + PAYLOAD_LEAST_SPARE_DAYS * DAY_SECONDS

    def late_payload_expires_at_s(self, due_at: int, now_ms: int) -> int | None:
        """The TTL that the request of an execution needs that is still open; None while its first TTL suffices.

        It rises in steps of `PAYLOAD_SPARE_DAYS`, so that a sweep extends each request once a step.
        """
        late_days = (now_ms - due_at) // 1000 // DAY_SECONDS - PAYLOAD_LATE_DAYS
        if late_days < 0:
            return None
        steps = 1 + late_days // PAYLOAD_SPARE_DAYS
        return self.payload_expires_at_s(due_at) + steps * PAYLOAD_SPARE_DAYS * DAY_SECONDS
