"""/v1/workflows/{workflow_id}/runs and /v1/runs: start, list, read, cancel and redrive runs of workflows."""

from functions.api.context import Context
from functions.api.http.idempotency import replay_header
from functions.api.http.positions import read_run_position, run_parts
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    PAGE_PROBLEMS,
    PAGING,
    QUOTA_PROBLEMS,
    Route,
    Routes,
    json_response,
)
from functions.api.resources.workflows.presenter import run_detail_out, run_out
from functions.api.resources.workflows.run_models import RunDetailOut, RunIn, RunOut, RunPageOut, RunRedriveIn

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/workflows/<workflow_id>/runs",
        operation="startRun",
        summary="Start a run of a workflow",
        description=(
            "A 201 means that the run is durable and goes on to its end. It follows the present revision of the "
            "workflow. Each task counts in the quota `due_per_minute`, and a map counts 100. With an "
            "`Idempotency-Key`, a repetition with the same input starts no second run."
        ),
        success=201,
        body=RunIn,
        body_is_optional=True,
        answer=RunOut,
        answer_headers=("Location",),
        headers=("Idempotency-Key",),
        problems=(*BODY_PROBLEMS, Problem.NOT_FOUND, *IDEMPOTENCY_PROBLEMS, *QUOTA_PROBLEMS),
    )
)
def start_run(context: Context, request: AuthenticatedRequest) -> Response:
    text = request.read_optional(RunIn).text
    key, workflow_id = request.idempotency_key(), request.path_values["workflow_id"]

    def admit(executions: int) -> None:
        quota = context.cases.tenancy.check_quota
        quota.payload(request.tenant, len(text))
        quota.runs(request.tenant, [context.now_ms()] * executions)

    started = context.cases.workflows.start_run.execute(
        request.tenant, workflow_id, key, text=text, admit=admit
    )
    run = run_out(started.run)
    context.audit.record(request, "startRun", workflow_id, None, run)
    headers = {"Location": f"/v1/runs/{run.id}"} | replay_header(replayed=started.replayed)
    return json_response(201, run, headers)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/workflows/<workflow_id>/runs",
        operation="listRuns",
        summary="List the runs of a workflow, latest first",
        description=(
            "The index may lag by a moment, but the data of each listed run is never stale. The runs of a deleted "
            "workflow are listed until its record expires."
        ),
        success=200,
        answer=RunPageOut,
        query=PAGING,
        problems=(*PAGE_PROBLEMS, Problem.NOT_FOUND),
    )
)
def list_runs(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    workflow_id = request.path_values["workflow_id"]
    query = {"list": "runs", "workflow": workflow_id}
    before = context.cursors.unseal(request.tenant, query, cursor, read_run_position)
    page = context.cases.workflows.read_runs.page(request.tenant.id, workflow_id, before=before, limit=limit)
    runs = RunPageOut(
        runs=[run_out(run) for run in page.runs],
        next_cursor=context.cursors.seal(request.tenant, query, run_parts(page.next_before)),
    )
    return json_response(200, runs)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/runs/<run_id>",
        operation="getRun",
        summary="Show a run with its tasks and its graph",
        description=(
            "Each task with its state, its execution and its attempts; the graph as nodes and edges. The read is "
            "strongly consistent."
        ),
        success=200,
        answer=RunDetailOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_run(context: Context, request: AuthenticatedRequest) -> Response:
    described = context.cases.workflows.read_runs.describe(request.tenant.id, request.path_values["run_id"])
    return json_response(200, run_detail_out(described))


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/runs/<run_id>/cancel",
        operation="cancelRun",
        summary="Cancel a run",
        description=(
            "After the answer no attempt of its tasks starts. With a 202, attempts are running: each is the last of "
            "its task, and the run ends with them. A repetition changes nothing."
        ),
        success=200,
        later="Attempts that are running are now the last; the run ends with them.",
        answer=RunOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    )
)
def cancel_run(context: Context, request: AuthenticatedRequest) -> Response:
    run_id = request.path_values["run_id"]
    before, _ = context.cases.workflows.find.run(request.tenant.id, run_id)
    cancelled, _ = context.cases.workflows.cancel_run.execute(request.tenant.id, run_id)
    run = run_out(cancelled)
    context.audit.record(request, "cancelRun", run_id, run_out(before), run)
    return json_response(200 if cancelled.state.is_terminal else 202, run)


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/runs/<run_id>/redrive",
        operation="redriveRun",
        summary="Run again what has not succeeded in a run",
        description=(
            "The same run goes on in its next epoch: tasks that failed, were skipped or were cancelled run anew as "
            "the graph wants, and tasks that succeeded keep their success. A run that has not ended, or that has "
            "succeeded, is refused. A repetition with the same `epoch` redrives once. Each task that may run anew "
            "counts in the quota `due_per_minute`, and each item of a map that has not succeeded."
        ),
        success=200,
        answer=RunOut,
        body=RunRedriveIn,
        problems=(*BODY_PROBLEMS, Problem.NOT_FOUND, Problem.INVALID_STATE, *QUOTA_PROBLEMS),
    )
)
def redrive_run(context: Context, request: AuthenticatedRequest) -> Response:
    body, run_id = request.read(RunRedriveIn), request.path_values["run_id"]
    before, _ = context.cases.workflows.find.run(request.tenant.id, run_id)

    def admit(executions: int) -> None:
        context.cases.tenancy.check_quota.runs(request.tenant, [context.now_ms()] * executions)

    redriven, _ = context.cases.workflows.redrive_run.execute(
        request.tenant.id, run_id, epoch=body.epoch, admit=admit
    )
    run = run_out(redriven)
    context.audit.record(request, "redriveRun", run_id, run_out(before), run)
    return json_response(200, run)
