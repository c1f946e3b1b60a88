"""Long-running callbacks: receivers report on what they began. The token of the attempt is their only credential."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.callbacks import FailureIn, HeartbeatOut, ReportOut
from functions.api.problems import Problem
from functions.api.reading import header, path_part, require_json
from functions.api.route import BODY_PROBLEMS, Call, Route, answer
from functions.api.service import Service
from shared.domain.executions.callback_token import TOKEN_HEADER


def heartbeat(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """The receiver is still at work."""
    execution_id, token = _reporter(app, admitted)
    return answer(200, service.callbacks.heartbeat(execution_id, token, admitted.body))


def complete(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """The work is done."""
    execution_id, token = _reporter(app, admitted)
    return answer(200, service.callbacks.complete(execution_id, token, admitted.body))


def fail(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """The work has failed."""
    execution_id, token = _reporter(app, admitted)
    return answer(200, service.callbacks.fail(execution_id, token, admitted.body))


def _reporter(app: APIGatewayHttpResolver, admitted: Admitted) -> tuple[str, str]:
    if admitted.body:
        require_json(app)
    return path_part(app, "execution_id"), header(app, TOKEN_HEADER.lower()) or ""


_PROBLEMS = (*BODY_PROBLEMS, Problem.NOT_FOUND, Problem.INVALID_STATE)

ROUTES: dict[Route, Call] = {
    Route(
        method="POST",
        path="/v1/executions/<execution_id>/heartbeat",
        operation="heartbeatExecution",
        summary="Say that a long-running callback is still at work",
        description="The attempt goes on for `heartbeat_seconds` more, and never beyond its deadline.",
        success=200,
        answer=HeartbeatOut,
        problems=_PROBLEMS,
        is_open=True,
        takes_token=True,
    ): heartbeat,
    Route(
        method="POST",
        path="/v1/executions/<execution_id>/complete",
        operation="completeExecution",
        summary="Report that a long-running callback has succeeded",
        description=(
            "The execution ends as `succeeded`. The same report may be repeated; another one after it is 409."
        ),
        success=200,
        answer=ReportOut,
        problems=_PROBLEMS,
        is_open=True,
        takes_token=True,
    ): complete,
    Route(
        method="POST",
        path="/v1/executions/<execution_id>/fail",
        operation="failExecution",
        summary="Report that a long-running callback has failed",
        description=(
            "It is tried again as the job's `retry` says, or ends as `failed`. The same report may be "
            "repeated; another one after it is 409."
        ),
        success=200,
        answer=ReportOut,
        body=FailureIn,
        problems=_PROBLEMS,
        is_open=True,
        takes_token=True,
        body_is_optional=True,
    ): fail,
}
