"""What the routes that create or change jobs have in common: the audit record, and the response after it."""

from collections.abc import Sequence
from functools import partial
from typing import Self

from functions.api.context import Context
from functions.api.http.idempotency import replay_header
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import document_response, json_response
from functions.api.models import Document, document_of
from functions.api.resources.jobs.models import JobOut
from functions.api.resources.jobs.presenter import job_out
from functions.api.resources.jobs.recorded import recorded_document
from functions.api.resources.jobs.run_notes import last_run_out
from shared.dataclass import dataclass
from shared.domain.dispatch.sampling import sample_tags
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.tenancy.audit import digest
from shared.domain.tenancy.tenant import Tenant
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE
from shared.observability import logger

DIGEST_CHARACTERS = 32
"""Of the 64 of a digest: 128 bits tell documents apart."""


def present_job(context: Context, tenant: Tenant, job: Execution | Job) -> JobOut:
    """The job with its stored request."""
    return job_out(job, context.open_request(tenant, job), context.now_ms())


def with_last_run(context: Context, stored: Execution | Job, job: JobOut) -> JobOut:
    """One read for a recurring job that may have had a run, and none for any other."""
    run = context.cases.listings.last_run.execute(stored)
    return job.model_copy(update={"last_run": last_run_out(run)})


def recorded_job(context: Context, tenant: Tenant, job: JobOut) -> Document:
    """What an audit record has a digest of."""
    return recorded_document(job, partial(context.ports.vault.fingerprint, tenant))


def etag(job: JobOut) -> dict[str, str]:
    return {"ETag": f'"{job.revision}"'}


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What the log says about an accepted job."""

    job_id: str
    trace_id: str | None
    """None for a recurring job without a client's trace: each of its executions has its own."""
    after: str
    """The first half of the digest of its document."""

    @classmethod
    def of(cls, job: Execution | Job, document: Document) -> Self:
        trace = job.trace if isinstance(job, Execution) else job.call.trace
        return cls(document["id"], trace.id if trace else None, digest(document)[:DIGEST_CHARACTERS])


def created_job(
    context: Context, request: AuthenticatedRequest, stored: Execution | Job, job: JobOut, *, replayed: bool
) -> Response:
    """Record a creation, log it, and answer with the job."""
    document = record_creation(context, request, job, replayed=replayed)
    log_accepted(context, request, Acceptance.of(stored, document), replayed=replayed)
    headers = {"Location": f"/v1/jobs/{job.id}"} | etag(job) | replay_header(replayed=replayed)
    return document_response(201, document, headers)


def changed_job(
    context: Context,
    request: AuthenticatedRequest,
    operation: str,
    before: Execution | Job,
    after: Execution | Job,
) -> Response:
    """Record a change, and answer with the job after it."""
    old = present_job(context, request.tenant, before)
    job = present_job(context, request.tenant, after)
    record_change(context, request, operation, old, job)
    return json_response(200, job, etag(job))


def record_change(
    context: Context, request: AuthenticatedRequest, operation: str, before: JobOut, after: JobOut
) -> None:
    own = partial(recorded_job, context, request.tenant)
    context.audit.record(request, operation, after.id, own(before), own(after))


def record_creation(
    context: Context, request: AuthenticatedRequest, job: JobOut, *, replayed: bool
) -> Document:
    """Write an audit record unless it is a one-off job; the job's document.

    One-off jobs come by the hundred million, and the API's log is append-only too. The deployment's setting
    `audit_one_offs` adds audit records for them. A backfill is recorded as a change of its job.
    """
    if job.backfill is not None:
        _record_creation(context, request, "backfillJob", job.backfill.of, job, replayed=replayed)
    elif job.kind != "once" or context.settings.audit_one_offs:
        _record_creation(context, request, "createJob", job.id, job, replayed=replayed)
    return document_of(job)


def _record_creation(
    context: Context,
    request: AuthenticatedRequest,
    operation: str,
    target: str,
    job: JobOut,
    *,
    replayed: bool,
) -> None:
    recorded = recorded_job(context, request.tenant, job)
    context.audit.record(request, operation, target, recorded if replayed else None, recorded)


def log_accepted(
    context: Context, request: AuthenticatedRequest, accepted: Acceptance, *, replayed: bool
) -> None:
    """Log a job before it is acknowledged: the reconciler checks that each has its execution."""
    principal, parent = request.authenticated, context.traceparent(request)
    logger.info(
        ACCEPTED_LOG_LINE,
        extra={
            "tenant": principal.tenant.id,
            "key": principal.key.id,
            "request_id": request.request_id,
            "job": accepted.job_id,
            "trace": accepted.trace_id,
            "parent": parent.parent_id if parent else None,
            "sample": sample_tags(accepted.job_id) or None,
            "after": accepted.after,
            "replayed": replayed or None,
        },
    )


def log_accepted_batch(
    context: Context, request: AuthenticatedRequest, accepted: Sequence[Acceptance], *, replayed: bool
) -> None:
    """Log the jobs of a batch: one line for all jobs of a sample, since the reconciler reads whole lines."""
    principal, parent = request.authenticated, context.traceparent(request)
    samples: dict[str, list[Acceptance]] = {}
    for each in accepted:
        samples.setdefault(sample_tags(each.job_id), []).append(each)
    for tags, members in samples.items():
        logger.info(
            ACCEPTED_BATCH_LOG_LINE,
            extra={
                "tenant": principal.tenant.id,
                "key": principal.key.id,
                "request_id": request.request_id,
                "jobs": [(each.job_id, each.trace_id, each.after) for each in members],
                "size": len(members),
                "parent": parent.parent_id if parent else None,
                "sample": tags or None,
                "replayed": replayed or None,
            },
        )
