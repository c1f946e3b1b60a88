"""Examples of problem documents."""

from typing import Any

from functions.api.http.problems import FieldError, Problem, ProblemError, document

_REQUEST_ID = "4fe87409-1eee-4a0a-bec8-a864ab623f42"


def _at(pointer: str, detail: str) -> dict[str, Any]:
    return {"detail": detail, "errors": [FieldError(pointer, detail)]}


_ARGUMENTS: dict[Problem, dict[str, Any]] = {
    Problem.MALFORMED_REQUEST: {"detail": "not valid JSON: the key 'url' stands twice in one object"},
    Problem.VALIDATION_FAILED: {
        "detail": "minute: 61 is not from 0 to 59",
        "errors": [FieldError("/schedule/cron", "minute: 61 is not from 0 to 59")],
    },
    Problem.PAYLOAD_TOO_LARGE: {"detail": "a body may be 262144 bytes at most"},
    Problem.UNSUPPORTED_MEDIA_TYPE: {"detail": "send Content-Type: application/json, in UTF-8"},
    Problem.UNAUTHENTICATED: {"detail": "send a valid API key as Authorization: Bearer pk_..."},
    Problem.FORBIDDEN: {"detail": "this key lacks the scope write"},
    Problem.NOT_FOUND: {"detail": "no such job"},
    Problem.METHOD_NOT_ALLOWED: {"detail": "/v1/jobs has GET, POST"},
    Problem.INVALID_STATE: {"detail": "too late: attempt 1 is running"},
    Problem.PRECONDITION_FAILED: {"detail": "If-Match: the job is at revision 4; read it, and decide again"},
    Problem.ALREADY_EXISTS: {
        "detail": "the key has a job, which is at revision 4: without If-None-Match, the request changes it"
    },
    Problem.PRECONDITION_REQUIRED: {"detail": "send the job's ETag as If-Match"},
    Problem.IDEMPOTENCY_KEY_INVALID: {"detail": "an Idempotency-Key is 1 to 255 visible ASCII characters"},
    Problem.IDEMPOTENCY_KEY_REUSED: {
        "detail": "the Idempotency-Key was used before with another request body"
    },
    Problem.CALLBACK_URL_NOT_ALLOWED: _at("/request/url", "the URL must begin with https://, in lower case"),
    Problem.SCHEDULE_NEVER_FIRES: _at(
        "/schedule/cron", "day_of_month: no such day in any of these months, so the line never fires"
    ),
    Problem.SCHEDULE_IN_PAST: _at(
        "/schedule/at", "at: more than 60 seconds in the past; it is 2025-02-19T21:10:12.345Z now"
    ),
    Problem.SCHEDULE_TOO_FAR: _at(
        "/schedule/at", "at: more than ten years ahead; it is 2025-02-19T21:10:12.345Z now"
    ),
    Problem.RATE_LIMITED: {
        "detail": "this tenant may create 100 jobs a second",
        "quota": "creates_per_second",
    },
    Problem.QUOTA_EXCEEDED: {
        "detail": "the most jobs that may be due in one minute are 60000",
        "quota": "due_per_minute",
    },
    Problem.INVALID_CURSOR: {"detail": "take the cursor from the page before, for the same request"},
    Problem.SERVICE_UNAVAILABLE: {"detail": "nothing was decided; the same request may be sent again"},
    Problem.INTERNAL_ERROR: {"detail": "the request id finds it in the operator's logs"},
}


def problem_example(problem: Problem) -> dict[str, Any]:
    """A problem document of this type."""
    arguments = dict(_ARGUMENTS[problem])
    return document(ProblemError(problem, arguments.pop("detail"), **arguments), _REQUEST_ID)


def validation_failed(pointer: str, detail: str) -> dict[str, Any]:
    """The problem document of a body with one error."""
    error = FieldError(pointer, detail)
    return document(ProblemError(Problem.VALIDATION_FAILED, detail, errors=[error]), _REQUEST_ID)
