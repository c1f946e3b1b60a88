"""Changes of jobs: updated, paused, resumed, triggered."""

from dataclasses import dataclass
from typing import Any

from functions.api import strict_json
from functions.api.bodies import read_optional, read_patched_job
from functions.api.idempotency import check_key
from functions.api.job_views import job_document, job_out
from functions.api.models.executions import ExecutionOut
from functions.api.models.jobs import JobOut, PauseIn
from functions.api.problems import FieldError, Problem, ProblemError
from functions.api.views import execution_out
from shared.domain.errors import InvalidStateError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Backfill, Once
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import check_revision
from shared.usecases.chains.lifecycle import Lifecycle
from shared.usecases.jobs.revise_job import ReviseJob
from shared.usecases.jobs.trigger_job import TriggerJob
from shared.usecases.reading.find_job import FindJob
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.tenancy.check_quota import CheckQuota, Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedJob:
    """A job as it was, and as it is now."""

    before: JobOut
    after: JobOut


@dataclass(frozen=True, slots=True)
class LifecycleOperations:
    """One method an operation. `revision` is the one that the client has seen, None where it does not matter."""

    find_job: FindJob
    open_request: OpenRequest
    revise_job: ReviseJob
    trigger_job: TriggerJob
    lifecycle: Lifecycle
    check_quota: CheckQuota
    clock: Clock

    def update(
        self, tenant: Tenant, job_id: str, body: bytes, revision: int | None, *, is_conditional: bool
    ) -> ChangedJob:
        """The job before and after a merge patch."""
        patch = strict_json.parse(body)
        job = self.find_job.execute(tenant.id, job_id)
        if not is_conditional:
            raise ProblemError(Problem.PRECONDITION_REQUIRED, "send the job's ETag as If-Match")
        check_revision(job, revision)
        present = self.open_request.execute(tenant, job)
        new = read_patched_job(patch, job_document(job, present)).new_job()
        if isinstance(job, Job) and isinstance(job.schedule, Backfill):
            _check_renames(patch)
        self._check_quota(tenant, job, new)
        revised = self.revise_job.execute(tenant, job, present, new, revision=job.revision)
        return self._changed(tenant, job, revised)

    def pause(self, tenant: Tenant, job_id: str, body: bytes, revision: int | None) -> ChangedJob:
        """The job before and after it was paused."""
        asked = read_optional(body, PauseIn)
        job = self._recurring(tenant, job_id, "paused; cancel it, or give it another time")
        paused = self.lifecycle.pause.execute(tenant.id, job_id, reason=asked.reason, revision=revision)
        return self._changed(tenant, job, paused)

    def resume(self, tenant: Tenant, job_id: str, revision: int | None) -> ChangedJob:
        """The job before and after it was resumed."""
        job = self._recurring(tenant, job_id, "resumed")
        return self._changed(tenant, job, self.lifecycle.resume.execute(tenant.id, job_id, revision=revision))

    def trigger(self, tenant: Tenant, job_id: str, key: str | None) -> tuple[ExecutionOut, bool]:
        """The execution, and whether it is a replay."""
        check_key(key)
        self._recurring(tenant, job_id, "triggered; give it the present time")
        triggered = self.trigger_job.execute(tenant, job_id, key)
        return execution_out(triggered.execution), triggered.replayed

    def _check_quota(self, tenant: Tenant, job: Execution | Job, new: NewJob) -> None:
        """What a new job would not be allowed to have, an old one does not get either."""
        due_at = None
        is_same = isinstance(job, Job) or (isinstance(new.timing, Once) and new.timing.at == job.nominal_at)
        if not is_same:
            schedule = new.schedule_at(self.clock.now_ms())
            due_at = schedule.at if isinstance(schedule, Once) else None
        demand = Demand(
            due_at=due_at or 0,
            payload_bytes=len(new.request.body),
            tags=len(new.tags),
            is_recurring=isinstance(job, Job),
        )
        self.check_quota.change(tenant, demand, is_moved=due_at is not None)

    def _recurring(self, tenant: Tenant, job_id: str, what: str) -> Job:
        job = self.find_job.execute(tenant.id, job_id)
        if isinstance(job, Execution):
            raise InvalidStateError(f"a job that runs once cannot be {what}")
        return job

    def _changed(self, tenant: Tenant, before: Execution | Job, after: Execution | Job) -> ChangedJob:
        return ChangedJob(before=self._show(tenant, before), after=self._show(tenant, after))

    def _show(self, tenant: Tenant, job: Execution | Job) -> JobOut:
        return job_out(job, self.open_request.execute(tenant, job), self.clock.now_ms())


def _check_renames(patch: dict[str, Any]) -> None:
    """ProblemError where a patch of a backfill goes beyond what touches no run."""
    detail = (
        "a backfill keeps what it began with, all but its name and tags: delete it, and begin another one"
    )
    errors = [FieldError(f"/{name}", detail) for name in patch if name not in ("name", "tags")]
    if errors:
        raise ProblemError(Problem.VALIDATION_FAILED, f"{len(errors)} error(s) in the body", errors=errors)
