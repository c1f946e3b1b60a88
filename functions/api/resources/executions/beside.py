"""What executions are shown with, though other items have it."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from functions.api.context import Context
from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.tenant import Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Of the executions of one page."""

    notifications: Mapping[ExecutionId, State] = field(default_factory=dict)
    """The states of notifications, by their ids."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The names of recurring jobs, by their ids."""

    def name(self, execution: Execution) -> str | None:
        """The name of its job; None where that has no name."""
        return execution.name or self.names.get(execution.job_id)

    def notification(self, execution: Execution) -> State | None:
        """The state of its notification; None where it has none, or where that is not stored."""
        notification = execution.progress.notification
        return self.notifications.get(notification) if notification is not None else None


def read_beside(context: Context, tenant: Tenant, executions: Sequence[Execution]) -> Beside:
    """At most one strong read for notifications, and one eventually consistent read for names."""
    notifications = context.cases.dead_letters.follow_notifications.execute(executions)
    return replace(read_names(context, tenant, executions), notifications=notifications)


def read_names(context: Context, tenant: Tenant, executions: Sequence[Execution]) -> Beside:
    """For responses to changes: no read that fails may hide that a change was made."""
    return Beside(names=context.cases.listings.name_executions.execute(tenant.id, executions))
