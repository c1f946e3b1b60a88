"""/v1/executions/{execution_id}/heartbeat, complete and fail: receivers report on long-running callbacks.

The attempt's callback token is their only credential. It is checked after the body.
"""

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, Route, Routes, json_response
from functions.api.resources.callbacks.models import (
    CompletionIn,
    FailureIn,
    HeartbeatOut,
    NothingIn,
    ReportOut,
)
from shared.domain.executions.callback_token import TOKEN_HEADER
from shared.domain.schedules.schedule import format_instant
from shared.names import Metric
from shared.observability import count
from shared.usecases.attempts.report_outcome import ReportResult
from shared.usecases.attempts.settlement import AttemptEnd

ROUTES = Routes()
_PROBLEMS = (*BODY_PROBLEMS, Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.RATE_LIMITED)
_METRICS = {
    AttemptEnd.SUCCEEDED: Metric.SUCCEEDED,
    AttemptEnd.RETRIED: Metric.RETRIED,
    AttemptEnd.FAILED: Metric.FAILED,
}


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/executions/<execution_id>/heartbeat",
        operation="heartbeatExecution",
        summary="Report that a long-running callback is still running",
        description="Extends the attempt's lease by `heartbeat_seconds`, at most to its deadline.",
        success=200,
        answer=HeartbeatOut,
        problems=_PROBLEMS,
        is_open=True,
        takes_token=True,
    )
)
def heartbeat(context: Context, request: AuthenticatedRequest) -> Response:
    request.read_optional(NothingIn)
    extended = context.cases.attempts.heartbeat_execution.execute(*_attempt(request))
    lease = HeartbeatOut(
        id=extended.execution_id,
        attempt=extended.attempt,
        lease_until=format_instant(extended.lease_until),
        deadline_at=format_instant(extended.deadline_at),
    )
    return json_response(200, lease)


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/executions/<execution_id>/complete",
        operation="completeExecution",
        summary="Report that a long-running callback has succeeded",
        description=(
            "The execution ends as `succeeded`. The same report may be repeated; a different one is answered "
            "with 409. A task of a workflow hands on its `result`, of which the first counts."
        ),
        success=200,
        answer=ReportOut,
        body=CompletionIn,
        body_is_optional=True,
        problems=_PROBLEMS,
        is_open=True,
        takes_token=True,
    )
)
def complete(context: Context, request: AuthenticatedRequest) -> Response:
    result = request.read_optional(CompletionIn).result_text(request.body)
    return _report_response(context.cases.attempts.report_outcome.complete(*_attempt(request), result=result))


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/executions/<execution_id>/fail",
        operation="failExecution",
        summary="Report that a long-running callback has failed",
        description=(
            "The job's `retry` decides whether it is tried again or ends as `failed`. The same report may be "
            "repeated; a different one is answered with 409."
        ),
        success=200,
        answer=ReportOut,
        body=FailureIn,
        body_is_optional=True,
        problems=_PROBLEMS,
        is_open=True,
        takes_token=True,
    )
)
def fail(context: Context, request: AuthenticatedRequest) -> Response:
    failure = request.read_optional(FailureIn)
    reported = context.cases.attempts.report_outcome.fail(
        *_attempt(request), text=failure.reason.encode(), retryable=failure.retryable
    )
    return _report_response(reported)


def _attempt(request: AuthenticatedRequest) -> tuple[str, str]:
    """The execution's id and the attempt's callback token."""
    return request.path_values["execution_id"], request.header(TOKEN_HEADER.lower()) or ""


def _report_response(reported: ReportResult) -> Response:
    # A repeated report changes nothing, and is not counted again.
    if reported.end is not None:
        count(_METRICS[reported.end])
    report = ReportOut(
        id=reported.execution_id,
        attempt=reported.attempt,
        outcome="succeeded" if reported.succeeded else "failed",
    )
    return json_response(200, report)
