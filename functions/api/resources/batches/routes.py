"""/v1/jobs/batch: create many jobs in one request."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import orjson

from functions.api.context import Context
from functions.api.http.bodies import validate
from functions.api.http.error_mapping import problem_for
from functions.api.http.idempotency import replay_header
from functions.api.http.problems import FieldError, Problem, ProblemError
from functions.api.http.problems import document as problem_document
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    QUOTA_PROBLEMS,
    Route,
    Routes,
    document_response,
)
from functions.api.models import Document
from functions.api.resources.batches.models import BatchIn, BatchOut
from functions.api.resources.jobs.job_errors import with_all_errors
from functions.api.resources.jobs.models import JobIn, JobOut
from functions.api.resources.jobs.presenter import job_out
from functions.api.resources.jobs.responses import (
    Acceptance,
    log_accepted_batch,
    record_creation,
    with_last_run,
)
from shared.domain.delivery.depth import DEPTH_HEADER
from shared.domain.delivery.trace import TRACEPARENT, Trace
from shared.domain.errors import InvalidValueError, PunctualError, UnavailableError
from shared.domain.jobs.new_job import NewJob
from shared.names import Metric
from shared.observability import count, logger
from shared.usecases.jobs.create_job import CreatedJob

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/jobs/batch",
        operation="createJobs",
        summary="Create up to 100 jobs, each with a result of its own",
        description=(
            "Each job is accepted or refused by itself: **check the `status` of each result**. The whole "
            "batch is refused where its body cannot be read, and where it exceeds `creates_per_second`. An "
            "`Idempotency-Key` covers the whole batch: where any result was 503, send the same batch again."
        ),
        success=200,
        answer=BatchOut,
        body=BatchIn,
        headers=("Idempotency-Key", DEPTH_HEADER, TRACEPARENT),
        problems=(*BODY_PROBLEMS, *IDEMPOTENCY_PROBLEMS, *QUOTA_PROBLEMS),
    )
)
def create_jobs(context: Context, request: AuthenticatedRequest) -> Response:
    documents = request.read(BatchIn).jobs
    if len(documents) > 1:  # Admission took the creation token of the first job.
        context.cases.tenancy.check_quota.creates(request.tenant, len(documents) - 1)
    key = request.idempotency_key()
    make = partial(_new_job, context, request, depth=context.depth(request), trace=context.trace(request))
    entries = [make(document) for document in documents]
    outcomes = context.cases.jobs.create_jobs.execute(
        request.tenant,
        [entry if isinstance(entry, NewJob) else None for entry in entries],
        spelling=orjson.dumps(documents, option=orjson.OPT_SORT_KEYS),
        idempotency_key=key,
    )
    replayed = any(isinstance(outcome, CreatedJob) and outcome.replayed for outcome in outcomes)
    results = [
        entry if isinstance(entry, ProblemError) else _present(context, request, entry, outcome, document)
        for entry, outcome, document in zip(entries, outcomes, documents, strict=True)
    ]
    recorded = [_record(context, request, result, replayed=replayed) for result in results]
    log_accepted_batch(context, request, list(_accepted(recorded, outcomes)), replayed=replayed)
    outcome_documents = [
        _result(result, number, request.request_id) for number, result in enumerate(recorded)
    ]
    return document_response(200, {"results": outcome_documents}, replay_header(replayed=replayed))


def _new_job(
    context: Context, request: AuthenticatedRequest, document: Any, *, depth: int, trace: Trace | None
) -> NewJob | ProblemError:
    try:
        new = validate(document, JobIn).new_job(depth=depth, trace=trace)
        return context.with_calendar(request.tenant, new)
    except (ProblemError, InvalidValueError) as error:
        return with_all_errors(context, request.tenant, error, document)


def _present(
    context: Context,
    request: AuthenticatedRequest,
    new: NewJob,
    outcome: CreatedJob | PunctualError | None,
    document: Any,
) -> JobOut | ProblemError:
    try:
        if isinstance(outcome, CreatedJob):
            # The job of a replay may have been changed since it was created.
            stored = context.open_request(request.tenant, outcome.job) if outcome.replayed else new.request
            return with_last_run(context, outcome.job, job_out(outcome.job, stored, context.now_ms()))
        raise outcome or ValueError("a job without an outcome")
    except InvalidValueError as error:
        return with_all_errors(context, request.tenant, error, document)
    except PunctualError as error:
        return _problem(error)


def _record(
    context: Context,
    request: AuthenticatedRequest,
    result: JobOut | ProblemError,
    *,
    replayed: bool,
) -> Document | ProblemError:
    """Each job is acknowledged only after its creation was recorded, as with a single creation."""
    if isinstance(result, ProblemError):
        count(Metric.QUOTA_EXCEEDED, int(result.problem is Problem.QUOTA_EXCEEDED))
        return result
    try:
        return record_creation(context, request, result, replayed=replayed)
    except UnavailableError as error:
        return _problem(error)


def _accepted(
    recorded: Sequence[Document | ProblemError], outcomes: Sequence[CreatedJob | PunctualError | None]
) -> Iterator[Acceptance]:
    for result, outcome in zip(recorded, outcomes, strict=True):
        if isinstance(outcome, CreatedJob) and not isinstance(result, ProblemError):
            yield Acceptance.of(outcome.job, result)


def _problem(error: Exception) -> ProblemError:
    """The problem of one job. An internal error is logged."""
    problem = problem_for(error)
    if problem is None:
        logger.error("unexpected error in a batch", exc_info=error)
        return ProblemError(Problem.INTERNAL_ERROR, "the request id finds it in the operator's logs")
    return problem


def _result(result: Document | ProblemError, number: int, request_id: str) -> Document:
    """The result of a job; pointers start at the body of the whole batch."""
    if not isinstance(result, ProblemError):
        return {"status": 201, "job": result}
    errors = [FieldError(f"/jobs/{number}{each.pointer}", each.detail) for each in result.errors]
    within = ProblemError(result.problem, result.detail, errors=errors, quota=result.quota)
    problem = problem_document(within, request_id)
    return {"status": problem["status"], "problem": problem}
