"""Attempts that go on after their call has ended: how long they may take, and how often they must be heard of."""

from dataclasses import dataclass

from shared.domain.delivery.retry import MAX_RETRY_SPAN_SECONDS, RetryPolicy
from shared.domain.errors import InvalidValueError

MIN_DEADLINE_SECONDS = 60
MAX_DEADLINE_SECONDS = 12 * 3_600
MIN_HEARTBEAT_SECONDS = 10
MAX_HEARTBEAT_SECONDS = 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class AsyncPolicy:
    """The limits of one attempt whose receiver has said that it works on."""

    deadline_seconds: int = 3_600
    """The whole time that the attempt may take, from its claim on."""
    heartbeat_seconds: int = 60
    """Not heard of for longer, the attempt counts as lost."""

    def __post_init__(self) -> None:
        """Refuse limits outside the documented ones."""
        if not MIN_DEADLINE_SECONDS <= self.deadline_seconds <= MAX_DEADLINE_SECONDS:
            raise InvalidValueError(
                f"async_deadline_seconds must be {MIN_DEADLINE_SECONDS} to {MAX_DEADLINE_SECONDS}"
            )
        if not MIN_HEARTBEAT_SECONDS <= self.heartbeat_seconds <= MAX_HEARTBEAT_SECONDS:
            raise InvalidValueError(
                f"heartbeat_seconds must be {MIN_HEARTBEAT_SECONDS} to {MAX_HEARTBEAT_SECONDS}"
            )

    def deadline_at(self, claimed_at: int) -> int:
        """When an attempt that was claimed then is over, whatever is heard of it."""
        return claimed_at + self.deadline_seconds * 1000

    def claimed_at(self, deadline_at: int) -> int:
        """When an attempt was claimed that is over then."""
        return deadline_at - self.deadline_seconds * 1000

    def lease_until(self, now_ms: int, deadline_at: int) -> int:
        """How far a sign of life at this moment carries an attempt: never beyond its deadline."""
        return min(now_ms + self.heartbeat_seconds * 1000, deadline_at)


DEFAULT_ASYNC_POLICY = AsyncPolicy()


def check_span(retry: RetryPolicy, policy: AsyncPolicy) -> None:
    """Refuse attempts and waits that together outlast the records of neighbouring executions: InvalidValueError.

    A retry files its successor again and must meet its record. The default deadline is let pass with every retry
    policy: twenty such attempts stay within the day by which records outlive the longest waits.
    """
    if policy.deadline_seconds <= DEFAULT_ASYNC_POLICY.deadline_seconds:
        return
    if retry.longest_seconds + retry.max_attempts * policy.deadline_seconds > MAX_RETRY_SPAN_SECONDS:
        raise InvalidValueError(
            "async_deadline_seconds times max_attempts and all waits together may be 7 days at most"
        )
