"""Jobs: created, shown, cancelled."""

from dataclasses import dataclass

from functions.api.bodies import read_body
from functions.api.idempotency import check_key
from functions.api.job_views import job_out
from functions.api.models.jobs import JobIn, JobOut
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.usecases.jobs.cancel_job import CancelJob
from shared.usecases.jobs.create_job import CreateJob
from shared.usecases.reading.find_job import FindJob
from shared.usecases.requests.open_request import OpenRequest


@dataclass(frozen=True, slots=True)
class JobOperations:
    """One method an operation."""

    create_job: CreateJob
    find_job: FindJob
    cancel_job: CancelJob
    open_request: OpenRequest
    clock: Clock

    def create(self, tenant: Tenant, body: bytes, idempotency_key: str | None) -> tuple[JobOut, bool]:
        """The created job, and whether it is a replay."""
        asked = read_body(body, JobIn).new_job()
        check_key(idempotency_key)
        created = self.create_job.execute(tenant, asked, idempotency_key)
        # The job of a replay may have been changed since.
        request = self.open_request.execute(tenant, created.job) if created.replayed else asked.request
        return job_out(created.job, request, self.clock.now_ms()), created.replayed

    def get(self, tenant: Tenant, job_id: str) -> JobOut:
        """One job."""
        return self._show(tenant, self.find_job.execute(tenant.id, job_id))

    def cancel(
        self, tenant: Tenant, job_id: str, *, stop_retries: bool, revision: int | None = None
    ) -> JobOut:
        """The job after its cancellation."""
        cancelled = self.cancel_job.execute(tenant.id, job_id, stop_retries=stop_retries, revision=revision)
        return self._show(tenant, cancelled)

    def _show(self, tenant: Tenant, job: Execution | Job) -> JobOut:
        return job_out(job, self.open_request.execute(tenant, job), self.clock.now_ms())
