"""The routes: what each path and method does, and how it is described."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from pydantic import BaseModel

from functions.api.gate import Admitted
from functions.api.models import ExecutionPageOut, HealthOut, JobIn, JobOut
from functions.api.problems import Problem, ProblemError
from functions.api.service import DEFAULT_LIMIT, MAX_LIMIT, Service
from shared.domain.tenant import Tenant
from shared.names import ACCEPTED_LOG_LINE, Metric
from shared.observability import count, logger

Call = Callable[[Service, APIGatewayHttpResolver, Admitted], Response[str]]


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


def answer(status: int, model: BaseModel, headers: dict[str, Any] | None = None) -> Response[str]:
    """A JSON answer that no cache keeps."""
    return Response(
        status_code=status,
        content_type="application/json",
        body=model.model_dump_json(by_alias=True),
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def health(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """The function runs; nothing behind it is asked."""
    return answer(200, HealthOut(status="ok"))


def create_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Accept a job."""
    _require_json(app)
    key = _header(app, "idempotency-key")
    job, replayed = service.create(_tenant(admitted), admitted.body, key)
    count(Metric.JOBS_CREATED, 0 if replayed else 1)
    logger.info(ACCEPTED_LOG_LINE, extra={"tenant": _tenant(admitted).id, "job": job.id})
    headers = {"Location": f"/v1/jobs/{job.id}", "ETag": f'"{job.revision}"'}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return answer(201, job, headers)


def get_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show a job."""
    job = service.get(_tenant(admitted), _path(app, "job_id"))
    return answer(200, job, {"ETag": f'"{job.revision}"'})


def cancel_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Cancel a one-off job or delete a recurring one."""
    job = service.cancel(_tenant(admitted), _path(app, "job_id"), stop_retries=_flag(app, "stop_retries"))
    return answer(202 if job.state == "running" else 200, job)


def list_executions(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show a job's history."""
    limit, cursor = _paging(app)
    return answer(200, service.executions(_tenant(admitted), _path(app, "job_id"), limit, cursor))


def list_dead_letters(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show what failed for good."""
    limit, cursor = _paging(app)
    return answer(200, service.dead_letters(_tenant(admitted), limit, cursor))


def _tenant(admitted: Admitted) -> Tenant:
    if admitted.principal is None:
        raise ProblemError(Problem.UNAUTHENTICATED, "an API key is required")
    return admitted.principal.tenant


def _header(app: APIGatewayHttpResolver, name: str) -> str | None:
    headers = {key.lower(): value for key, value in (app.current_event.headers or {}).items()}
    return headers.get(name)


def _path(app: APIGatewayHttpResolver, name: str) -> str:
    return str(app.context["arguments"][name])


def _require_json(app: APIGatewayHttpResolver) -> None:
    media, _, parameters = (_header(app, "content-type") or "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if media.strip().lower() != "application/json" or charset not in ("", "charset=utf-8"):
        raise ProblemError(Problem.UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json, in UTF-8")


def _flag(app: APIGatewayHttpResolver, name: str) -> bool:
    text = _query(app, (name,)).get(name, "false")
    if text not in ("true", "false"):
        raise ProblemError(Problem.MALFORMED_REQUEST, f"{name} is true or false")
    return text == "true"


def _paging(app: APIGatewayHttpResolver) -> tuple[int, str | None]:
    query = _query(app, ("limit", "cursor"))
    limit = query.get("limit", str(DEFAULT_LIMIT))
    if not (limit.isascii() and limit.isdigit() and len(limit) <= 3 and 1 <= int(limit) <= MAX_LIMIT):
        raise ProblemError(Problem.MALFORMED_REQUEST, f"limit is a whole number from 1 to {MAX_LIMIT}")
    return int(limit), query.get("cursor")


def _query(app: APIGatewayHttpResolver, known: tuple[str, ...]) -> dict[str, str]:
    """Unknown parameters are refused: a misspelt one would silently mean something else."""
    query = dict(app.current_event.query_string_parameters or {})
    unknown = sorted(set(query) - set(known))
    if unknown:
        raise ProblemError(Problem.MALFORMED_REQUEST, f"unknown query parameter {unknown[0][:64]!r}")
    return query


_BODY_PROBLEMS = (
    Problem.PAYLOAD_TOO_LARGE,
    Problem.UNSUPPORTED_MEDIA_TYPE,
    Problem.MALFORMED_REQUEST,
    Problem.VALIDATION_FAILED,
)
_PAGING = ("limit", "cursor")

ROUTES: dict[Route, Call] = {
    Route(
        method="POST",
        path="/v1/jobs",
        operation="createJob",
        summary="Create a job that runs once, on a cron line or at a fixed rate",
        success=201,
        answer=JobOut,
        body=JobIn,
        headers=("Idempotency-Key",),
        problems=_BODY_PROBLEMS,
    ): create_job,
    Route(
        method="GET",
        path="/v1/jobs/<job_id>",
        operation="getJob",
        summary="Show a job",
        success=200,
        answer=JobOut,
        problems=(Problem.NOT_FOUND,),
    ): get_job,
    Route(
        method="DELETE",
        path="/v1/jobs/<job_id>",
        operation="cancelJob",
        summary="Cancel a one-off job or delete a recurring one",
        success=200,
        answer=JobOut,
        query=("stop_retries",),
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    ): cancel_job,
    Route(
        method="GET",
        path="/v1/jobs/<job_id>/executions",
        operation="listExecutions",
        summary="Show a job's executions, newest first",
        success=200,
        answer=ExecutionPageOut,
        query=_PAGING,
        problems=(Problem.NOT_FOUND, Problem.INVALID_CURSOR),
    ): list_executions,
    Route(
        method="GET",
        path="/v1/dead-letters",
        operation="listDeadLetters",
        summary="Show the executions that failed for good, newest first",
        success=200,
        answer=ExecutionPageOut,
        query=_PAGING,
        problems=(Problem.INVALID_CURSOR,),
    ): list_dead_letters,
    Route(
        method="GET",
        path="/v1/health",
        operation="getHealth",
        summary="Whether the API answers",
        success=200,
        answer=HealthOut,
        is_open=True,
    ): health,
}
