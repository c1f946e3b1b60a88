"""Many jobs in one request."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.batches import AcceptedOut, BatchIn, BatchOut, RefusedOut
from functions.api.models.jobs import JobOut
from functions.api.models.system import ProblemOut
from functions.api.operations.batches import Result, problem_at
from functions.api.problems import Problem, ProblemError, document
from functions.api.reading import header, require_json, tenant_of
from functions.api.route import BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, QUOTA_PROBLEMS, Call, Route, answer
from functions.api.service import Service
from shared.domain.errors import UnavailableError
from shared.names import Metric
from shared.observability import count


def create_jobs(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Accept many jobs, each by itself."""
    require_json(app)
    key = header(app, "idempotency-key")
    batch = service.batches.create(tenant_of(admitted), admitted.body, key)
    results = [
        _recorded(service, admitted, result, number, replayed=batch.replayed)
        for number, result in enumerate(batch.results)
    ]
    accepted = sum(isinstance(result, JobOut) for result in results)
    count(Metric.JOBS_CREATED, 0 if batch.replayed else accepted)
    shown = [_shown(result, admitted.request_id) for result in results]
    return answer(200, BatchOut(results=shown), {"Idempotency-Replayed": "true"} if batch.replayed else None)


def _recorded(service: Service, admitted: Admitted, result: Result, number: int, *, replayed: bool) -> Result:
    """A job is acknowledged when its creation is on record, as it is when it comes alone."""
    if isinstance(result, ProblemError):
        count(Metric.QUOTA_EXCEEDED, int(result.problem is Problem.QUOTA_EXCEEDED))
        return result
    try:
        service.audit.accepted(admitted, result, replayed=replayed)
    except UnavailableError as fault:
        return problem_at(number, fault)
    return result


def _shown(result: Result, request_id: str) -> AcceptedOut | RefusedOut:
    if isinstance(result, JobOut):
        return AcceptedOut(status=201, job=result)
    problem = ProblemOut.model_validate(document(result, request_id))
    return RefusedOut(status=problem.status, problem=problem)


ROUTES: dict[Route, Call] = {
    Route(
        method="POST",
        path="/v1/jobs/batch",
        operation="createJobs",
        summary="Create up to 100 jobs, each with a result of its own",
        description=(
            "Each job is accepted or refused by itself: **look at the `status` of each result**. A batch is "
            "refused as a whole where nothing of it can be read, or where `creates_per_second` does not "
            "allow so many at once. An `Idempotency-Key` stands for the whole batch: where any result was "
            "503, send the same batch again."
        ),
        success=200,
        answer=BatchOut,
        body=BatchIn,
        headers=("Idempotency-Key",),
        problems=(*BODY_PROBLEMS, *IDEMPOTENCY_PROBLEMS, *QUOTA_PROBLEMS),
    ): create_jobs,
}
