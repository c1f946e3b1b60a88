"""Errors that the domain and the use cases raise; the edges translate them (the API into problem documents)."""


class PunctualError(Exception):
    """Base of every error that Punctual raises on purpose."""


class InvalidValueError(PunctualError, ValueError):
    """A value breaks a rule of the domain; the text says which, in words that a user may see."""


class NewerMessageError(InvalidValueError):
    """A message was written by a newer version: whoever is of that version can read it."""


class ScheduleError(InvalidValueError):
    """A schedule cannot be accepted. `field` names the part of it, in the API's own spelling."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class ScheduleInPastError(ScheduleError):
    """The instant asked for is more than the grace in the past."""


class ScheduleTooFarError(ScheduleError):
    """The instant asked for is beyond the horizon."""


class ScheduleNeverFiresError(ScheduleError):
    """The schedule has no instant at all, such as 30 February."""


class CallbackUrlNotAllowedError(InvalidValueError):
    """The target may not be called: its scheme, host, port or address is refused.

    `member` says which URL of a job it is, where it is not that of its request.
    """

    def __init__(self, text: str, member: str = "request/url") -> None:
        super().__init__(text)
        self.member = member


class UnavailableError(PunctualError):
    """A service that is needed did not answer or throttled; nothing was decided, the same call may be repeated."""


class ThrottledError(UnavailableError):
    """A service refused for its load alone: nothing was done, but by an earlier try of the same call, if at all."""


class NotFoundError(PunctualError):
    """No such thing, or it belongs to somebody else: the two are never told apart."""


class InvalidStateError(PunctualError):
    """The thing exists, but its state forbids what was asked."""


class PreconditionFailedError(PunctualError):
    """The thing has changed since its owner last saw it."""


class QuotaExceededError(PunctualError):
    """A quota of the tenant is used up. `quota` is its name, in the API's own spelling."""

    def __init__(self, message: str, *, quota: str) -> None:
        super().__init__(message)
        self.quota = quota


class RateLimitedError(PunctualError):
    """More requests in a short time than the tenant may make."""

    def __init__(self, message: str, *, quota: str, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.quota = quota
        self.retry_after_seconds = retry_after_seconds


class IdempotencyKeyReusedError(PunctualError):
    """The Idempotency-Key was used before with another request body."""


class IdentityConflictError(PunctualError):
    """Another item with another fingerprint stands under the same id."""


class UnreadableItemError(PunctualError):
    """A stored item has an unknown version or breaks its own invariants; it is left untouched."""


class UnknownVersionError(UnreadableItemError):
    """The item was written by a newer version; it is whole, and not ours to touch."""
