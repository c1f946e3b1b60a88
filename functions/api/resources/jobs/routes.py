"""/v1/jobs: create, list, read, change and delete jobs."""

from typing import Any

from functions.api.context import Context
from functions.api.http.bodies import validate
from functions.api.http.conditions import UNKNOWN_REVISION
from functions.api.http.filters import JOB_FILTERS, include_last_run, job_filter
from functions.api.http.positions import job_parts, read_job_position
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    CREATION_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    JSON,
    MERGE_PATCH,
    PAGE_PROBLEMS,
    PAGING,
    QUOTA_PROBLEMS,
    Route,
    Routes,
    json_response,
    not_modified,
)
from functions.api.resources.jobs.change_quota import check_change_quota
from functions.api.resources.jobs.job_errors import with_all_errors
from functions.api.resources.jobs.merge_patch import check_backfill_patch, patched
from functions.api.resources.jobs.models import JobIn, JobOut
from functions.api.resources.jobs.page_models import JobPageOut
from functions.api.resources.jobs.patch_models import JobPatch
from functions.api.resources.jobs.presenter import job_document, job_out, job_summary
from functions.api.resources.jobs.responses import (
    changed_job,
    created_job,
    etag,
    present_job,
    record_change,
    with_last_run,
)
from shared.domain.delivery.depth import DEPTH_HEADER
from shared.domain.delivery.trace import TRACEPARENT
from shared.domain.errors import InvalidValueError, PreconditionFailedError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Backfill
from shared.usecases.chains.change_job import TRIES, check_revision

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/jobs",
        operation="createJob",
        summary="Create a job that runs once, on a cron line or at a fixed rate",
        description=(
            "Needs `schedule`, and `request.url` or `target`; other members have defaults. A 201 means that the job "
            "is durable and will run. With an `Idempotency-Key` the same request may be sent again for 7 "
            "days. A repetition returns the job in its present state, with `Idempotency-Replayed: true`."
        ),
        success=201,
        answer=JobOut,
        answer_headers=("Location", "ETag"),
        body=JobIn,
        headers=("Idempotency-Key", DEPTH_HEADER, TRACEPARENT),
        problems=(*BODY_PROBLEMS, *CREATION_PROBLEMS, *IDEMPOTENCY_PROBLEMS, *QUOTA_PROBLEMS),
    )
)
def create_job(context: Context, request: AuthenticatedRequest) -> Response:
    document, depth, trace = request.read_json(), context.depth(request), context.trace(request)
    try:
        new = validate(document, JobIn).new_job(depth=depth, trace=trace)
        new = context.with_calendar(request.tenant, new)
        key = request.idempotency_key()
        created = context.cases.jobs.create_job.execute(request.tenant, new, key)
    except (ProblemError, InvalidValueError) as error:
        raise with_all_errors(context, request.tenant, error, document) from error
    # The job of a replay may have been changed since it was created.
    stored = context.open_request(request.tenant, created.job) if created.replayed else new.request
    job = with_last_run(context, created.job, job_out(created.job, stored, context.now_ms()))
    return created_job(context, request, created.job, job, replayed=created.replayed)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/jobs",
        operation="listJobs",
        summary="List the tenant's jobs: recurring jobs by id, then one-off jobs by due time",
        description=(
            "A one-off job keeps its position when its time is changed. `GET /v1/jobs/{job_id}` shows the "
            "members that are left out here. `include=last_run` shows the last runs of recurring jobs as well, "
            "for two reads of each."
        ),
        success=200,
        answer=JobPageOut,
        query=(*PAGING, *JOB_FILTERS, "include"),
        problems=PAGE_PROBLEMS,
    )
)
def list_jobs(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    criteria, includes_last_run = job_filter(request.query), include_last_run(request.query)
    query = {
        "list": "jobs",
        "state": criteria.state,
        "tag": criteria.tag,
        "set": criteria.set_name,
        "q": criteria.name_prefix,
        "kind": criteria.kind,
        "backfill_of": criteria.backfill_of,
    }
    position = context.cursors.unseal(request.tenant, query, cursor, read_job_position)
    page = context.cases.listings.list_jobs.execute(
        request.tenant, limit=limit, criteria=criteria, position=position
    )
    now_ms = context.now_ms()
    runs = (
        context.cases.listings.last_run.of_each(page.jobs) if includes_last_run else [None] * len(page.jobs)
    )
    jobs = JobPageOut(
        jobs=[job_summary(job, now_ms, run) for job, run in zip(page.jobs, runs, strict=True)],
        next_cursor=context.cursors.seal(request.tenant, query, job_parts(page.next_position)),
    )
    return json_response(200, jobs)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/jobs/<job_id>",
        operation="getJob",
        summary="Show a job",
        description=(
            "The definition, the state, the next due time and the last run. Headers and body of the request "
            "are never shown again."
        ),
        success=200,
        answer=JobOut,
        answer_headers=("ETag",),
        headers=("If-None-Match",),
        problems=(Problem.NOT_FOUND,),
    )
)
def get_job(context: Context, request: AuthenticatedRequest) -> Response:
    found = context.cases.core.find_job.execute(request.tenant.id, request.path_values["job_id"])
    job = present_job(context, request.tenant, found)
    if request.knows(etag(job)["ETag"]):
        return not_modified(etag(job))
    return json_response(200, with_last_run(context, found, job), etag(job))


@ROUTES.add(
    Route(
        method="PATCH",
        path="/v1/jobs/<job_id>",
        operation="updateJob",
        summary="Change a job with a JSON merge patch",
        description=(
            "A JSON merge patch (RFC 7396) of the members of a new job. Null restores a default, and the "
            "result is validated like a new job. A `schedule` of another kind replaces the whole schedule. A "
            "one-off job can be changed until its first attempt starts. For a recurring job, every run that "
            "has not started uses the new definition."
        ),
        success=200,
        answer=JobOut,
        answer_headers=("ETag",),
        body=JobPatch,
        media_types=(MERGE_PATCH, JSON),
        headers=("If-Match",),
        required_headers=("If-Match",),
        problems=(
            *BODY_PROBLEMS,
            *CREATION_PROBLEMS,
            Problem.NOT_FOUND,
            Problem.INVALID_STATE,
            Problem.PRECONDITION_FAILED,
            *QUOTA_PROBLEMS,
            Problem.PRECONDITION_REQUIRED,
        ),
    )
)
def update_job(context: Context, request: AuthenticatedRequest) -> Response:
    patch, tags = request.read_json(MERGE_PATCH), request.if_match()
    for _ in range(TRIES):
        job = context.cases.core.find_job.execute(request.tenant.id, request.path_values["job_id"])
        if tags is None:
            raise ProblemError(Problem.PRECONDITION_REQUIRED, "send the job's ETag as If-Match, or *")
        check_revision(job, tags.revision(job.revision))
        try:
            return changed_job(context, request, "updateJob", job, _revised(context, request, job, patch))
        except PreconditionFailedError:
            if not tags.is_any:  # With `*`, the patch applies to whatever the rival made of the job.
                raise
    raise UnavailableError("the job is being changed by others")


def _revised(
    context: Context, request: AuthenticatedRequest, job: Execution | Job, patch: Any
) -> Execution | Job:
    """The job after the patch; PreconditionFailedError if it has changed since it was read."""
    tenant, stored = request.tenant, context.open_request(request.tenant, job)
    document = patched(job_document(job, stored), patch)
    try:
        new = context.with_calendar(tenant, validate(document, JobIn).new_job())
        if isinstance(job, Job) and isinstance(job.schedule, Backfill):
            check_backfill_patch(patch)
        check_change_quota(context, tenant, job, stored, new)
        return context.cases.jobs.revise_job.execute(tenant, job, stored, new, revision=job.revision)
    except (ProblemError, InvalidValueError) as error:
        raise with_all_errors(context, tenant, error, document, has_new_time="schedule" in patch) from error


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/jobs/<job_id>",
        operation="cancelJob",
        summary="Cancel a one-off job or delete a recurring one",
        description=(
            "A one-off job can be cancelled until an attempt starts, and between attempts. While an attempt "
            "runs the answer is 409; with `stop_retries=true` it is 202, and that attempt is the last. "
            "Deleting a recurring job cancels its next executions and retries. After the answer nothing "
            "starts any more. A repetition changes nothing, and the job can still be read."
        ),
        success=200,
        later="The running attempt is now the last; the job ends with it.",
        answer=JobOut,
        answer_headers=("ETag",),
        query=("stop_retries",),
        headers=("If-Match",),
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.PRECONDITION_FAILED),
    )
)
def cancel_job(context: Context, request: AuthenticatedRequest) -> Response:
    job_id, stop_retries = request.path_values["job_id"], request.flag("stop_retries")
    before = context.cases.core.find_job.execute(request.tenant.id, job_id)
    revision = request.expected_revision(before.revision)
    old = present_job(context, request.tenant, before)
    if revision == UNKNOWN_REVISION:
        # The use case accepts older revisions, so that a deletion can be repeated; this tag no job ever had.
        raise PreconditionFailedError(f"the job is at revision {before.revision}", revision=before.revision)
    cancelled = context.cases.core.cancel_job.execute(
        request.tenant.id, job_id, stop_retries=stop_retries, revision=revision
    )
    job = present_job(context, request.tenant, cancelled)
    record_change(context, request, "cancelJob", old, job)
    return json_response(202 if job.state == "running" else 200, job, etag(job))
