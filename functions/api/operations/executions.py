"""What became of jobs."""

from dataclasses import dataclass

from functions.api.cursors import seal_cursor, unseal_cursor
from functions.api.models.executions import ExecutionPageOut
from functions.api.views import page_out
from shared.domain.tenant import Tenant
from shared.ports.vault import Vault
from shared.usecases.list_executions import ListDeadLetters, ListExecutions

MAX_LIMIT = 100
DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class ExecutionOperations:
    """One method an operation."""

    list_executions: ListExecutions
    list_dead_letters: ListDeadLetters
    vault: Vault

    def of_job(self, tenant: Tenant, job_id: str, limit: int, cursor: str | None) -> ExecutionPageOut:
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
