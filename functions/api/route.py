"""One operation of the API: how it is described, and the form of its answers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from pydantic import BaseModel

from functions.api.gate import Admitted
from functions.api.problems import Problem
from functions.api.service import Service

Call = Callable[[Service, APIGatewayHttpResolver, Admitted], Response[str]]

BODY_PROBLEMS = (
    Problem.PAYLOAD_TOO_LARGE,
    Problem.UNSUPPORTED_MEDIA_TYPE,
    Problem.MALFORMED_REQUEST,
    Problem.VALIDATION_FAILED,
)
QUOTA_PROBLEMS = (Problem.RATE_LIMITED, Problem.QUOTA_EXCEEDED)
CREATION_PROBLEMS = (
    Problem.CALLBACK_URL_NOT_ALLOWED,
    Problem.SCHEDULE_NEVER_FIRES,
    Problem.SCHEDULE_IN_PAST,
    Problem.SCHEDULE_TOO_FAR,
)
IDEMPOTENCY_PROBLEMS = (Problem.IDEMPOTENCY_KEY_INVALID, Problem.IDEMPOTENCY_KEY_REUSED)
_ALWAYS = (
    Problem.MALFORMED_REQUEST,
    Problem.PAYLOAD_TOO_LARGE,
    Problem.SERVICE_UNAVAILABLE,
    Problem.INTERNAL_ERROR,
)
_GUARDED = (Problem.UNAUTHENTICATED, Problem.FORBIDDEN)
PAGING = ("limit", "cursor")
JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One operation."""

    method: str
    path: str
    operation: str
    summary: str
    description: str = ""
    """More about it, in Markdown."""
    success: int
    later: str = ""
    """When it is answered with 202 instead: taken, and not yet in effect."""
    answer: type[BaseModel]
    dry_run: type[BaseModel] | None = None
    """What is answered with 200 instead, where the body asks only for what would be done."""
    answer_headers: tuple[str, ...] = ()
    """Which of the document's headers the answer has, besides those that it may have."""
    body: type[BaseModel] | None = None
    body_is_optional: bool = False
    media_types: tuple[str, ...] = (JSON,)
    """Of the body."""
    query: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    required_headers: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_open: bool = False
    may_replay: bool = False
    """Whether the same request changes nothing when it is sent again, and says so, though it takes no key."""
    takes_token: bool = False
    """Open to whoever holds the token of the attempt that it is about."""

    @property
    def path_parts(self) -> tuple[str, ...]:
        """The names of the variable parts of the path."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("<"))

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem that it may be answered with, each once."""
        guarded = () if self.is_open else _GUARDED
        # What no id can look like leads to no path at all.
        sought = (Problem.NOT_FOUND,) if self.path_parts else ()
        return tuple(dict.fromkeys((*self.problems, *sought, *guarded, *_ALWAYS)))


def answer(status: int, model: BaseModel, headers: dict[str, Any] | None = None) -> Response[str]:
    """A JSON answer that no cache keeps."""
    return Response(
        status_code=status,
        content_type=JSON,
        body=model.model_dump_json(by_alias=True),
        headers={"Cache-Control": "no-store", **(headers or {})},
    )
