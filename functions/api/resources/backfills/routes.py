"""/v1/jobs/{job_id}/backfill: run a recurring job for a past range."""

from functions.api.context import Context
from functions.api.http.error_mapping import schedule_body_problem
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    QUOTA_PROBLEMS,
    SCHEDULE_PROBLEMS,
    Route,
    Routes,
    json_response,
)
from functions.api.resources.backfills.models import BackfillIn, BackfillPlanOut
from functions.api.resources.backfills.presenter import plan_out
from functions.api.resources.jobs.models import JobOut
from functions.api.resources.jobs.responses import created_job, present_job, with_last_run
from shared.domain.errors import InvalidStateError, ScheduleError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.new_backfill import NewBackfill

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/jobs/<job_id>/backfill",
        operation="backfillJob",
        summary="Run a recurring job for the instants of a past range",
        description=(
            "The backfill is a job of its own: it is read, paused, resumed and deleted by its own id, and "
            "ends with its range. It makes the request that the job had at the time of the backfill, once "
            "for each instant, whatever happens to the job meanwhile; deleting the job deletes the backfill "
            "too. With `dry_run` nothing is created."
        ),
        success=201,
        answer=JobOut,
        answer_headers=("Location", "ETag"),
        dry_run=BackfillPlanOut,
        body=BackfillIn,
        headers=("Idempotency-Key",),
        problems=(
            *BODY_PROBLEMS,
            *IDEMPOTENCY_PROBLEMS,
            *QUOTA_PROBLEMS,
            Problem.NOT_FOUND,
            Problem.INVALID_STATE,
            *SCHEDULE_PROBLEMS,
        ),
    )
)
def backfill_job(context: Context, request: AuthenticatedRequest) -> Response:
    body = request.read(BackfillIn)
    key, job_id = request.idempotency_key(), request.path_values["job_id"]
    try:
        new = body.new_backfill()
        if body.dry_run:
            plan = context.cases.jobs.plan_backfill.execute(request.tenant.id, job_id, new)
            return json_response(200, plan_out(job_id, plan))
        return _create(context, request, job_id, new, key)
    except ScheduleError as error:
        raise schedule_body_problem(error) from error


def _create(
    context: Context, request: AuthenticatedRequest, job_id: str, new: NewBackfill, key: str | None
) -> Response:
    if isinstance(context.cases.core.find_job.execute(request.tenant.id, job_id), Execution):
        raise InvalidStateError("a job that runs once cannot be backfilled")
    created = context.cases.jobs.backfill_job.execute(request.tenant, job_id, new, key)
    job = with_last_run(context, created.job, present_job(context, request.tenant, created.job))
    return created_job(context, request, created.job, job, replayed=created.replayed)
