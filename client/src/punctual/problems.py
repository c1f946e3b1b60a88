"""The errors of the API, by problem type. Generated from docs/openapi.json: run `make client-sdk`."""

from punctual._api_error import ApiError, FieldError

__all__ = [
    "PROBLEMS",
    "AlreadyExistsError",
    "ApiError",
    "CallbackUrlNotAllowedError",
    "FieldError",
    "ForbiddenError",
    "IdempotencyKeyInvalidError",
    "IdempotencyKeyReusedError",
    "InternalError",
    "InvalidCursorError",
    "InvalidStateError",
    "MalformedRequestError",
    "MethodNotAllowedError",
    "NotFoundError",
    "PayloadTooLargeError",
    "PreconditionFailedError",
    "PreconditionRequiredError",
    "QuotaExceededError",
    "RateLimitedError",
    "ScheduleInPastError",
    "ScheduleNeverFiresError",
    "ScheduleTooFarError",
    "ServiceUnavailableError",
    "UnauthenticatedError",
    "UnsupportedMediaTypeError",
    "ValidationFailedError",
]


class AlreadyExistsError(ApiError):
    """A job with this key exists already (`already-exists`)."""

    slug = "already-exists"


class CallbackUrlNotAllowedError(ApiError):
    """The callback URL is not allowed (`callback-url-not-allowed`)."""

    slug = "callback-url-not-allowed"


class ForbiddenError(ApiError):
    """This key may not do that (`forbidden`)."""

    slug = "forbidden"


class IdempotencyKeyInvalidError(ApiError):
    """The Idempotency-Key is malformed (`idempotency-key-invalid`)."""

    slug = "idempotency-key-invalid"


class IdempotencyKeyReusedError(ApiError):
    """The Idempotency-Key belongs to another request (`idempotency-key-reused`)."""

    slug = "idempotency-key-reused"


class InternalError(ApiError):
    """Something broke on our side (`internal-error`)."""

    slug = "internal-error"


class InvalidCursorError(ApiError):
    """The cursor is not valid here (`invalid-cursor`)."""

    slug = "invalid-cursor"


class InvalidStateError(ApiError):
    """The state forbids that (`invalid-state`)."""

    slug = "invalid-state"


class MalformedRequestError(ApiError):
    """The request cannot be read (`malformed-request`)."""

    slug = "malformed-request"


class MethodNotAllowedError(ApiError):
    """The resource has no such method (`method-not-allowed`)."""

    slug = "method-not-allowed"


class NotFoundError(ApiError):
    """There is no such thing (`not-found`)."""

    slug = "not-found"


class PayloadTooLargeError(ApiError):
    """The body is too large (`payload-too-large`)."""

    slug = "payload-too-large"


class PreconditionFailedError(ApiError):
    """The job has changed since you last saw it (`precondition-failed`)."""

    slug = "precondition-failed"


class PreconditionRequiredError(ApiError):
    """If-Match is required (`precondition-required`)."""

    slug = "precondition-required"


class QuotaExceededError(ApiError):
    """A quota of the tenant is used up (`quota-exceeded`)."""

    slug = "quota-exceeded"


class RateLimitedError(ApiError):
    """Too many requests in a short time (`rate-limited`)."""

    slug = "rate-limited"


class ScheduleInPastError(ApiError):
    """The time is in the past (`schedule-in-past`)."""

    slug = "schedule-in-past"


class ScheduleNeverFiresError(ApiError):
    """The schedule never fires (`schedule-never-fires`)."""

    slug = "schedule-never-fires"


class ScheduleTooFarError(ApiError):
    """The time is too far ahead (`schedule-too-far`)."""

    slug = "schedule-too-far"


class ServiceUnavailableError(ApiError):
    """Try again shortly (`service-unavailable`)."""

    slug = "service-unavailable"


class UnauthenticatedError(ApiError):
    """A valid API key is required (`unauthenticated`)."""

    slug = "unauthenticated"


class UnsupportedMediaTypeError(ApiError):
    """The body must be application/json (`unsupported-media-type`)."""

    slug = "unsupported-media-type"


class ValidationFailedError(ApiError):
    """The request breaks the schema (`validation-failed`)."""

    slug = "validation-failed"


PROBLEMS: dict[str, type[ApiError]] = {
    "already-exists": AlreadyExistsError,
    "callback-url-not-allowed": CallbackUrlNotAllowedError,
    "forbidden": ForbiddenError,
    "idempotency-key-invalid": IdempotencyKeyInvalidError,
    "idempotency-key-reused": IdempotencyKeyReusedError,
    "internal-error": InternalError,
    "invalid-cursor": InvalidCursorError,
    "invalid-state": InvalidStateError,
    "malformed-request": MalformedRequestError,
    "method-not-allowed": MethodNotAllowedError,
    "not-found": NotFoundError,
    "payload-too-large": PayloadTooLargeError,
    "precondition-failed": PreconditionFailedError,
    "precondition-required": PreconditionRequiredError,
    "quota-exceeded": QuotaExceededError,
    "rate-limited": RateLimitedError,
    "schedule-in-past": ScheduleInPastError,
    "schedule-never-fires": ScheduleNeverFiresError,
    "schedule-too-far": ScheduleTooFarError,
    "service-unavailable": ServiceUnavailableError,
    "unauthenticated": UnauthenticatedError,
    "unsupported-media-type": UnsupportedMediaTypeError,
    "validation-failed": ValidationFailedError,
}
"""The class of each problem type."""
