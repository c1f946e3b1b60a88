"""The problem that each error of the inner layers becomes. Every other error is an internal error."""

from dataclasses import replace

from pydantic import ValidationError

from functions.api.http.problems import FieldError, Problem, ProblemError
from functions.api.http.strict_json import MalformedRequestError
from shared.domain import errors

_PROBLEMS: tuple[tuple[type[Exception], Problem], ...] = (
    (errors.ScheduleInPastError, Problem.SCHEDULE_IN_PAST),
    (errors.ScheduleTooFarError, Problem.SCHEDULE_TOO_FAR),
    (errors.ScheduleNeverFiresError, Problem.SCHEDULE_NEVER_FIRES),
    (errors.CallbackUrlNotAllowedError, Problem.CALLBACK_URL_NOT_ALLOWED),
    (errors.InvalidValueError, Problem.VALIDATION_FAILED),
    (errors.NotFoundError, Problem.NOT_FOUND),
    (errors.InvalidStateError, Problem.INVALID_STATE),
    (errors.PreconditionFailedError, Problem.PRECONDITION_FAILED),
    (errors.IdempotencyKeyReusedError, Problem.IDEMPOTENCY_KEY_REUSED),
    (errors.UnavailableError, Problem.SERVICE_UNAVAILABLE),
    # An item of a newer version: a deployment is under way, and a newer function will read it.
    (errors.UnknownVersionError, Problem.SERVICE_UNAVAILABLE),
    (MalformedRequestError, Problem.MALFORMED_REQUEST),
)
"""The first match counts: subclasses stand before their base classes."""
_SCHEDULE_FIELDS = {
    "at",
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
}
RETRY_AFTER_SECONDS = "1"


def problem_for(error: Exception) -> ProblemError | None:
    """The problem to answer an error with; None for an internal error."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, errors.RateLimitedError):
        retry = {"Retry-After": str(error.retry_after_seconds)}
        return ProblemError(Problem.RATE_LIMITED, str(error), headers=retry, quota=error.quota)
    if isinstance(error, errors.QuotaExceededError):
        return ProblemError(Problem.QUOTA_EXCEEDED, str(error), quota=error.quota)
    for kind, problem in _PROBLEMS:
        if isinstance(error, kind):
            if problem is Problem.SERVICE_UNAVAILABLE:
                retry = {"Retry-After": RETRY_AFTER_SECONDS}
                detail = "nothing was decided; the same request may be sent again"
                return ProblemError(problem, detail, headers=retry)
            return ProblemError(problem, str(error), errors=_field_errors(error))
    return None


def schedule_body_problem(error: errors.ScheduleError) -> ProblemError:
    """The problem where the body itself is the schedule: pointers then have no leading `/schedule`."""
    problem = problem_for(error)
    if problem is None:
        raise error
    found = [replace(each, pointer=each.pointer.removeprefix("/schedule")) for each in problem.errors]
    return ProblemError(problem.problem, problem.detail, errors=found)


def schema_problem(error: ValidationError) -> ProblemError:
    """One problem with all schema errors, each with its pointer. Input may be secret and is not echoed."""
    found = [
        FieldError(_pointer(each["loc"]), each["msg"])
        for each in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return validation_problem(found)


def validation_problem(found: list[FieldError]) -> ProblemError:
    """A 422 with these errors."""
    return ProblemError(Problem.VALIDATION_FAILED, f"{len(found)} error(s) in the body", errors=found)


def escaped(name: str) -> str:
    """A member's name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def _field_errors(error: Exception) -> list[FieldError]:
    if isinstance(error, errors.ScheduleError):
        # The domain names the field of the cron line (such as `minute`); the body's member is the whole line.
        name = error.field if error.field in _SCHEDULE_FIELDS else "cron"
        pointer = "/schedule" if name == "schedule" else f"/schedule/{name}"
        return [FieldError(pointer, str(error))]
    if isinstance(error, errors.CallbackUrlNotAllowedError):
        return [FieldError(f"/{error.member}", str(error))]
    return [FieldError("", str(error))] if isinstance(error, errors.InvalidValueError) else []


def _pointer(location: tuple[int | str, ...]) -> str:
    return "".join("/" + escaped(str(part)) for part in location)
