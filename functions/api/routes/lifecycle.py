"""Jobs: updated, paused, resumed, triggered."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.executions import ExecutionOut
from functions.api.models.jobs import JobOut, JobPatch, PauseIn
from functions.api.operations.lifecycle import ChangedJob
from functions.api.problems import Problem
from functions.api.reading import header, if_match, path_part, require_json, tenant_of
from functions.api.route import (
    BODY_PROBLEMS,
    CREATION_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    JSON,
    QUOTA_PROBLEMS,
    Call,
    Route,
    answer,
)
from functions.api.service import Service

_MERGE_PATCH = "application/merge-patch+json"


def update_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Change a job that the client has seen."""
    require_json(app, _MERGE_PATCH)
    tenant, job_id = tenant_of(admitted), path_part(app, "job_id")
    is_conditional = header(app, "if-match") is not None
    changed = service.lifecycle.update(
        tenant, job_id, admitted.body, if_match(app), is_conditional=is_conditional
    )
    return _recorded(service, admitted, "updateJob", changed)


def pause_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Pause a recurring job."""
    if admitted.body:
        require_json(app)
    tenant, job_id = tenant_of(admitted), path_part(app, "job_id")
    changed = service.lifecycle.pause(tenant, job_id, admitted.body, if_match(app))
    return _recorded(service, admitted, "pauseJob", changed)


def resume_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Resume a paused job."""
    changed = service.lifecycle.resume(tenant_of(admitted), path_part(app, "job_id"), if_match(app))
    return _recorded(service, admitted, "resumeJob", changed)


def trigger_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Run a recurring job now."""
    tenant, job_id = tenant_of(admitted), path_part(app, "job_id")
    execution, replayed = service.lifecycle.trigger(tenant, job_id, header(app, "idempotency-key"))
    service.audit.record(admitted, "triggerJob", job_id, None, execution)
    headers = {"Location": f"/v1/executions/{execution.id}"}
    return answer(201, execution, headers | ({"Idempotency-Replayed": "true"} if replayed else {}))


def _recorded(service: Service, admitted: Admitted, operation: str, changed: ChangedJob) -> Response[str]:
    """The changed job, once its change is on record."""
    job = changed.after
    service.audit.record(admitted, operation, job.id, changed.before, job)
    return answer(200, job, {"ETag": f'"{job.revision}"'})


_CHANGES = (Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.PRECONDITION_FAILED)

ROUTES: dict[Route, Call] = {
    Route(
        method="PATCH",
        path="/v1/jobs/<job_id>",
        operation="updateJob",
        summary="Change a job, by a JSON merge patch",
        description=(
            "A JSON merge patch (RFC 7396) of the members that a new job has; null brings a default back, "
            "and what comes out is judged like a new job. A `schedule` that names another kind replaces the "
            "whole schedule. A job that runs once can be changed until its first attempt begins; of a "
            "recurring job whatever has not started runs as the new definition says."
        ),
        success=200,
        answer=JobOut,
        body=JobPatch,
        headers=("If-Match",),
        problems=(
            *BODY_PROBLEMS,
            *CREATION_PROBLEMS,
            *_CHANGES,
            *QUOTA_PROBLEMS,
            Problem.PRECONDITION_REQUIRED,
        ),
        answer_headers=("ETag",),
        required_headers=("If-Match",),
        media_types=(_MERGE_PATCH, JSON),
    ): update_job,
    Route(
        method="POST",
        path="/v1/jobs/<job_id>/pause",
        operation="pauseJob",
        summary="Pause a recurring job",
        description=(
            "When the answer is there, no run starts that had not started before; those that had go on, "
            "their retries too. What is passed over meanwhile is recorded as skipped. To repeat it changes "
            "nothing."
        ),
        success=200,
        answer=JobOut,
        body=PauseIn,
        headers=("If-Match",),
        problems=(*BODY_PROBLEMS, *_CHANGES),
        answer_headers=("ETag",),
        body_is_optional=True,
    ): pause_job,
    Route(
        method="POST",
        path="/v1/jobs/<job_id>/resume",
        operation="resumeJob",
        summary="Resume a paused job",
        description=(
            "Goes on with the first instant that is still to come; what was passed over is never caught up "
            "with. To repeat it changes nothing."
        ),
        success=200,
        answer=JobOut,
        headers=("If-Match",),
        problems=_CHANGES,
        answer_headers=("ETag",),
    ): resume_job,
    Route(
        method="POST",
        path="/v1/jobs/<job_id>/trigger",
        operation="triggerJob",
        summary="Run a recurring job once more, now",
        description=(
            "Beside its schedule, and even while it is paused. With an `Idempotency-Key` it makes one run "
            "however often it is sent."
        ),
        success=201,
        answer=ExecutionOut,
        headers=("Idempotency-Key",),
        problems=(Problem.RATE_LIMITED, Problem.NOT_FOUND, Problem.INVALID_STATE, *IDEMPOTENCY_PROBLEMS),
        answer_headers=("Location",),
    ): trigger_job,
}
