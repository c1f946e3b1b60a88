"""Errors as problem documents (RFC 9457)."""

from collections.abc import Sequence
from enum import Enum
from http import HTTPStatus
from typing import Any

import orjson

from functions.api.http.response import Response
from shared.dataclass import dataclass

CONTENT_TYPE = "application/problem+json"


class Problem(Enum):
    """Every type of problem of this API: (status, title)."""

    MALFORMED_REQUEST = (HTTPStatus.BAD_REQUEST, "The request cannot be read")
    VALIDATION_FAILED = (HTTPStatus.UNPROCESSABLE_ENTITY, "The request breaks the schema")
    PAYLOAD_TOO_LARGE = (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large")
    UNSUPPORTED_MEDIA_TYPE = (HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body must be application/json")
    UNAUTHENTICATED = (HTTPStatus.UNAUTHORIZED, "A valid API key is required")
    FORBIDDEN = (HTTPStatus.FORBIDDEN, "This key may not do that")
    NOT_FOUND = (HTTPStatus.NOT_FOUND, "There is no such thing")
    METHOD_NOT_ALLOWED = (HTTPStatus.METHOD_NOT_ALLOWED, "The resource has no such method")
    INVALID_STATE = (HTTPStatus.CONFLICT, "The state forbids that")
    PRECONDITION_FAILED = (HTTPStatus.PRECONDITION_FAILED, "The job has changed since you last saw it")
    ALREADY_EXISTS = (HTTPStatus.PRECONDITION_FAILED, "A job with this key exists already")
    PRECONDITION_REQUIRED = (HTTPStatus.PRECONDITION_REQUIRED, "If-Match is required")
    IDEMPOTENCY_KEY_INVALID = (HTTPStatus.BAD_REQUEST, "The Idempotency-Key is malformed")
    IDEMPOTENCY_KEY_REUSED = (
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The Idempotency-Key belongs to another request",
    )
    CALLBACK_URL_NOT_ALLOWED = (HTTPStatus.UNPROCESSABLE_ENTITY, "The callback URL is not allowed")
    SCHEDULE_NEVER_FIRES = (HTTPStatus.UNPROCESSABLE_ENTITY, "The schedule never fires")
    SCHEDULE_IN_PAST = (HTTPStatus.UNPROCESSABLE_ENTITY, "The time is in the past")
    SCHEDULE_TOO_FAR = (HTTPStatus.UNPROCESSABLE_ENTITY, "The time is too far ahead")
    RATE_LIMITED = (HTTPStatus.TOO_MANY_REQUESTS, "Too many requests in a short time")
    QUOTA_EXCEEDED = (HTTPStatus.TOO_MANY_REQUESTS, "A quota of the tenant is used up")
    INVALID_CURSOR = (HTTPStatus.BAD_REQUEST, "The cursor is not valid here")
    SERVICE_UNAVAILABLE = (HTTPStatus.SERVICE_UNAVAILABLE, "Try again shortly")
    INTERNAL_ERROR = (HTTPStatus.INTERNAL_SERVER_ERROR, "Something broke on our side")

    @property
    def status(self) -> int:
        return int(self.value[0])

    @property
    def title(self) -> str:
        """The same words for every problem of this type."""
        return self.value[1]

    @property
    def slug(self) -> str:
        """The name in the type's URI."""
        return self.name.lower().replace("_", "-")

    @property
    def uri(self) -> str:
        """The type's URI; clients compare this, never the title."""
        return f"urn:punctual:problem:{self.slug}"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One error in a body: where (a JSON pointer) and what."""

    pointer: str
    detail: str


class ProblemError(Exception):
    """Ends a request with a problem document."""

    def __init__(
        self,
        problem: Problem,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        headers: dict[str, str] | None = None,
        quota: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.problem = problem
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = headers or {}
        self.quota = quota


def document(error: ProblemError, request_id: str) -> dict[str, Any]:
    """The document. Its `instance` has the request id, by which operators find the request in the logs."""
    members: dict[str, Any] = {
        "type": error.problem.uri,
        "title": error.problem.title,
        "status": error.problem.status,
        "detail": error.detail,
        "instance": f"urn:punctual:request:{request_id}",
    }
    if error.quota is not None:
        members["quota"] = error.quota
    if error.errors:
        members["errors"] = [{"pointer": each.pointer, "detail": each.detail} for each in error.errors]
    return members


def respond(error: ProblemError, request_id: str) -> Response:
    """The HTTP response with the problem document."""
    return Response(
        status_code=error.problem.status,
        content_type=CONTENT_TYPE,
        body=orjson.dumps(document(error, request_id)).decode(),
        headers={"Cache-Control": "no-store", **error.headers},
    )
