"""What became of jobs."""

from dataclasses import dataclass

from functions.api.cursors import Cursors
from functions.api.models.executions import ExecutionDetailOut, ExecutionPageOut
from functions.api.positions import history_parts, place_parts, read_history, read_place
from functions.api.views import execution_detail_out, page_out, state_in
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.limits.explain_wait import ExplainWait
from shared.usecases.listings.list_by_time import ListByTime
from shared.usecases.listings.list_executions import ListExecutions
from shared.usecases.outcomes.follow_notifications import FollowNotifications
from shared.usecases.reading.find_execution import FindExecution

MAX_LIMIT = 100
DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class ExecutionOperations:
    """One method an operation."""

    find_execution: FindExecution
    list_executions: ListExecutions
    list_by_time: ListByTime
    explain_wait: ExplainWait
    follow_notifications: FollowNotifications
    cursors: Cursors

    def get(self, tenant: Tenant, execution_id: str) -> ExecutionDetailOut:
        """One execution, what it waits for, and where its notification stands."""
        execution = self.find_execution.execute(tenant.id, execution_id)
        notified = state_in(self.follow_notifications.execute([execution]), execution)
        return execution_detail_out(execution, notified, self.explain_wait.execute(tenant, execution))

    def of_job(
        self, tenant: Tenant, job_id: str, criteria: ExecutionFilter, limit: int, cursor: str | None
    ) -> ExecutionPageOut:
        """A page of a job's history."""
        question = {"list": "executions", "job": job_id, **_spelt(criteria)}
        position = self.cursors.unseal(tenant, question, cursor, read_history)
        page = self.list_executions.execute(
            tenant.id, job_id, limit=limit, criteria=criteria, position=position
        )
        more = page.next_position
        next_cursor = self.cursors.seal(tenant, question, history_parts(more)) if more else None
        return page_out(page.executions, self.follow_notifications.execute(page.executions), next_cursor)

    def by_time(
        self, tenant: Tenant, criteria: ExecutionFilter, limit: int, cursor: str | None
    ) -> ExecutionPageOut:
        """A page of all executions of the tenant."""
        question = {"list": "executions", **_spelt(criteria)}
        before = self.cursors.unseal(tenant, question, cursor, read_place)
        page = self.list_by_time.execute(tenant, limit=limit, criteria=criteria, before=before)
        more = page.next_before
        next_cursor = self.cursors.seal(tenant, question, place_parts(more)) if more else None
        return page_out(page.executions, self.follow_notifications.execute(page.executions), next_cursor)


def _spelt(criteria: ExecutionFilter) -> dict[str, str | int | None]:
    span = criteria.span
    return {"state": criteria.state, "from": span.after.at, "to": span.before.at}
