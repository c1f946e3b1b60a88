"""/v1/jobs/bulk and /v1/bulk-tasks: start, follow, cancel and undo bulk operations on jobs."""

from contextlib import suppress
from typing import Any

from functions.api.context import Context
from functions.api.http.idempotency import replay_header
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    PAGE_PROBLEMS,
    PAGING,
    Route,
    Routes,
    json_response,
)
from functions.api.resources.bulk_tasks.models import BulkIn, BulkPlanOut, BulkTaskOut, BulkTaskPageOut
from functions.api.resources.bulk_tasks.presenter import opened_urls, plan_out, task_out
from shared.domain.bulk.job_task import JobTask, is_job_task_id
from shared.domain.errors import PunctualError
from shared.names import Metric
from shared.observability import count

ROUTES = Routes()
_LISTED = {"list": "bulk-tasks"}


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/jobs/bulk",
        operation="changeJobs",
        summary="Pause, resume, trigger, patch or delete all jobs that match a filter",
        description=(
            "A 202 means that the operation is durable. It proceeds in the background, job by job under the "
            "rules of the single requests, and covers jobs that were created before the request. A job that "
            "cannot take the action is counted under `refused`. With `dry_run` nothing is changed: the answer "
            "counts the jobs, shows examples, and has the `plan` that a request for more than 100 jobs must "
            "show within 10 minutes. The operations of a tenant run one after another."
        ),
        success=202,
        answer=BulkTaskOut,
        answer_headers=("Location",),
        dry_run=BulkPlanOut,
        body=BulkIn,
        headers=("Idempotency-Key",),
        problems=(
            *BODY_PROBLEMS,
            *IDEMPOTENCY_PROBLEMS,
            Problem.CALLBACK_URL_NOT_ALLOWED,
            Problem.RATE_LIMITED,
            Problem.INVALID_STATE,
        ),
    )
)
def change_jobs(context: Context, request: AuthenticatedRequest) -> Response:
    body = request.read(BulkIn)
    key = request.idempotency_key()
    new = body.new_task(context.cases.tenancy.check_quota.quotas_of(request.tenant).tags)
    start = context.cases.bulk.start_job_task
    if body.dry_run:
        plan = start.plan(request.tenant, new)
        return json_response(200, plan_out(new, plan, context.now_ms()))
    started = start.execute(request.tenant, new, body.plan, key)
    task = started.task if started.replayed else _first_page(context, started.task)
    operation = _task_out(context, request, task)
    context.audit.record(request, "changeJobs", operation.id, None, operation)
    headers = {"Location": f"/v1/bulk-tasks/{operation.id}"}
    return json_response(202, operation, headers | replay_header(replayed=started.replayed))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/bulk-tasks",
        operation="listBulkTasks",
        summary="List bulk operations, newest first",
        description="Operations that have ended are listed as long as executions are kept.",
        success=200,
        answer=BulkTaskPageOut,
        query=PAGING,
        problems=PAGE_PROBLEMS,
    )
)
def list_bulk_tasks(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    before = context.cursors.unseal(request.tenant, _LISTED, cursor, _read_position)
    tasks, more = context.cases.bulk.start_job_task.latest(request.tenant.id, before, limit)
    page = BulkTaskPageOut(
        operations=[_task_out(context, request, task) for task in tasks],
        next_cursor=context.cursors.seal(request.tenant, _LISTED, None if more is None else [more]),
    )
    return json_response(200, page)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/bulk-tasks/<bulk_task_id>",
        operation="getBulkTask",
        summary="Show the progress of a bulk operation",
        description="The read is strongly consistent. A bulk operation is kept as long as executions are.",
        success=200,
        answer=BulkTaskOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_bulk_task(context: Context, request: AuthenticatedRequest) -> Response:
    return json_response(200, _find(context, request))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/bulk-tasks/<bulk_task_id>",
        operation="cancelBulkTask",
        summary="Cancel a bulk operation that is still running",
        description=(
            "No further job is changed, except for a page that is being worked on. What was changed stays "
            "changed: jobs that a deletion has paused stay paused, and are never deleted. A repetition "
            "changes nothing."
        ),
        success=200,
        answer=BulkTaskOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    )
)
def cancel_bulk_task(context: Context, request: AuthenticatedRequest) -> Response:
    before = _find(context, request)
    task = context.cases.bulk.change_job_task.cancel(request.tenant.id, before.id)
    after = _task_out(context, request, task)
    context.audit.record(request, "cancelBulkTask", after.id, before, after)
    return json_response(200, after)


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/bulk-tasks/<bulk_task_id>/undo",
        operation="undoBulkTask",
        summary="Undo a bulk operation, where no later request has changed the jobs",
        description=(
            "Paused jobs are resumed, resumed jobs are paused again, patched jobs get their former members, and "
            "triggered runs that have not started are cancelled. A deletion can be undone until its grace has "
            "passed. `changed_since` counts jobs that others have changed since, and runs that had started. The "
            "undo proceeds in the background until the state is `undone`. A repetition changes nothing."
        ),
        success=202,
        answer=BulkTaskOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    )
)
def undo_bulk_task(context: Context, request: AuthenticatedRequest) -> Response:
    before = _find(context, request)
    task = context.cases.bulk.change_job_task.undo(request.tenant.id, before.id)
    after = _task_out(context, request, _first_page(context, task) if task.is_open else task)
    context.audit.record(request, "undoBulkTask", after.id, before, after)
    return json_response(202, after)


def _find(context: Context, request: AuthenticatedRequest) -> BulkTaskOut:
    find = context.cases.bulk.start_job_task.find
    return _task_out(context, request, find(request.tenant.id, request.path_values["bulk_task_id"]))


def _task_out(context: Context, request: AuthenticatedRequest, task: JobTask) -> BulkTaskOut:
    return task_out(task, context.now_ms(), opened_urls(context, request.tenant, task))


def _first_page(context: Context, task: JobTask) -> JobTask:
    """Process the first page now, unless another operation comes first. After an error the redriver continues."""
    after = task
    with suppress(PunctualError):
        after = context.cases.bulk.process_job_tasks.first_page(task) or task
    count(Metric.BULK_CHANGED, after.changed_since(task))
    return after


def _read_position(parts: list[Any]) -> str:
    match parts:
        case [str(task_id)] if is_job_task_id(task_id):
            return task_id
    raise ValueError("no position among bulk operations")
