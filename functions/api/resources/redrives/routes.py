"""/v1/dead-letters/redrive and /v1/redrives: start, follow and undo bulk redrives."""

from contextlib import suppress

from functions.api.context import Context
from functions.api.http.idempotency import replay_header
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, Route, Routes, json_response
from functions.api.resources.redrives.models import RedriveIn, RedriveOut, RedrivePlanOut
from functions.api.resources.redrives.presenter import plan_out, redrive_out
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.errors import PunctualError
from shared.names import Metric
from shared.observability import count

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/dead-letters/redrive",
        operation="redriveDeadLetters",
        summary="Redrive all dead letters of a range, at a limited rate",
        description=(
            "A 202 means that the bulk redrive is durable. It proceeds in the background, oldest first, and "
            "at most `rate` redrives are due in one second. Dead letters with a redrive that is open or has "
            "succeeded are skipped, so nothing is redriven twice. A tenant can have one open bulk redrive at "
            "a time. With `dry_run` nothing is created."
        ),
        success=202,
        answer=RedriveOut,
        answer_headers=("Location",),
        dry_run=RedrivePlanOut,
        body=RedriveIn,
        headers=("Idempotency-Key",),
        problems=(
            *BODY_PROBLEMS,
            *IDEMPOTENCY_PROBLEMS,
            Problem.RATE_LIMITED,
            Problem.INVALID_STATE,
        ),
    )
)
def redrive_dead_letters(context: Context, request: AuthenticatedRequest) -> Response:
    body = request.read(RedriveIn)
    key = request.idempotency_key()
    new = body.new_redrive()
    start_redrive = context.cases.dead_letters.start_redrive
    if body.dry_run:
        return json_response(
            200, plan_out(context, request.tenant, start_redrive.plan(request.tenant.id, new.criteria))
        )
    started = start_redrive.execute(request.tenant, new, key)
    task = started.task if started.replayed else _first_page(context, started.task)
    count(Metric.REDRIVEN, task.counts.redriven - started.task.counts.redriven)
    redrive = redrive_out(task)
    context.audit.record(request, "redriveDeadLetters", redrive.id, None, redrive)
    headers = {"Location": f"/v1/redrives/{redrive.id}"}
    return json_response(202, redrive, headers | replay_header(replayed=started.replayed))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/redrives/<redrive_id>",
        operation="getRedrive",
        summary="Show the progress of a bulk redrive",
        description="The read is strongly consistent. A bulk redrive is kept as long as executions are.",
        success=200,
        answer=RedriveOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_redrive(context: Context, request: AuthenticatedRequest) -> Response:
    return json_response(200, _find(context, request))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/redrives/<redrive_id>",
        operation="undoRedrive",
        summary="Undo a bulk redrive, except for redrives that have started",
        description=(
            "No more dead letters are redriven, and redrives that have not started are cancelled in the "
            "background until the state is `undone`; `already_started` counts the others. A repetition "
            "changes nothing."
        ),
        success=202,
        answer=RedriveOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    )
)
def undo_redrive(context: Context, request: AuthenticatedRequest) -> Response:
    redrive_id = request.path_values["redrive_id"]
    before = _find(context, request)
    task = context.cases.dead_letters.undo_redrive.execute(request.tenant.id, redrive_id)
    after = redrive_out(_first_page(context, task) if task.is_open else task)
    context.audit.record(request, "undoRedrive", redrive_id, before, after)
    return json_response(202, after)


def _find(context: Context, request: AuthenticatedRequest) -> RedriveOut:
    find = context.cases.dead_letters.start_redrive.find
    return redrive_out(find(request.tenant.id, request.path_values["redrive_id"]))


def _first_page(context: Context, task: RedriveTask) -> RedriveTask:
    """Process the first page now. The task is durable: after an error the redriver continues it."""
    with suppress(PunctualError):
        return context.cases.dead_letters.process_bulk_redrives.page(task) or task
    return task
