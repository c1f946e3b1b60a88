"""/v1/jobs/by-key/{key}: recurring jobs by the keys that their owners give them."""

from dataclasses import replace
from typing import Any

from functions.api.context import Context
from functions.api.http.bodies import validate
from functions.api.http.conditions import Tags
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    CREATION_PROBLEMS,
    QUOTA_PROBLEMS,
    Route,
    Routes,
    json_response,
    not_modified,
)
from functions.api.resources.jobs.change_quota import check_change_quota
from functions.api.resources.jobs.differences import differences
from functions.api.resources.jobs.job_errors import with_all_errors
from functions.api.resources.jobs.keyed_models import FieldChange, JobPutOut, KeyedJobIn
from functions.api.resources.jobs.models import JobOut
from functions.api.resources.jobs.presenter import job_document
from functions.api.resources.jobs.responses import (
    Acceptance,
    etag,
    log_accepted,
    present_job,
    record_change,
    recorded_job,
    with_last_run,
)
from shared.dataclass import dataclass
from shared.domain.delivery.depth import DEPTH_HEADER
from shared.domain.delivery.request import Request
from shared.domain.delivery.trace import TRACEPARENT
from shared.domain.errors import AlreadyExistsError, InvalidValueError, PreconditionFailedError, ScheduleError
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once
from shared.usecases.chains.change_job import check_revision
from shared.usecases.jobs.put_job import Change, JobPut

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="PUT",
        path="/v1/jobs/by-key/<key>",
        operation="putJob",
        summary="Create, change or leave the recurring job with a key",
        description=(
            "The body is the whole description of the job. The answer tells whether the job was created, updated "
            "or left unchanged, and what differed. The request may be repeated at any time. `dry_run=true` changes "
            "nothing. A paused job stays paused. A deleted job is created anew, and so is a job that has ended by "
            "its schedule, if the description differs. A rate without `start_at` keeps the phase of the job. With "
            "`If-Match`, a job at another revision is not changed, and a missing one not created: the answer is 412, "
            "with the present `ETag` if there is a job. With `If-None-Match: *`, a job is created and none is changed: "
            "the answer is 412, `already-exists`, if the key has a job that has not ended. A job that needs no "
            "change is `unchanged` under every condition."
        ),
        success=200,
        answer=JobPutOut,
        body=KeyedJobIn,
        query=("dry_run",),
        headers=("If-Match", "If-None-Match", DEPTH_HEADER, TRACEPARENT),
        problems=(
            *BODY_PROBLEMS,
            *CREATION_PROBLEMS,
            Problem.NOT_FOUND,
            Problem.PRECONDITION_FAILED,
            Problem.ALREADY_EXISTS,
            *QUOTA_PROBLEMS,
        ),
    )
)
def put_job(context: Context, request: AuthenticatedRequest) -> Response:
    document, depth, trace = request.read_json(), context.depth(request), context.trace(request)
    is_dry_run, tags, must_create = request.flag("dry_run"), request.if_match(), request.must_create()
    try:
        new = validate(document, KeyedJobIn).new_job(depth=depth, trace=trace)
        described = Described(context, request, context.with_calendar(request.tenant, new))
        put = context.cases.jobs.put_job.execute(
            request.tenant,
            request.path_values["key"],
            described.wanted,
            differs=described.differs,
            revise=described.revise,
            precondition=lambda standing: _check_conditions(tags, standing, must_create=must_create),
            is_dry_run=is_dry_run,
        )
    except (ProblemError, InvalidValueError) as error:
        raise with_all_errors(context, request.tenant, error, document) from error
    job = present_job(context, request.tenant, put.after) if put.after is not None else None
    if job is not None and not is_dry_run:
        _record(context, request, put, job)
    fields = described.fields if put.change is Change.UPDATED else []
    return json_response(200, JobPutOut(change=put.change, fields=fields, job=job))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/jobs/by-key/<key>",
        operation="getJobByKey",
        summary="Show the latest job with a key",
        description=(
            "As `GET /v1/jobs/{job_id}`. A deleted job is shown until its record expires, or its key is used again."
        ),
        success=200,
        answer=JobOut,
        answer_headers=("ETag",),
        headers=("If-None-Match",),
        problems=(Problem.NOT_FOUND,),
    )
)
def get_job_by_key(context: Context, request: AuthenticatedRequest) -> Response:
    found = context.cases.jobs.put_job.find(request.tenant.id, request.path_values["key"])
    job = present_job(context, request.tenant, found)
    if request.knows(etag(job)["ETag"]):
        return not_modified(etag(job))
    return json_response(200, with_last_run(context, found, job), etag(job))


@dataclass(slots=True)
class Described:
    """One description, beside the job that stands."""

    context: Context
    request: AuthenticatedRequest
    new: NewJob
    fields: list[FieldChange] | None = None
    """What differed from the job that was looked at last."""
    _stored: Request | None = None

    def wanted(self, standing: Job | None) -> NewJob:
        return self.new if standing is None else self.new.keeping_phase_of(standing.schedule)

    def differs(self, standing: Job, new: NewJob) -> bool:
        self._stored = self.context.open_request(self.request.tenant, standing)
        before = _document(standing, self._stored)
        self.fields = differences(
            before, _document(_described(standing, new, self.context.now_ms()), new.request)
        )
        return bool(self.fields)

    def revise(self, standing: Job, new: NewJob) -> Job:
        assert self._stored is not None
        tenant = self.request.tenant
        check_change_quota(self.context, tenant, standing, self._stored, new)
        revised = self.context.cases.jobs.revise_job.execute(
            tenant, standing, self._stored, new, revision=standing.revision, keeps_set=False
        )
        assert isinstance(revised, Job)
        return revised


def _check_conditions(tags: Tags | None, standing: Job | None, *, must_create: bool) -> None:
    """AlreadyExistsError for a job that would be changed although it must be created, and PreconditionFailedError
    unless the job is at a revision that If-Match names. A job that has ended by its schedule is replaced."""
    if must_create and standing is not None and standing.state is not JobState.COMPLETED:
        raise AlreadyExistsError(
            f"the key has a job, which is at revision {standing.revision}", revision=standing.revision
        )
    if tags is None:
        return
    if standing is None:
        raise PreconditionFailedError("no job has this key")
    check_revision(standing, tags.revision(standing.revision))


def _described(standing: Job, new: NewJob, now_ms: int) -> Job:
    """The job with another description, as far as a document shows it."""
    schedule = new.schedule_at(now_ms)
    if isinstance(schedule, Once):
        raise ScheduleError("a job with a key recurs: give it a cron line or a rate", field="schedule")
    return replace(standing, definition=new.definition(schedule, new.unsealed_call), change=None)


def _document(job: Job, stored: Request) -> dict[str, Any]:
    return job_document(job, stored) | ({"set": job.definition.set_name} if job.definition.set_name else {})


def _record(context: Context, request: AuthenticatedRequest, put: JobPut, job: JobOut) -> None:
    """An audit record of each change, and the log line with which the reconciler compares the tables."""
    if put.change is Change.CREATED:
        assert put.after is not None
        document = recorded_job(context, request.tenant, job)
        context.audit.record(request, "putJob", job.id, None, document)
        log_accepted(context, request, Acceptance.of(put.after, document), replayed=False)
    elif put.change is Change.UPDATED:
        assert put.before is not None
        record_change(context, request, "putJob", present_job(context, request.tenant, put.before), job)
