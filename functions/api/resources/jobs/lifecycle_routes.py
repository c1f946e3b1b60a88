"""/v1/jobs/{job_id}/pause, resume and trigger: actions on a recurring job."""

from functions.api.context import Context
from functions.api.http.idempotency import replay_header
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    Route,
    Routes,
    json_response,
)
from functions.api.resources.executions.beside import read_names
from functions.api.resources.executions.models import ExecutionOut
from functions.api.resources.executions.presenter import execution_out
from functions.api.resources.jobs.models import JobOut
from functions.api.resources.jobs.pause_models import PauseIn
from functions.api.resources.jobs.responses import changed_job
from shared.domain.errors import InvalidStateError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job

ROUTES = Routes()
_CHANGE_PROBLEMS = (Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.PRECONDITION_FAILED)


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/jobs/<job_id>/pause",
        operation="pauseJob",
        summary="Pause a recurring job",
        description=(
            "After the answer no run starts. Runs that had started before continue, including their retries. "
            "Skipped instants are recorded. A repetition changes nothing."
        ),
        success=200,
        answer=JobOut,
        answer_headers=("ETag",),
        body=PauseIn,
        body_is_optional=True,
        headers=("If-Match",),
        problems=(*BODY_PROBLEMS, *_CHANGE_PROBLEMS),
    )
)
def pause_job(context: Context, request: AuthenticatedRequest) -> Response:
    reason = request.read_optional(PauseIn).reason
    job = _find_recurring(context, request, "paused; cancel it, or give it another time")
    paused = context.cases.core.lifecycle.pause.execute(
        request.tenant.id, job.id, reason=reason, revision=request.expected_revision(job.revision)
    )
    return changed_job(context, request, "pauseJob", job, paused)


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/jobs/<job_id>/resume",
        operation="resumeJob",
        summary="Resume a paused job",
        description=(
            "Continues with the next instant in the future; instants skipped during the pause never run. A "
            "repetition changes nothing."
        ),
        success=200,
        answer=JobOut,
        answer_headers=("ETag",),
        headers=("If-Match",),
        problems=_CHANGE_PROBLEMS,
    )
)
def resume_job(context: Context, request: AuthenticatedRequest) -> Response:
    job = _find_recurring(context, request, "resumed")
    resumed = context.cases.core.lifecycle.resume.execute(
        request.tenant.id, job.id, revision=request.expected_revision(job.revision)
    )
    return changed_job(context, request, "resumeJob", job, resumed)


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/jobs/<job_id>/trigger",
        operation="triggerJob",
        summary="Run a recurring job once more, now",
        description=(
            "Independent of its schedule, and even while the job is paused. With an `Idempotency-Key` a "
            "repetition starts no second run."
        ),
        success=201,
        answer=ExecutionOut,
        answer_headers=("Location",),
        headers=("Idempotency-Key", "If-Match"),
        problems=(Problem.RATE_LIMITED, *_CHANGE_PROBLEMS, *IDEMPOTENCY_PROBLEMS),
    )
)
def trigger_job(context: Context, request: AuthenticatedRequest) -> Response:
    key = request.idempotency_key()
    job = _find_recurring(context, request, "triggered; give it the present time")
    triggered = context.cases.jobs.trigger_job.execute(
        request.tenant, job.id, key, revision=request.expected_revision(job.revision)
    )
    beside = read_names(context, request.tenant, [triggered.execution])
    execution = execution_out(triggered.execution, beside)
    context.audit.record(request, "triggerJob", job.id, None, execution)
    headers = {"Location": f"/v1/executions/{execution.id}"}
    return json_response(201, execution, headers | replay_header(replayed=triggered.replayed))


def _find_recurring(context: Context, request: AuthenticatedRequest, refusal: str) -> Job:
    """The job that the path names; InvalidStateError for a one-off job."""
    job = context.cases.core.find_job.execute(request.tenant.id, request.path_values["job_id"])
    if isinstance(job, Execution):
        raise InvalidStateError(f"a job that runs once cannot be {refusal}")
    return job
