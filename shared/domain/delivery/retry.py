"""When a failed attempt is tried again."""

from dataclasses import dataclass

from shared.domain.delivery.callback import GONE_STATUS, CallbackResponse, Reason
from shared.domain.errors import InvalidValueError

MAX_ATTEMPTS = 20
MAX_RETRY_DELAY_SECONDS = 86_400
MAX_RETRY_SPAN_SECONDS = 7 * 86_400
"""Records of neighbouring executions outlive every retry: a retry that files its successor again must meet it."""
ATTEMPTS_SPAN_SECONDS = 20 * 3_600
"""What the attempts themselves may take beside the waits; with these, too, a record outlives the last retry."""
TABLE_JITTER = 0.1
"""A wait from a table is shorter than it says by up to this part of it: those that failed together come apart."""
_FINAL = frozenset({Reason.STOPPED, Reason.RECEIVER_GAVE_UP, Reason.TOO_OLD})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often, how patiently and for how long.

    Without a table: exponential backoff with full jitter, before retry n the wait is drawn from 0 to
    min(cap, base·factorⁿ⁻¹). With one: from nine tenths of its n-th entry up to all of it.
    """

    max_attempts: int = 5
    base_seconds: int = 10
    factor: int = 2
    cap_seconds: int = 3_600
    delays_seconds: tuple[int, ...] = ()
    """The table: one entry for each retry, in the place of base, factor and cap."""
    give_up_after_seconds: int | None = None
    """No attempt begins when so much time has passed since the execution was due."""

    def __post_init__(self) -> None:
        """Refuse a policy outside its documented limits."""
        if not 1 <= self.max_attempts <= MAX_ATTEMPTS:
            raise InvalidValueError(f"max_attempts must be 1 to {MAX_ATTEMPTS}")
        if not 1 <= self.base_seconds <= self.cap_seconds <= MAX_RETRY_DELAY_SECONDS:
            raise InvalidValueError("base_seconds must be 1 to cap_seconds, which is a day at most")
        if not 1 <= self.factor <= 10:
            raise InvalidValueError("factor must be 1 to 10")
        self._check_table()
        if self.longest_seconds > MAX_RETRY_SPAN_SECONDS:
            raise InvalidValueError("all retries together may take 7 days at most")
        age = self.give_up_after_seconds
        if age is not None and not 1 <= age <= MAX_RETRY_SPAN_SECONDS:
            raise InvalidValueError(f"give_up_after_seconds must be 1 to {MAX_RETRY_SPAN_SECONDS}")

    def _check_table(self) -> None:
        if self.delays_seconds and self.max_attempts != len(self.delays_seconds) + 1:
            raise InvalidValueError("a table of delays has one entry for each retry")
        if not all(1 <= delay <= MAX_RETRY_DELAY_SECONDS for delay in self.delays_seconds):
            raise InvalidValueError("each entry of delays_seconds must be 1 second to a day")

    @property
    def longest_seconds(self) -> int:
        """How long all waits together can take at the most, as far as the policy goes."""
        return sum(self._ceiling_seconds(attempt) for attempt in range(1, self.max_attempts))

    def _ceiling_seconds(self, attempt: int) -> int:
        if self.delays_seconds:
            return self.delays_seconds[attempt - 1]
        return min(self.cap_seconds, self.base_seconds * int(self.factor ** (attempt - 1)))

    def delay_ms(self, attempt: int, draw: float, retry_after_seconds: int | None = None) -> int:
        """The wait after `attempt` failed; `draw` is uniform in [0, 1).

        A receiver's Retry-After is honoured up to the cap, or up to a day by a policy with a table: the wait is never
        shorter than it.
        """
        most_seconds = MAX_RETRY_DELAY_SECONDS if self.delays_seconds else self.cap_seconds
        asked_seconds = min(retry_after_seconds or 0, most_seconds)
        part = 1 - TABLE_JITTER * draw if self.delays_seconds else draw
        return max(int(self._ceiling_seconds(attempt) * 1000 * part), asked_seconds * 1000)

    def gives_up_at(self, due_at: int) -> int | None:
        """After this instant no attempt begins of an execution that was due at `due_at`; None where none is too old."""
        return None if self.give_up_after_seconds is None else due_at + self.give_up_after_seconds * 1000

    def latest_retry_at(self, due_at: int, began_at: int) -> int:
        """No retry is set to begin after this instant, whatever its receiver asks for.

        `began_at` is when the first attempt began that anything is known of.
        """
        span_ends_at = began_at + (MAX_RETRY_SPAN_SECONDS + ATTEMPTS_SPAN_SECONDS) * 1000
        gives_up_at = self.gives_up_at(due_at)
        return span_ends_at if gives_up_at is None else min(span_ends_at, gives_up_at)


def is_retryable(answer: CallbackResponse) -> bool:
    """Whether another attempt may help; 410 Gone is the receiver's request to stop."""
    return not answer.succeeded and answer.status != GONE_STATUS and answer.reason not in _FINAL
