"""What the routes that create or change jobs have in common: the audit record, and the response after it."""

from functions.api.context import Context
from functions.api.http.idempotency import replay_header
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import document_response, json_response
from functions.api.models import Document, document_of
from functions.api.resources.jobs.models import JobOut
from functions.api.resources.jobs.presenter import job_out
from shared.domain.dispatch.sampling import sample_tags
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.tenancy.audit import digest
from shared.domain.tenancy.tenant import Tenant
from shared.names import ACCEPTED_LOG_LINE
from shared.observability import logger


def present_job(context: Context, tenant: Tenant, job: Execution | Job) -> JobOut:
    """The job with its stored request."""
    return job_out(job, context.open_request(tenant, job), context.now_ms())


def etag(job: JobOut) -> dict[str, str]:
    return {"ETag": f'"{job.revision}"'}


def created_job(context: Context, request: AuthenticatedRequest, job: JobOut, *, replayed: bool) -> Response:
    """Record a creation, and answer with the job."""
    document = record_creation(context, request, job, replayed=replayed)
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
    context.audit.record(request, operation, job.id, old, job)
    return json_response(200, job, etag(job))


def record_creation(
    context: Context, request: AuthenticatedRequest, job: JobOut, *, replayed: bool
) -> Document:
    """Write a line of the API's log always, and an audit record unless it is a one-off job; the job's document.

    One-off jobs come by the hundred million, and the API's log is append-only too. The deployment's setting
    `audit_one_offs` adds audit records for them. A backfill is recorded as a change of its job.
    """
    before = job if replayed else None
    if job.backfill is not None:
        context.audit.record(request, "backfillJob", job.backfill.of, before, job)
    elif job.kind != "once" or context.settings.audit_one_offs:
        context.audit.record(request, "createJob", job.id, before, job)
    principal, document = request.authenticated, document_of(job)
    # The reconciler reads these lines and checks that every accepted job has its execution.
    logger.info(
        ACCEPTED_LOG_LINE,
        extra={
            "tenant": principal.tenant.id,
            "job": job.id,
            "key": principal.key.id,
            "request_id": request.request_id,
            "sample": sample_tags(job.id),
            "after": digest(document),
        },
    )
    return document
