"""Dead letters: listed, inspected, and redriven one by one."""

from dataclasses import dataclass

from functions.api.cursors import Cursors
from functions.api.dead_letter_views import dead_letter_out, inspected_out
from functions.api.models.dead_letters import DeadLetterPageOut, InspectedOut
from functions.api.models.executions import ExecutionOut
from functions.api.positions import place_parts, read_place
from functions.api.views import execution_out, state_in
from shared.domain.errors import NotFoundError, UnreadableItemError
from shared.domain.executions.states import State
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.dead_letters.cancel_redrive import CancelRedrive
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.redrive_execution import RedriveExecution
from shared.usecases.outcomes.follow_notifications import FollowNotifications
from shared.usecases.reading.find_execution import FindExecution
from shared.usecases.requests.open_request import OpenRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRedrive:
    """The redrive, an execution of its own. `replayed`: it was chosen before."""

    execution: ExecutionOut
    replayed: bool


@dataclass(frozen=True, slots=True)
class DeadLetterOperations:
    """One method an operation."""

    list_dead_letters: ListDeadLetters
    find_execution: FindExecution
    open_request: OpenRequest
    redrive_execution: RedriveExecution
    cancel_redrive: CancelRedrive
    follow_notifications: FollowNotifications
    cursors: Cursors

    def page(
        self, tenant: Tenant, criteria: DeadLetterFilter, limit: int, cursor: str | None
    ) -> DeadLetterPageOut:
        """A page of the tenant's dead letters."""
        question = {
            "list": "dead-letters",
            "job": criteria.job_id,
            "tag": criteria.tag,
            "reason": criteria.reason,
            "status": criteria.status,
            "lane": criteria.lane,
            "from": criteria.span.after.at,
            "to": criteria.span.before.at,
        }
        before = self.cursors.unseal(tenant, question, cursor, read_place)
        page = self.list_dead_letters.execute(tenant.id, limit=limit, criteria=criteria, before=before)
        more, notified = page.next_before, self.follow_notifications.execute(page.executions)
        return DeadLetterPageOut(
            executions=[dead_letter_out(one, state_in(notified, one)) for one in page.executions],
            next_cursor=self.cursors.seal(tenant, question, place_parts(more)) if more else None,
        )

    def inspect(self, tenant: Tenant, execution_id: str, *, reveal: bool) -> InspectedOut:
        """One dead letter with its request; NotFoundError for whatever has not failed."""
        execution = self.find_execution.execute(tenant.id, execution_id)
        if execution.state is not State.FAILED:
            raise NotFoundError("no such dead letter")
        try:
            request = self.open_request.execute(tenant, execution)
        except UnreadableItemError:
            request = None
        notified = state_in(self.follow_notifications.execute([execution]), execution)
        return inspected_out(execution, notified, request, reveal=reveal)

    def redrive(self, tenant: Tenant, execution_id: str) -> MadeRedrive:
        """The redrive of a dead letter."""
        made = self.redrive_execution.execute(tenant.id, execution_id)
        return MadeRedrive(execution=execution_out(made.execution), replayed=made.replayed)

    def cancel(self, tenant: Tenant, execution_id: str, *, stop_retries: bool) -> ExecutionOut:
        """A redrive after its cancellation."""
        return execution_out(self.cancel_redrive.execute(tenant.id, execution_id, stop_retries=stop_retries))

    def show(self, tenant: Tenant, execution_id: str) -> ExecutionOut:
        """An execution as it stands."""
        return execution_out(self.find_execution.execute(tenant.id, execution_id))
