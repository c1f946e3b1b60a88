"""Jobs: created, shown, cancelled."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.jobs import JobIn, JobOut
from functions.api.problems import Problem
from functions.api.reading import flag, header, if_match, path_part, require_json, tenant_of
from functions.api.route import BODY_PROBLEMS, QUOTA_PROBLEMS, Call, Route, answer
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
    stop_retries = flag(app, "stop_retries")
    before = service.jobs.get(tenant, job_id)
    job = service.jobs.cancel(tenant, job_id, stop_retries=stop_retries, revision=if_match(app))
    service.audit.record(admitted, "cancelJob", job_id, before, job)
    return answer(202 if job.state == "running" else 200, job)


ROUTES: dict[Route, Call] = {
    Route(
        method="POST",
        path="/v1/jobs",
        operation="createJob",
        summary="Create a job that runs once, on a cron line or at a fixed rate",
        success=201,
        answer=JobOut,
        body=JobIn,
        headers=("Idempotency-Key",),
        problems=(*BODY_PROBLEMS, *QUOTA_PROBLEMS),
    ): create_job,
    Route(
        method="GET",
        path="/v1/jobs/<job_id>",
        operation="getJob",
        summary="Show a job",
        success=200,
        answer=JobOut,
        problems=(Problem.NOT_FOUND,),
    ): get_job,
    Route(
        method="DELETE",
        path="/v1/jobs/<job_id>",
        operation="cancelJob",
        summary="Cancel a one-off job or delete a recurring one",
        success=200,
        answer=JobOut,
        query=("stop_retries",),
        headers=("If-Match",),
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.PRECONDITION_FAILED),
    ): cancel_job,
}
