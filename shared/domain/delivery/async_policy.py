"""Limits of asynchronous attempts, which continue after the HTTP call: deadline and heartbeat."""

from shared.dataclass import dataclass
from shared.domain.delivery.retry import MAX_RETRY_SPAN_SECONDS, RetryPolicy
from shared.domain.errors import InvalidValueError

MIN_DEADLINE_SECONDS = 60
MAX_DEADLINE_SECONDS = 12 * 3_600
MIN_HEARTBEAT_SECONDS = 10
MAX_HEARTBEAT_SECONDS = 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class AsyncPolicy:
    """The limits of an attempt that its receiver has accepted asynchronously."""

    deadline_seconds: int = 3_600
    """The maximum duration of the attempt, counted from its claim."""
    heartbeat_seconds: int = 60
    """Without a heartbeat for this long, the attempt counts as lost."""

    def __post_init__(self) -> None:
        if not MIN_DEADLINE_SECONDS <= self.deadline_seconds <= MAX_DEADLINE_SECONDS:
            raise InvalidValueError(
                f"async_deadline_seconds must be {MIN_DEADLINE_SECONDS} to {MAX_DEADLINE_SECONDS}"
            )
        if not MIN_HEARTBEAT_SECONDS <= self.heartbeat_seconds <= MAX_HEARTBEAT_SECONDS:
            raise InvalidValueError(
                f"heartbeat_seconds must be {MIN_HEARTBEAT_SECONDS} to {MAX_HEARTBEAT_SECONDS}"
            )

    def deadline_at(self, claimed_at: int) -> int:
        """Return the deadline of an attempt claimed at `claimed_at`; heartbeats do not extend it."""
        return claimed_at + self.deadline_seconds * 1000

    def claimed_at(self, deadline_at: int) -> int:
        """Return the claim instant of an attempt with this deadline."""
        return deadline_at - self.deadline_seconds * 1000

    def lease_until(self, now_ms: int, deadline_at: int) -> int:
        """Return the lease end after a heartbeat at `now_ms`: never beyond the deadline."""
        return min(now_ms + self.heartbeat_seconds * 1000, deadline_at)


DEFAULT_ASYNC_POLICY = AsyncPolicy()


def check_span(retry: RetryPolicy, policy: AsyncPolicy) -> None:
    """Raise InvalidValueError if attempts and waits could outlast records of neighbouring executions.

    A retry files its successor again and must find its record. The default deadline is accepted with every
    retry policy: twenty such attempts take less than the day by which records outlive the longest waits.
    """
    if policy.deadline_seconds <= DEFAULT_ASYNC_POLICY.deadline_seconds:
        return
    if retry.longest_seconds + retry.max_attempts * policy.deadline_seconds > MAX_RETRY_SPAN_SECONDS:
        raise InvalidValueError(
            "async_deadline_seconds times max_attempts and all waits together may be 7 days at most",
            path=("async_deadline_seconds",),
        )
