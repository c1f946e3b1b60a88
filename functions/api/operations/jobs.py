"""Jobs: created, shown, cancelled."""

import re
from dataclasses import dataclass

from pydantic import ValidationError

from functions.api import strict_json
from functions.api.faults import schema_problem
from functions.api.models.jobs import JobIn, JobOut
from functions.api.problems import Problem, ProblemError
from functions.api.views import job_out
from shared.domain.execution import Execution
from shared.domain.job import Job
from shared.domain.tenant import Tenant
from shared.ports.runtime import Clock
from shared.usecases.cancel_job import CancelJob
from shared.usecases.create_job import CreateJob
from shared.usecases.find_job import FindJob
from shared.usecases.open_request import OpenRequest

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


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
        asked = _read_job(body).new_job()
        if idempotency_key is not None and not _KEY.fullmatch(idempotency_key):
            raise ProblemError(
                Problem.IDEMPOTENCY_KEY_INVALID, "an Idempotency-Key is 1 to 255 visible ASCII characters"
            )
        created = self.create_job(tenant, asked, idempotency_key)
        return job_out(created.job, asked.request, self.clock.now_ms()), created.replayed

    def get(self, tenant: Tenant, job_id: str) -> JobOut:
        """One job."""
        return self._show(tenant, self.find_job(tenant.id, job_id))

    def cancel(self, tenant: Tenant, job_id: str, *, stop_retries: bool) -> JobOut:
        """The job after its cancellation."""
        return self._show(tenant, self.cancel_job(tenant.id, job_id, stop_retries=stop_retries))

    def _show(self, tenant: Tenant, job: Execution | Job) -> JobOut:
        return job_out(job, self.open_request(tenant, job), self.clock.now_ms())


def _read_job(body: bytes) -> JobIn:
    """Only here is a broken schema the client's fault."""
    try:
        return JobIn.model_validate(strict_json.parse(body))
    except ValidationError as fault:
        raise schema_problem(fault) from fault
