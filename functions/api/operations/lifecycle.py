"""Changes of jobs: updated, paused, resumed, triggered."""

from dataclasses import dataclass

from functions.api import strict_json
from functions.api.bodies import read_optional, read_patched_job
from functions.api.idempotency import check_key
from functions.api.job_views import job_document, job_out
from functions.api.models.executions import ExecutionOut
from functions.api.models.jobs import JobOut, PauseIn
from functions.api.problems import Problem, ProblemError
from functions.api.views import execution_out
from shared.domain.errors import InvalidStateError
from shared.domain.execution import Execution
from shared.domain.job import Job
from shared.domain.tenant import Tenant
from shared.ports.runtime import Clock
from shared.usecases.change_job import check_revision
from shared.usecases.find_job import FindJob
from shared.usecases.lifecycle import Lifecycle
from shared.usecases.open_request import OpenRequest
from shared.usecases.revise_job import ReviseJob
from shared.usecases.trigger_job import TriggerJob


@dataclass(frozen=True, slots=True)
class LifecycleOperations:
    """One method an operation. `revision` is the one that the client has seen, None where it does not matter."""

    find_job: FindJob
    open_request: OpenRequest
    revise_job: ReviseJob
    trigger_job: TriggerJob
    lifecycle: Lifecycle
    clock: Clock

    def update(
        self, tenant: Tenant, job_id: str, body: bytes, revision: int | None, *, is_conditional: bool
    ) -> JobOut:
        """The job after a merge patch."""
        patch = strict_json.parse(body)
        job = self.find_job(tenant.id, job_id)
        if not is_conditional:
            raise ProblemError(Problem.PRECONDITION_REQUIRED, "send the job's ETag as If-Match")
        check_revision(job, revision)
        present = self.open_request(tenant, job)
        new = read_patched_job(patch, job_document(job, present)).new_job()
        return self._show(tenant, self.revise_job(tenant, job, present, new, revision=job.revision))

    def pause(self, tenant: Tenant, job_id: str, body: bytes, revision: int | None) -> JobOut:
        """The paused job."""
        asked = read_optional(body, PauseIn)
        self._require_recurring(tenant, job_id, "paused; cancel it, or give it another time")
        return self._show(
            tenant,
            self.lifecycle.pause(tenant.id, job_id, reason=asked.reason, revision=revision),
        )

    def resume(self, tenant: Tenant, job_id: str, revision: int | None) -> JobOut:
        """The active job."""
        self._require_recurring(tenant, job_id, "resumed")
        return self._show(tenant, self.lifecycle.resume(tenant.id, job_id, revision=revision))

    def trigger(self, tenant: Tenant, job_id: str, key: str | None) -> tuple[ExecutionOut, bool]:
        """The execution, and whether it is a replay."""
        check_key(key)
        self._require_recurring(tenant, job_id, "triggered; give it the present time")
        triggered = self.trigger_job(tenant, job_id, key)
        return execution_out(triggered.execution), triggered.replayed

    def _require_recurring(self, tenant: Tenant, job_id: str, what: str) -> None:
        if isinstance(self.find_job(tenant.id, job_id), Execution):
            raise InvalidStateError(f"a job that runs once cannot be {what}")

    def _show(self, tenant: Tenant, job: Execution | Job) -> JobOut:
        return job_out(job, self.open_request(tenant, job), self.clock.now_ms())
