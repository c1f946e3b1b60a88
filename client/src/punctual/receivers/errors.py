"""What handlers and long work raise, and what is raised in long work."""

from punctual.errors import PunctualError


class CallFailedError(PunctualError):
    """Raise it in a handler or in long work: the attempt has failed, for this reason.

    With `retryable=False` the execution fails at once. `retry_after_seconds` delays the next attempt, where a
    handler answers the call; a report of long work cannot ask for a delay.
    """

    def __init__(
        self, reason: str, *, retryable: bool = True, retry_after_seconds: int | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds


class AttemptLostError(PunctualError):
    """Stop the work: the attempt is over, and another worker may be doing it."""


class ReportError(PunctualError):
    """The outcome of the work could not be reported. The attempt will be lost, and another one will start."""


class SeenBusyError(PunctualError):
    """Other processes changed the entry of a call each time, or the store does not compare and swap."""
