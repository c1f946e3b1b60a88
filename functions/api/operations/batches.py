"""Many jobs in one request."""

from dataclasses import dataclass

import orjson

from functions.api.bodies import read_body, read_job
from functions.api.faults import problem_for
from functions.api.idempotency import check_key
from functions.api.job_views import job_out
from functions.api.models.batches import BatchIn
from functions.api.models.jobs import JobOut
from functions.api.problems import FieldError, Problem, ProblemError
from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import PunctualError
from shared.domain.jobs.new_job import NewJob
from shared.domain.tenancy.tenant import Tenant
from shared.observability import logger
from shared.ports.runtime import Clock
from shared.usecases.jobs.create_job import CreatedJob
from shared.usecases.jobs.create_jobs import CreateJobs
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.tenancy.check_quota import CheckQuota

Result = JobOut | ProblemError


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedBatch:
    """A result for each job, in order. `replayed`: the batch was sent before under the same key."""

    results: list[Result]
    replayed: bool


@dataclass(frozen=True, slots=True)
class BatchOperations:
    """Creation of many jobs."""

    create_jobs: CreateJobs
    check_quota: CheckQuota
    open_request: OpenRequest
    clock: Clock

    def create(self, tenant: Tenant, body: bytes, idempotency_key: str | None) -> CreatedBatch:
        """Create what can be created; ProblemError or a domain error where that is nothing at all."""
        documents = read_body(body, BatchIn).jobs
        if len(documents) > 1:  # One was counted before the body was read.
            self.check_quota.creates(tenant, len(documents) - 1)
        check_key(idempotency_key)
        asked = [_new_job(document, number) for number, document in enumerate(documents)]
        outcomes = self.create_jobs.execute(
            tenant,
            [each if isinstance(each, NewJob) else None for each in asked],
            spelling=orjson.dumps(documents, option=orjson.OPT_SORT_KEYS),
            idempotency_key=idempotency_key,
        )
        results = [
            each if isinstance(each, ProblemError) else self._result(tenant, each, outcome, number)
            for number, (each, outcome) in enumerate(zip(asked, outcomes, strict=True))
        ]
        replayed = any(isinstance(outcome, CreatedJob) and outcome.replayed for outcome in outcomes)
        return CreatedBatch(results=results, replayed=replayed)

    def _result(
        self, tenant: Tenant, asked: NewJob, outcome: CreatedJob | PunctualError | None, number: int
    ) -> Result:
        try:
            if isinstance(outcome, CreatedJob):
                request = (
                    self.open_request.execute(tenant, outcome.job) if outcome.replayed else asked.request
                )
                return job_out(outcome.job, request, self.clock.now_ms())
            raise outcome or ValueError("a job without an outcome")
        except PunctualError as fault:
            return problem_at(number, fault)


def batch_operations(cases: UseCases) -> BatchOperations:
    """The operations of a deployment."""
    return BatchOperations(
        create_jobs=cases.jobs.create_jobs,
        check_quota=cases.tenancy.check_quota,
        open_request=cases.core.open_request,
        clock=cases.core.ports.clock,
    )


def problem_at(number: int, fault: Exception) -> ProblemError:
    """The problem of one job of a batch; one that is ours is logged."""
    problem = problem_for(fault)
    if problem is None:
        logger.exception("unexpected error in a batch", exc_info=fault)
        return ProblemError(Problem.INTERNAL_ERROR, "the request id finds it in the operator's logs")
    errors = [FieldError(f"/jobs/{number}{each.pointer}", each.detail) for each in problem.errors]
    return ProblemError(problem.problem, problem.detail, errors=errors, quota=problem.quota)


def _new_job(document: object, number: int) -> NewJob | ProblemError:
    try:
        return read_job(document).new_job()
    except (ProblemError, PunctualError) as fault:
        return problem_at(number, fault)
