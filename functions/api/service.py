"""The operations of the API: a request that was admitted in, a value to show out."""

import re
from dataclasses import dataclass

from pydantic import ValidationError

from functions.api import strict_json
from functions.api.cursors import seal_cursor, unseal_cursor
from functions.api.faults import schema_problem
from functions.api.models import ExecutionPageOut, JobIn, JobOut
from functions.api.problems import Problem, ProblemError
from functions.api.views import job_out, page_out
from shared.domain.execution import Execution
from shared.domain.job import Job
from shared.domain.tenant import Tenant
from shared.ports import Clock, Vault
from shared.usecases.cancel_job import CancelJob
from shared.usecases.create_job import CreateJob
from shared.usecases.find_job import FindJob
from shared.usecases.list_executions import ListDeadLetters, ListExecutions
from shared.usecases.open_request import OpenRequest

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
MAX_LIMIT = 100
DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class Service:
    """One method an operation. Errors are those of the use cases, or ProblemError for the request itself."""

    create_job: CreateJob
    find_job: FindJob
    cancel_job: CancelJob
    list_executions: ListExecutions
    list_dead_letters: ListDeadLetters
    open_request: OpenRequest
    vault: Vault
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

    def executions(self, tenant: Tenant, job_id: str, limit: int, cursor: str | None) -> ExecutionPageOut:
        """A page of a job's history."""
        question = f"executions|{job_id}"
        before = int(unseal_cursor(self.vault, tenant, question, cursor)) if cursor else None
        page = self.list_executions(tenant.id, job_id, limit=limit, before_at=before)
        position = None if page.next_before_at is None else str(page.next_before_at)
        return page_out(page.executions, self._next(tenant, question, position))

    def dead_letters(self, tenant: Tenant, limit: int, cursor: str | None) -> ExecutionPageOut:
        """A page of the tenant's dead letters."""
        question = "dead-letters"
        after = unseal_cursor(self.vault, tenant, question, cursor) if cursor else None
        page = self.list_dead_letters(tenant.id, limit=limit, after=after)
        return page_out(page.executions, self._next(tenant, question, page.next_after))

    def _next(self, tenant: Tenant, question: str, position: str | None) -> str | None:
        return None if position is None else seal_cursor(self.vault, tenant, question, position)

    def _show(self, tenant: Tenant, job: Execution | Job) -> JobOut:
        return job_out(job, self.open_request(tenant, job), self.clock.now_ms())


def _read_job(body: bytes) -> JobIn:
    """Only here is a broken schema the client's fault."""
    try:
        return JobIn.model_validate(strict_json.parse(body))
    except ValidationError as fault:
        raise schema_problem(fault) from fault
