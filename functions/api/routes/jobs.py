"""Jobs: created, shown, cancelled."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.jobs import JobIn, JobOut
from functions.api.problems import Problem, ProblemError
from functions.api.reading import NO_REVISION, flag, header, if_match, path_part, require_json, tenant_of
from functions.api.route import (
    BODY_PROBLEMS,
    CREATION_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    QUOTA_PROBLEMS,
    Call,
    Route,
    answer,
)
from functions.api.service import Service
from shared.names import Metric
from shared.observability import count


def create_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Accept a job."""
    require_json(app)
    key = header(app, "idempotency-key")
    job, replayed = service.jobs.create(tenant_of(admitted), admitted.body, key)
    count(Metric.JOBS_CREATED, 0 if replayed else 1)
    service.audit.accepted(admitted, job, replayed=replayed)
    headers = {"Location": f"/v1/jobs/{job.id}", "ETag": f'"{job.revision}"'}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return answer(201, job, headers)


def get_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show a job."""
    job = service.jobs.get(tenant_of(admitted), path_part(app, "job_id"))
    return answer(200, job, {"ETag": f'"{job.revision}"'})


def cancel_job(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Cancel a one-off job or delete a recurring one."""
    tenant, job_id = tenant_of(admitted), path_part(app, "job_id")
    stop_retries, revision = flag(app, "stop_retries"), if_match(app)
    before = service.jobs.get(tenant, job_id)
    if revision == NO_REVISION:
        # A deletion may be repeated with the tag that it began with, but not with one that no job ever had.
        raise ProblemError(Problem.PRECONDITION_FAILED, f"the job is at revision {before.revision}")
    job = service.jobs.cancel(tenant, job_id, stop_retries=stop_retries, revision=revision)
    service.audit.record(admitted, "cancelJob", job_id, before, job)
    return answer(202 if job.state == "running" else 200, job, {"ETag": f'"{job.revision}"'})


ROUTES: dict[Route, Call] = {
    Route(
        method="POST",
        path="/v1/jobs",
        operation="createJob",
        summary="Create a job that runs once, on a cron line or at a fixed rate",
        description=(
            "Needs `schedule` and `request.url`; every other member has a default. The 201 comes when the "
            "job is durable: from then on it will run. With an `Idempotency-Key` the same request may be "
            "sent again for 7 days: it is answered with the job as it then stands and "
            "`Idempotency-Replayed: true`."
        ),
        success=201,
        answer=JobOut,
        body=JobIn,
        headers=("Idempotency-Key",),
        problems=(*BODY_PROBLEMS, *CREATION_PROBLEMS, *IDEMPOTENCY_PROBLEMS, *QUOTA_PROBLEMS),
        answer_headers=("Location", "ETag"),
    ): create_job,
    Route(
        method="GET",
        path="/v1/jobs/<job_id>",
        operation="getJob",
        summary="Show a job",
        description=(
            "The definition, where it stands, and when it is next due. Headers and body of the request are "
            "never shown again."
        ),
        success=200,
        answer=JobOut,
        problems=(Problem.NOT_FOUND,),
        answer_headers=("ETag",),
    ): get_job,
    Route(
        method="DELETE",
        path="/v1/jobs/<job_id>",
        operation="cancelJob",
        summary="Cancel a one-off job or delete a recurring one",
        description=(
            "A job that runs once can be cancelled until an attempt begins, and between attempts. While one "
            "runs the answer is 409; with `stop_retries=true` it is 202, and that attempt is the last. "
            "Deleting a recurring job cancels its next executions and retries. When the answer is there, "
            "nothing begins any more. To repeat it changes nothing; the job is still shown."
        ),
        success=200,
        answer=JobOut,
        query=("stop_retries",),
        headers=("If-Match",),
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.PRECONDITION_FAILED),
        answer_headers=("ETag",),
        later="A running attempt was made the last; the job ends when it ends.",
    ): cancel_job,
}
