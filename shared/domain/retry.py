"""When a failed attempt is tried again."""

from dataclasses import dataclass

from shared.domain.delivery import GONE_STATUS, Answer, Reason
from shared.domain.errors import InvalidValueError

MAX_ATTEMPTS = 20
MAX_RETRY_DELAY_SECONDS = 86_400
MAX_RETRY_SPAN_SECONDS = 7 * 86_400
"""Records of neighbouring executions outlive every retry: a retry that files its successor again must meet it."""
_FINAL = frozenset({Reason.STOPPED, Reason.RECEIVER_GAVE_UP})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Exponential backoff with full jitter: before retry n the wait is drawn from 0 to min(cap, base·factorⁿ⁻¹)."""

    max_attempts: int = 5
    base_seconds: int = 10
    factor: int = 2
    cap_seconds: int = 3_600

    def __post_init__(self) -> None:
        """Refuse a policy outside its documented limits."""
        if not 1 <= self.max_attempts <= MAX_ATTEMPTS:
            raise InvalidValueError(f"max_attempts must be 1 to {MAX_ATTEMPTS}")
        if not 1 <= self.base_seconds <= self.cap_seconds <= MAX_RETRY_DELAY_SECONDS:
            raise InvalidValueError("base_seconds must be 1 to cap_seconds, which is a day at most")
        if not 1 <= self.factor <= 10:
            raise InvalidValueError("factor must be 1 to 10")
        if self.longest_seconds > MAX_RETRY_SPAN_SECONDS:
            raise InvalidValueError("all retries together may take 7 days at most")

    @property
    def longest_seconds(self) -> int:
        """How long all waits together can take at the most."""
        return sum(self._ceiling_seconds(attempt) for attempt in range(1, self.max_attempts))

    def _ceiling_seconds(self, attempt: int) -> int:
        return min(self.cap_seconds, self.base_seconds * int(self.factor ** (attempt - 1)))

    def delay_ms(self, attempt: int, draw: float, retry_after_seconds: int | None = None) -> int:
        """The wait after `attempt` failed; `draw` is uniform in [0, 1).

        A receiver's Retry-After is honoured up to the cap: the wait is never shorter than it.
        """
        asked_seconds = min(retry_after_seconds or 0, self.cap_seconds)
        return max(int(self._ceiling_seconds(attempt) * 1000 * draw), asked_seconds * 1000)


def is_retryable(answer: Answer) -> bool:
    """Whether another attempt may help; 410 Gone is the receiver's request to stop."""
    return not answer.succeeded and answer.status != GONE_STATUS and answer.reason not in _FINAL
