"""The problem that each error of the inner layers becomes. Every other error is an internal error."""

from collections.abc import Sequence

from functions.api.http.problems import FieldError, Problem, ProblemError
from functions.api.http.schema_errors import BodyError, pointer_to
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
    (errors.AlreadyExistsError, Problem.ALREADY_EXISTS),
    (errors.PreconditionFailedError, Problem.PRECONDITION_FAILED),
    (errors.IdempotencyKeyReusedError, Problem.IDEMPOTENCY_KEY_REUSED),
    (errors.UnavailableError, Problem.SERVICE_UNAVAILABLE),
    # An item of a newer version: a deployment is under way, and a newer function will read it.
    (errors.UnknownVersionError, Problem.SERVICE_UNAVAILABLE),
    (MalformedRequestError, Problem.MALFORMED_REQUEST),
)
"""The first match counts: subclasses stand before their base classes."""
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
    if isinstance(error, errors.InvalidValueError):
        return errors_problem([BodyError(_path_in_job(each), each) for each in error.each()])
    problem = _problem_of(error)
    if problem is Problem.SERVICE_UNAVAILABLE:
        retry = {"Retry-After": RETRY_AFTER_SECONDS}
        detail = "nothing was decided; the same request may be sent again"
        return ProblemError(problem, detail, headers=retry)
    return None if problem is None else ProblemError(problem, _detail(error), headers=_present_etag(error))


def _detail(error: Exception) -> str:
    match error:
        case errors.AlreadyExistsError():
            return f"{error}: without If-None-Match, the request changes it"
        case errors.PreconditionFailedError():
            return f"If-Match: {error}; read it, and decide again"
    return str(error)


def _present_etag(error: Exception) -> dict[str, str]:
    if not isinstance(error, errors.PreconditionFailedError) or error.revision is None:
        return {}
    return {"ETag": f'"{error.revision}"'}


def schedule_body_problem(error: errors.ScheduleError) -> ProblemError:
    """The problem where the body itself is the schedule: pointers then have no leading `/schedule`."""
    return errors_problem([BodyError(error.path, error)])


def errors_problem(broken: Sequence[BodyError]) -> ProblemError:
    """One problem for all broken rules: of their type, or of the general one where they have several."""
    found = [FieldError(pointer_to(each.path), str(each.error)) for each in broken]
    types = {_problem_of(each.error) for each in broken}
    problem = types.pop() if len(types) == 1 else Problem.VALIDATION_FAILED
    detail = found[0].detail if len(found) == 1 else f"{len(found)} errors in the body"
    return ProblemError(problem or Problem.VALIDATION_FAILED, detail, errors=found)


def merged(first: ProblemError, second: ProblemError) -> ProblemError:
    """Both problems as one. Of a member, and of what lies inside of it, the first problem tells."""
    known = [each.pointer for each in first.errors]
    more = [each for each in second.errors if not any(_is_inside(each.pointer, one) for one in known)]
    if not more:
        return first
    problem = first.problem if first.problem is second.problem else Problem.VALIDATION_FAILED
    found = [*first.errors, *more]
    return ProblemError(problem, f"{len(found)} errors in the body", errors=found)


def _is_inside(pointer: str, other: str) -> bool:
    """Whether two pointers are equal, or one of them lies inside of the other one's member."""
    shorter, longer = sorted((pointer, other), key=len)
    return bool(shorter) and (longer == shorter or longer.startswith(f"{shorter}/"))


def _problem_of(error: Exception) -> Problem | None:
    return next((problem for kind, problem in _PROBLEMS if isinstance(error, kind)), None)


def _path_in_job(error: errors.InvalidValueError) -> Sequence[str]:
    return ("schedule", *error.path) if isinstance(error, errors.ScheduleError) else error.path
