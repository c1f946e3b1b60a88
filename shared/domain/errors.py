"""Errors of the domain and the use cases. The API translates them into problem documents."""


class PunctualError(Exception):
    """Base class of all errors that Punctual raises."""


class InvalidValueError(PunctualError, ValueError):
    """A value breaks a rule of the domain; the text explains the rule to users."""


class NewerMessageError(InvalidValueError):
    """A newer version wrote the message; a worker of that version can read it."""


class ScheduleError(InvalidValueError):
    """A schedule is invalid. `field` is the invalid field in the API's spelling."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class ScheduleInPastError(ScheduleError):
    """The requested instant is in the past by more than the grace period."""


class ScheduleTooFarError(ScheduleError):
    """The requested instant is too far in the future."""


class ScheduleNeverFiresError(ScheduleError):
    """The schedule has no instant, such as 30 February."""


class CallbackUrlNotAllowedError(InvalidValueError):
    """The target's scheme, host, port or address is not allowed.

    `member` is the name of the URL's field in the job; by default, the URL of the request.
    """

    def __init__(self, text: str, member: str = "request/url") -> None:
        super().__init__(text)
        self.member = member


class ServiceError(PunctualError):
    """A required service did not carry out a call; the cause is never the customer's."""


class UnavailableError(ServiceError):
    """A required service did not respond or throttled; the caller may repeat the same call."""


class ThrottledError(UnavailableError):
    """A service throttled the call. This try changed nothing; an earlier try of the call may have.

    `spares_indexes`: the service says that the table was throttled, and none of its indexes.
    """

    def __init__(self, text: str = "", *, spares_indexes: bool = False) -> None:
        super().__init__(text)
        self.spares_indexes = spares_indexes


class RequestRejectedError(ServiceError):
    """A required service rejected the call for good: invalid, too large or not permitted.

    A fault of the program or of its deployment. The same call would be rejected again; the text names the
    cause for operators.
    """


class NotFoundError(PunctualError):
    """The resource does not exist or belongs to another tenant; both cases look the same."""


class InvalidStateError(PunctualError):
    """The resource exists, but its state does not allow the request."""


class PreconditionFailedError(PunctualError):
    """The resource has changed since the client last read it."""


class QuotaExceededError(PunctualError):
    """The tenant has exhausted a quota. `quota` is its name in the API's spelling."""

    def __init__(self, message: str, *, quota: str) -> None:
        super().__init__(message)
        self.quota = quota


class RateLimitedError(PunctualError):
    def __init__(self, message: str, *, quota: str | None = None, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.quota = quota
        self.retry_after_seconds = retry_after_seconds


class IdempotencyKeyReusedError(PunctualError):
    """The Idempotency-Key was used before with a different request body."""


class IdentityConflictError(PunctualError):
    """The id belongs to an item with a different fingerprint."""


class UnreadableItemError(PunctualError):
    """A stored item has an unknown version or breaks an invariant; no code modifies it."""


class UnknownVersionError(UnreadableItemError):
    """A newer version wrote the item, or a value in it; the item is valid, but this version must not modify it."""
