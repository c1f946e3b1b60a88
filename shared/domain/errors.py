"""Errors of the domain and the use cases. The API translates them into problem documents."""

from collections.abc import Iterable, Sequence

_SCHEDULE_MEMBERS = {
    "at",
    "business_day",
    "calendar",
    "delay_seconds",
    "end_at",
    "every_seconds",
    "expression",
    "from",
    "max_runs",
    "rate_seconds",
    "schedule",
    "start_at",
    "timezone",
    "to",
    "when_excluded",
}


class PunctualError(Exception):
    """Base class of all errors that Punctual raises."""


class InvalidValueError(PunctualError, ValueError):
    """A value breaks a rule of the domain; the text explains the rule to users.

    `path` has the names of the members that lead to the value in a request, as far as the rule knows them.
    """

    def __init__(self, text: str = "", *, path: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.path = tuple(path)

    def each(self) -> Sequence["InvalidValueError"]:
        """The error of each broken rule."""
        return (self,)


class InvalidValuesError(InvalidValueError):
    """Values break several rules."""

    def __init__(self, errors: Sequence[InvalidValueError]) -> None:
        super().__init__("; ".join(map(str, errors)))
        self._errors = tuple(errors)

    def each(self) -> Sequence[InvalidValueError]:
        return self._errors


def raise_any(errors: Iterable[InvalidValueError]) -> None:
    """Raise one error for all broken rules; return if there are none."""
    found = [one for error in errors for one in error.each()]
    if found:
        raise found[0] if len(found) == 1 else InvalidValuesError(found)


class NewerMessageError(InvalidValueError):
    """A newer version wrote the message; a worker of that version can read it."""


class ScheduleError(InvalidValueError):
    """A schedule is invalid. `field` is the invalid field in the API's spelling, or a field of a cron line."""

    def __init__(self, message: str, *, field: str) -> None:
        # A cron line is one member of a request, whichever of its fields is invalid.
        name = field if field in _SCHEDULE_MEMBERS else "cron"
        super().__init__(message, path=() if name == "schedule" else (name,))
        self.field = field


class ScheduleInPastError(ScheduleError):
    """The requested instant is in the past by more than the grace period."""


class ScheduleTooFarError(ScheduleError):
    """The requested instant is too far in the future."""


class ScheduleNeverFiresError(ScheduleError):
    """The schedule has no instant, such as 30 February."""


class CallbackUrlNotAllowedError(InvalidValueError):
    """The target's scheme, host, port or address is not allowed.

    `path` leads to the URL; by default, to that of the request.
    """

    def __init__(self, text: str, *, path: Sequence[str] = ("request", "url")) -> None:
        super().__init__(text, path=path)


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
    """The resource is not as the client expects it. `revision` is the present one, where it is known."""

    def __init__(self, message: str, *, revision: int | None = None) -> None:
        super().__init__(message)
        self.revision = revision


class AlreadyExistsError(PreconditionFailedError):
    """The client expects no resource, and there is one."""


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


class TargetRoleGoneError(PunctualError):
    """The tenant has no role for the account of the target."""


class SigningSecretGoneError(PunctualError):
    """No signing secret of the tenant has the name that a call needs; the call is not signed otherwise."""


class UnknownVersionError(UnreadableItemError):
    """A newer version wrote the item, or a value in it; the item is valid, but this version must not modify it."""
