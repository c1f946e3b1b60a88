"""Which problem each error of the inner layers is. Whatever is not named here is an internal error."""

from dataclasses import replace

from pydantic import ValidationError

from functions.api.problems import FieldError, Problem, ProblemError
from functions.api.strict_json import MalformedRequestError
from shared.domain import errors
from shared.domain.errors import ScheduleError

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
    (errors.UnknownVersionError, Problem.SERVICE_UNAVAILABLE),
    (MalformedRequestError, Problem.MALFORMED_REQUEST),
)
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


def problem_for(fault: Exception) -> ProblemError | None:
    """The problem that an error is answered with; None where it is ours."""
    if isinstance(fault, ProblemError):
        return fault
    if isinstance(fault, errors.RateLimitedError):
        retry = {"Retry-After": str(fault.retry_after_seconds)}
        return ProblemError(Problem.RATE_LIMITED, str(fault), headers=retry, quota=fault.quota)
    if isinstance(fault, errors.QuotaExceededError):
        return ProblemError(Problem.QUOTA_EXCEEDED, str(fault), quota=fault.quota)
    for kind, problem in _PROBLEMS:
        if isinstance(fault, kind):
            if problem is Problem.SERVICE_UNAVAILABLE:
                return ProblemError(
                    problem, "nothing was decided; the same request may be sent again", headers=_RETRY
                )
            return ProblemError(problem, str(fault), errors=_field_errors(fault))
    return None


def in_body(fault: errors.ScheduleError) -> ProblemError:
    """The problem where the body itself, and not a member of it, is the schedule: pointers begin inside of it."""
    problem = problem_for(fault)
    if problem is None:
        raise fault
    found = [replace(error, pointer=error.pointer.removeprefix("/schedule")) for error in problem.errors]
    return ProblemError(problem.problem, problem.detail, errors=found)


_RETRY = {"Retry-After": RETRY_AFTER_SECONDS}


def _field_errors(fault: Exception) -> list[FieldError]:
    if isinstance(fault, ScheduleError):
        # A fault in one field of a cron line is a fault of the line, as far as the body goes.
        name = fault.field if fault.field in _SCHEDULE_FIELDS else "cron"
        pointer = "/schedule" if name == "schedule" else f"/schedule/{name}"
        return [FieldError(pointer, str(fault))]
    if isinstance(fault, errors.CallbackUrlNotAllowedError):
        return [FieldError(f"/{fault.member}", str(fault))]
    return [FieldError("", str(fault))] if isinstance(fault, errors.InvalidValueError) else []


def schema_problem(fault: ValidationError) -> ProblemError:
    """All errors at once, each with its JSON pointer; what was sent is not repeated."""
    found = [
        FieldError(_pointer(error["loc"]), error["msg"])
        for error in fault.errors(include_url=False, include_context=False, include_input=False)
    ]
    return ProblemError(Problem.VALIDATION_FAILED, f"{len(found)} error(s) in the body", errors=found)


def _pointer(location: tuple[int | str, ...]) -> str:
    return "".join("/" + escaped(str(part)) for part in location)


def escaped(name: str) -> str:
    """A name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")
