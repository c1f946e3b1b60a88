"""The retry policy: when a failed attempt is repeated."""

from shared.dataclass import dataclass
from shared.domain.delivery.callback import GONE_STATUS, CallbackResponse, Reason
from shared.domain.errors import InvalidValueError

MAX_ATTEMPTS = 20
MAX_RETRY_DELAY_SECONDS = 86_400
MAX_RETRY_SPAN_SECONDS = 7 * 86_400
"""Records of neighbouring executions outlive every retry, because a retry may file its successor again."""
ATTEMPTS_SPAN_SECONDS = 20 * 3_600
"""The maximum total duration of the attempts, without waits; records outlive the last retry by this, too."""
MAX_REFUND_DELAY_SECONDS = 300
TABLE_JITTER = 0.1
"""A wait from the table is shortened by up to this fraction, so that simultaneous failures spread out."""
_FINAL = frozenset({Reason.STOPPED, Reason.RECEIVER_GAVE_UP, Reason.TOO_OLD, Reason.RESULT_INVALID})
_OF_RUNS = frozenset({Reason.WORKFLOW_GONE, Reason.RUN_FAILED, Reason.RUN_TIMED_OUT})
"""A job that starts a workflow has one attempt."""
_NOT_RETRIED = _FINAL | _OF_RUNS | {Reason.TARGET_REFUSED}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """The number of attempts and the waits between them.

    Without a table: exponential backoff with full jitter; the wait before retry n is drawn from 0 to
    min(cap, base·factorⁿ⁻¹). With a table: the wait is from nine tenths of the n-th entry to the whole entry.
    """

    max_attempts: int = 5
    base_seconds: int = 10
    factor: int = 2
    cap_seconds: int = 3_600
    delays_seconds: tuple[int, ...] = ()
    """The table: one entry for each retry; replaces base, factor and cap."""
    give_up_after_seconds: int | None = None
    """No attempt starts later than this after the due instant."""

    def __post_init__(self) -> None:
        if not 1 <= self.max_attempts <= MAX_ATTEMPTS:
            raise InvalidValueError(f"max_attempts must be 1 to {MAX_ATTEMPTS}")
        if not 1 <= self.base_seconds <= self.cap_seconds <= MAX_RETRY_DELAY_SECONDS:
            raise InvalidValueError("base_seconds must be 1 to cap_seconds, which is at most a day")
        if not 1 <= self.factor <= 10:
            raise InvalidValueError("factor must be 1 to 10")
        self._check_table()
        if self.longest_seconds > MAX_RETRY_SPAN_SECONDS:
            raise InvalidValueError("all retries together may take at most 7 days")
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
        """The maximum sum of all waits, without Retry-After."""
        return sum(self._ceiling_seconds(attempt) for attempt in range(1, self.max_attempts))

    def _ceiling_seconds(self, attempt: int) -> int:
        if self.delays_seconds:
            return self.delays_seconds[attempt - 1]
        return min(self.cap_seconds, self.base_seconds * int(self.factor ** (attempt - 1)))

    def delay_ms(self, attempt: int, draw: float, retry_after_seconds: int | None = None) -> int:
        """Return the wait after `attempt` failed; `draw` is uniform in [0, 1).

        The wait is at least the receiver's Retry-After, limited to the cap, or to a day for a policy with a
        table.
        """
        most_seconds = MAX_RETRY_DELAY_SECONDS if self.delays_seconds else self.cap_seconds
        asked_seconds = min(retry_after_seconds or 0, most_seconds)
        part = 1 - TABLE_JITTER * draw if self.delays_seconds else draw
        return max(int(self._ceiling_seconds(attempt) * 1000 * part), asked_seconds * 1000)

    def gives_up_at(self, due_at: int) -> int | None:
        """Return the last instant at which an attempt may start; None without `give_up_after_seconds`."""
        return None if self.give_up_after_seconds is None else due_at + self.give_up_after_seconds * 1000

    def latest_retry_at(self, due_at: int, began_at: int) -> int:
        """Return the last instant for which a retry may be scheduled, whatever Retry-After says.

        `began_at` is the start of the earliest known attempt.
        """
        span_ends_at = began_at + (MAX_RETRY_SPAN_SECONDS + ATTEMPTS_SPAN_SECONDS) * 1000
        gives_up_at = self.gives_up_at(due_at)
        return span_ends_at if gives_up_at is None else min(span_ends_at, gives_up_at)


ONE_ATTEMPT = RetryPolicy(max_attempts=1)
"""Of a job that starts a workflow, whose tasks have retries of their own."""


def refund_delay_ms(refunded: int, draw: float) -> int:
    """Return the wait after a claim that made no call, after `refunded` earlier ones; `draw` is in [0, 1).

    Doubles from one second to `MAX_REFUND_DELAY_SECONDS`; up to half of the wait is jitter.
    """
    # The exponent is bounded before the power, because a week of refunds would make it thousands of bits.
    ceiling_seconds = min(MAX_REFUND_DELAY_SECONDS, 1 << min(refunded, 16))
    return int(ceiling_seconds * 1000 * (1 - draw / 2))


def is_retryable(response: CallbackResponse) -> bool:
    """Return whether another attempt may succeed; 410 Gone asks for no further calls."""
    is_gone = response.receiver_status == GONE_STATUS
    return not response.succeeded and not is_gone and response.reason not in _NOT_RETRIED
