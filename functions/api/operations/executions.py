"""What became of jobs."""

from dataclasses import dataclass

from functions.api.cursors import Cursors
from functions.api.models.executions import ExecutionOut, ExecutionPageOut
from functions.api.positions import history_parts, place_parts, read_history, read_place
from functions.api.views import execution_out, page_out
from shared.domain.tenant import Tenant
from shared.domain.wanted import WantedExecutions
from shared.usecases.find_execution import FindExecution
from shared.usecases.list_by_time import ListByTime
from shared.usecases.list_dead_letters import ListDeadLetters
from shared.usecases.list_executions import ListExecutions

MAX_LIMIT = 100
DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class ExecutionOperations:
    """One method an operation."""

    find_execution: FindExecution
    list_executions: ListExecutions
    list_by_time: ListByTime
    list_dead_letters: ListDeadLetters
    cursors: Cursors

    def get(self, tenant: Tenant, execution_id: str) -> ExecutionOut:
        """One execution."""
        return execution_out(self.find_execution(tenant.id, execution_id))

    def of_job(
        self, tenant: Tenant, job_id: str, wanted: WantedExecutions, limit: int, cursor: str | None
    ) -> ExecutionPageOut:
        """A page of a job's history."""
        question = {"list": "executions", "job": job_id, **_spelt(wanted)}
        position = self.cursors.unseal(tenant, question, cursor, read_history)
        page = self.list_executions(tenant.id, job_id, limit=limit, wanted=wanted, position=position)
        more = page.next_position
        return page_out(
            page.executions, self.cursors.seal(tenant, question, history_parts(more)) if more else None
        )

    def by_time(
        self, tenant: Tenant, wanted: WantedExecutions, limit: int, cursor: str | None
    ) -> ExecutionPageOut:
        """A page of all executions of the tenant."""
        question = {"list": "executions", **_spelt(wanted)}
        before = self.cursors.unseal(tenant, question, cursor, read_place)
        page = self.list_by_time(tenant, limit=limit, wanted=wanted, before=before)
        more = page.next_before
        return page_out(
            page.executions, self.cursors.seal(tenant, question, place_parts(more)) if more else None
        )

    def dead_letters(self, tenant: Tenant, limit: int, cursor: str | None) -> ExecutionPageOut:
        """A page of the tenant's dead letters."""
        question = {"list": "dead-letters"}
        after = self.cursors.unseal(tenant, question, cursor, _read_key)
        page = self.list_dead_letters(tenant.id, limit=limit, after=after)
        more = page.next_after
        return page_out(page.executions, self.cursors.seal(tenant, question, [more]) if more else None)


def _spelt(wanted: WantedExecutions) -> dict[str, str | int | None]:
    span = wanted.span
    return {"state": wanted.state, "from": span.after.at, "to": span.before.at}


def _read_key(parts: list[object]) -> str:
    match parts:
        case [str(key)]:
            return key
    raise ValueError("not a position among dead letters")
