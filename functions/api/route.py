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
PAGING = ("limit", "cursor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One operation."""

    method: str
    path: str
    operation: str
    summary: str
    success: int
    answer: type[BaseModel]
    body: type[BaseModel] | None = None
    query: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_open: bool = False
    takes_token: bool = False
    """Open to whoever holds the token of the attempt that it is about."""


def answer(status: int, model: BaseModel, headers: dict[str, Any] | None = None) -> Response[str]:
    """A JSON answer that no cache keeps."""
    return Response(
        status_code=status,
        content_type="application/json",
        body=model.model_dump_json(by_alias=True),
        headers={"Cache-Control": "no-store", **(headers or {})},
    )
