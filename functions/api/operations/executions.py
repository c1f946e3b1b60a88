"""What became of jobs."""

from contextlib import suppress
from dataclasses import dataclass

from functions.api.cursors import Cursors
from functions.api.models.executions import ExecutionOut, ExecutionPageOut
from functions.api.positions import history_parts, place_parts, read_history, read_place
from functions.api.views import execution_out, page_out
from shared.domain.errors import NotFoundError
from shared.domain.tenant import Tenant
from shared.domain.wanted import WantedExecutions
from shared.usecases.find_execution import FindExecution
from shared.usecases.list_by_time import ListByTime
from shared.usecases.list_executions import ListExecutions

MAX_LIMIT = 100
DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class ExecutionOperations:
    """One method an operation."""

    find_execution: FindExecution
    list_executions: ListExecutions
    list_by_time: ListByTime
    cursors: Cursors

    def get(self, tenant: Tenant, execution_id: str) -> ExecutionOut:
        """One execution, and where its notification stands."""
        execution = self.find_execution(tenant.id, execution_id)
        notified = None
        if execution.notification is not None:
            with suppress(NotFoundError):
                notified = self.find_execution(tenant.id, str(execution.notification)).state
        return execution_out(execution, notified)

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


def _spelt(wanted: WantedExecutions) -> dict[str, str | int | None]:
    span = wanted.span
    return {"state": wanted.state, "from": span.after.at, "to": span.before.at}
