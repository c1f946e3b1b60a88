"""/v1/executions: list, read, redrive and cancel executions."""

from functions.api.context import Context
from functions.api.http.filters import EXECUTION_FILTERS, execution_filter
from functions.api.http.idempotency import replay_header
from functions.api.http.positions import (
    history_parts,
    index_parts,
    read_history_position,
    read_index_position,
)
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import PAGE_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.executions.beside import read_beside, read_names
from functions.api.resources.executions.explain_models import ExplanationOut
from functions.api.resources.executions.explain_presenter import (
    explained_record,
    explained_row,
    explanation_out,
)
from functions.api.resources.executions.models import ExecutionDetailOut, ExecutionOut, ExecutionPageOut
from functions.api.resources.executions.presenter import (
    execution_detail_out,
    execution_out,
    page_out,
)
from shared.domain.executions.execution import Execution
from shared.domain.listings.filters import ExecutionFilter
from shared.names import Metric
from shared.observability import count

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/jobs/<job_id>/executions",
        operation="listExecutions",
        summary="List a job's executions, newest first",
        description=(
            "The whole history of a job, across all of its changes, by `scheduled_at`. The read is strongly "
            "consistent: every acknowledged execution is included. Runs whose records have expired are read from "
            "the archive."
        ),
        success=200,
        answer=ExecutionPageOut,
        query=(*PAGING, *EXECUTION_FILTERS),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND, Problem.INVALID_CURSOR),
    )
)
def list_executions(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    criteria, job_id = execution_filter(request.query), request.path_values["job_id"]
    query = {"list": "executions", "job": job_id, **_cursor_query(criteria)}
    position = context.cursors.unseal(request.tenant, query, cursor, read_history_position)
    page = context.cases.listings.list_executions.execute(
        request.tenant.id, job_id, limit=limit, criteria=criteria, position=position
    )
    next_cursor = context.cursors.seal(request.tenant, query, history_parts(page.next_position))
    beside = read_beside(context, request.tenant, page.executions)
    return json_response(200, page_out(page.executions, beside, next_cursor))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/executions",
        operation="listExecutionsByTime",
        summary="List all executions of the tenant by due time, newest first",
        description=(
            "By `due_at`. The index may lag by a moment, but the data of each listed execution is never "
            "stale. With `state=failed` only failed executions are read. The list goes on in the archive, where "
            "a page may be short, or empty, while `next_cursor` is there."
        ),
        success=200,
        answer=ExecutionPageOut,
        query=(*PAGING, *EXECUTION_FILTERS),
        problems=PAGE_PROBLEMS,
    )
)
def list_by_time(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    criteria = execution_filter(request.query)
    query = {"list": "executions", **_cursor_query(criteria)}
    before = context.cursors.unseal(request.tenant, query, cursor, read_index_position)
    page = context.cases.listings.list_by_time.execute(
        request.tenant, limit=limit, criteria=criteria, before=before
    )
    next_cursor = context.cursors.seal(request.tenant, query, index_parts(page.next_before))
    beside = read_beside(context, request.tenant, page.executions)
    return json_response(200, page_out(page.executions, beside, next_cursor))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/executions/<execution_id>",
        operation="getExecution",
        summary="Show an execution",
        description=(
            "With all of its attempts. The read is strongly consistent, except for `waiting_for`, which is a "
            "hint. An execution whose record has expired is read from the archive."
        ),
        success=200,
        answer=ExecutionDetailOut,
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND),
    )
)
def get_execution(context: Context, request: AuthenticatedRequest) -> Response:
    shown = context.cases.listings.find_shown.execute(request.tenant.id, request.path_values["execution_id"])
    beside = read_beside(context, request.tenant, [shown])
    hint = None
    if isinstance(shown, Execution):
        hint = context.cases.listings.explain_wait.execute(request.tenant, shown)
    return json_response(200, execution_detail_out(shown, beside, hint))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/executions/<execution_id>/explain",
        operation="explainExecution",
        summary="Explain why an execution was late, or has not started",
        description=(
            "The stages of its first and of its latest attempt, the longest of them, and a summary in words. "
            "Stages are stored with the outcome of an attempt; those of earlier releases are `unknown`. The "
            "archive keeps the stages of the first attempt."
        ),
        success=200,
        answer=ExplanationOut,
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND),
    )
)
def explain_execution(context: Context, request: AuthenticatedRequest) -> Response:
    asked_id = request.path_values["execution_id"]
    shown = context.cases.listings.find_shown.execute(request.tenant.id, asked_id)
    name = read_names(context, request.tenant, [shown]).name(shown)
    if not isinstance(shown, Execution):
        return json_response(200, explanation_out(asked_id, explained_row(shown), name, None))
    hint = context.cases.listings.explain_wait.execute(request.tenant, shown)
    explained = explained_record(shown, context.now_ms())
    return json_response(200, explanation_out(asked_id, explained, name, hint))


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/executions/<execution_id>/redrive",
        operation="redriveExecution",
        summary="Repeat the request of a failed execution, now",
        description=(
            "The redrive is an execution of its own with a full set of attempts; the failed execution stays "
            "failed. While the redrive is open, and after it succeeded, a repetition changes nothing: the "
            "answer has the same redrive and `Idempotency-Replayed: true`. After it failed or was cancelled, "
            "a repetition creates another. No `Idempotency-Key` is needed; one that is sent is ignored."
        ),
        success=201,
        answer=ExecutionOut,
        answer_headers=("Location",),
        problems=(Problem.RATE_LIMITED, Problem.NOT_FOUND, Problem.INVALID_STATE),
        may_replay=True,
    )
)
def redrive_execution(context: Context, request: AuthenticatedRequest) -> Response:
    execution_id = request.path_values["execution_id"]
    redrive = context.cases.dead_letters.redrive_execution.execute(request.tenant.id, execution_id)
    beside = read_names(context, request.tenant, [redrive.execution])
    execution = execution_out(redrive.execution, beside)
    count(Metric.REDRIVEN, 0 if redrive.replayed else 1)
    context.audit.record(request, "redriveExecution", execution_id, None, execution)
    headers = {"Location": f"/v1/executions/{execution.id}"}
    return json_response(201, execution, headers | replay_header(replayed=redrive.replayed))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/executions/<execution_id>",
        operation="cancelExecution",
        summary="Cancel a redrive",
        description=(
            "Every other execution is cancelled with its job. While an attempt runs the answer is 409; with "
            "`stop_retries=true` it is 202, and that attempt is the last. A repetition changes nothing."
        ),
        success=200,
        later="The running attempt is now the last; the redrive ends with it.",
        answer=ExecutionOut,
        query=("stop_retries",),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND, Problem.INVALID_STATE),
    )
)
def cancel_execution(context: Context, request: AuthenticatedRequest) -> Response:
    tenant_id, execution_id = request.tenant.id, request.path_values["execution_id"]
    stop_retries = request.flag("stop_retries")
    found = context.cases.core.find_execution.execute(tenant_id, execution_id)
    beside = read_names(context, request.tenant, [found])
    cancelled = context.cases.dead_letters.cancel_redrive.execute(
        tenant_id, execution_id, stop_retries=stop_retries
    )
    after = execution_out(cancelled, beside)
    context.audit.record(request, "cancelExecution", execution_id, execution_out(found, beside), after)
    return json_response(202 if after.state == "running" else 200, after)


def _cursor_query(criteria: ExecutionFilter) -> dict[str, str | int | None]:
    return {"state": criteria.state, "from": criteria.span.after.at, "to": criteria.span.before.at}
