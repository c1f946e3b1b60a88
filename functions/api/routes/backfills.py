"""Backfills of recurring jobs."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.backfills import BackfillIn, BackfillPlanOut
from functions.api.models.jobs import JobOut
from functions.api.problems import Problem
from functions.api.reading import header, path_part, require_json, tenant_of
from functions.api.route import (
    BODY_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    QUOTA_PROBLEMS,
    Call,
    Route,
    answer,
)
from functions.api.service import Service
from shared.names import Metric
from shared.observability import count


def backfill_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Run a recurring job for a past range."""
    require_json(app)
    key = header(app, "idempotency-key")
    made = service.backfills.create(tenant_of(admitted), path_part(app, "job_id"), admitted.body, key)
    if isinstance(made, BackfillPlanOut):
        return answer(200, made)
    count(Metric.JOBS_CREATED, 0 if made.replayed else 1)
    service.audit.accepted(admitted, made.job, replayed=made.replayed)
    headers = {"Location": f"/v1/jobs/{made.job.id}", "ETag": f'"{made.job.revision}"'}
    return answer(201, made.job, headers | ({"Idempotency-Replayed": "true"} if made.replayed else {}))


ROUTES: dict[Route, Call] = {
    Route(
        method="POST",
        path="/v1/jobs/<job_id>/backfill",
        operation="backfillJob",
        summary="Run a recurring job for the instants of a past range",
        description=(
            "The backfill is a job of its own, which is shown, paused, resumed and deleted by its own id, and ends "
            "with its range. It calls what its job called at that moment, once for each instant, whatever the job "
            "itself is doing meanwhile; deleting the job deletes it too. With `dry_run` nothing is made."
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
            Problem.SCHEDULE_NEVER_FIRES,
            Problem.SCHEDULE_IN_PAST,
            Problem.SCHEDULE_TOO_FAR,
        ),
    ): backfill_job,
}
