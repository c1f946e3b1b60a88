"""One operation of the API: its description, from which the OpenAPI document is made, and its handler."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
from pydantic import BaseModel

from functions.api.context import Context
from functions.api.http.admission import OPERATORS_PATH
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.models import Document
from shared.dataclass import dataclass

Handler = Callable[[Context, AuthenticatedRequest], Response]

BODY_PROBLEMS = (
    Problem.PAYLOAD_TOO_LARGE,
    Problem.UNSUPPORTED_MEDIA_TYPE,
    Problem.MALFORMED_REQUEST,
    Problem.VALIDATION_FAILED,
)
QUOTA_PROBLEMS = (Problem.RATE_LIMITED, Problem.QUOTA_EXCEEDED)
SCHEDULE_PROBLEMS = (
    Problem.SCHEDULE_NEVER_FIRES,
    Problem.SCHEDULE_IN_PAST,
    Problem.SCHEDULE_TOO_FAR,
)
CREATION_PROBLEMS = (Problem.CALLBACK_URL_NOT_ALLOWED, *SCHEDULE_PROBLEMS)
IDEMPOTENCY_PROBLEMS = (Problem.IDEMPOTENCY_KEY_INVALID, Problem.IDEMPOTENCY_KEY_REUSED)
PAGE_PROBLEMS = (Problem.MALFORMED_REQUEST, Problem.INVALID_CURSOR)
_ALWAYS = (
    Problem.MALFORMED_REQUEST,
    Problem.PAYLOAD_TOO_LARGE,
    Problem.SERVICE_UNAVAILABLE,
    Problem.INTERNAL_ERROR,
)
_AUTHENTICATED = (Problem.UNAUTHENTICATED, Problem.FORBIDDEN, Problem.RATE_LIMITED)
PAGING = ("limit", "cursor")
JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The description of one operation."""

    method: str
    path: str
    operation: str
    """The `operationId`. Audit records use it too."""
    summary: str
    description: str = ""
    """Markdown."""
    success: int
    """The status of a success."""
    later: str = ""
    """The description of a 202, for operations that may also take effect later."""
    answer: type[BaseModel]
    """The schema of a success."""
    dry_run: type[BaseModel] | None = None
    """The schema of a 200, for operations whose body may ask for a dry run."""
    answer_headers: tuple[str, ...] = ()
    """Headers of the document that every success has."""
    body: type[BaseModel] | None = None
    body_is_optional: bool = False
    media_types: tuple[str, ...] = (JSON,)
    """Media types of the body."""
    query: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    required_headers: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_open: bool = False
    """Whether it needs no API key."""
    may_replay: bool = False
    """Whether a repeated request is marked as a replay although the operation takes no Idempotency-Key."""
    takes_token: bool = False
    """Whether the callback token of an attempt is its credential."""

    @property
    def path_parts(self) -> tuple[str, ...]:
        """The names of the variable parts of the path."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("<"))

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem that it may be answered with, each once."""
        authenticated = () if self.is_open else _AUTHENTICATED
        # An id with a slash in it matches no path at all, so every variable part can lead to a 404.
        missing = (Problem.NOT_FOUND,) if self.path_parts else ()
        return tuple(dict.fromkeys((*self.problems, *missing, *authenticated, *_ALWAYS)))

    def for_operators(self) -> "Route":
        """The same operation under /v1/admin, on any tenant's behalf."""
        return replace(
            self,
            path=self.path.replace("/v1", f"{OPERATORS_PATH}/tenants/<tenant_id>", 1),
            operation=f"{self.operation}OfTenant",
            summary=f"{self.summary} (operators, for any tenant)",
            problems=tuple(dict.fromkeys((*self.problems, Problem.NOT_FOUND))),
        )


class Routes(dict[Route, Handler]):
    """The routes of a resource, each with its handler."""

    def add(self, route: Route, *, for_operators: bool = False) -> Callable[[Handler], Handler]:
        """Register a handler; with `for_operators` also under the operators' path."""

        def register(handler: Handler) -> Handler:
            self[route] = handler
            if for_operators:
                self[route.for_operators()] = handler
            return handler

        return register


def not_modified(headers: dict[str, Any]) -> Response:
    """The answer to a client that has the representation already."""
    return Response(
        status_code=304, content_type=JSON, body="", headers={"Cache-Control": "no-store", **headers}
    )


def json_response(status: int, model: BaseModel, headers: dict[str, Any] | None = None) -> Response:
    """A JSON response that no cache keeps."""
    return _json(status, model.model_dump_json(by_alias=True), headers)


def document_response(status: int, document: Document, headers: dict[str, Any] | None = None) -> Response:
    """The same for a representation that is a document already."""
    return _json(status, orjson.dumps(document).decode(), headers)


def _json(status: int, body: str, headers: dict[str, Any] | None) -> Response:
    return Response(
        status_code=status,
        content_type=JSON,
        body=body,
        headers={"Cache-Control": "no-store", **(headers or {})},
    )
