"""What executions are shown with, though other items have it."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from functions.api.context import Context
from shared.dataclass import dataclass
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.reading.shown import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Of the executions of one page."""

    notifications: Mapping[ExecutionId, State] = field(default_factory=dict)
    """The states of notifications, by their ids."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The names of recurring jobs, by their ids."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """The responses that the archive has sealed, by the ids of the executions."""

    def name(self, shown: Shown) -> str | None:
        """The name of its job; None where that has no name."""
        return shown.name or self.names.get(shown.job_id)

    def notification(self, execution: Execution) -> State | None:
        """The state of its notification; None where it has none, or where that is not stored."""
        notification = execution.progress.notification
        return self.notifications.get(notification) if notification is not None else None


def read_beside(context: Context, tenant: Tenant, shown: Sequence[Shown]) -> Beside:
    """At most one strong read for notifications, and one eventually consistent read for names."""
    records = [each for each in shown if isinstance(each, Execution)]
    return replace(
        read_names(context, tenant, shown),
        notifications=context.cases.dead_letters.follow_notifications.execute(records),
        bodies=_bodies(context, tenant, shown),
    )


def read_names(context: Context, tenant: Tenant, shown: Sequence[Shown]) -> Beside:
    """For responses to changes: no read that fails may hide that a change was made."""
    return Beside(names=context.cases.listings.name_executions.execute(tenant.id, shown))


def _bodies(context: Context, tenant: Tenant, shown: Sequence[Shown]) -> dict[str, str]:
    """Those that the present data key of the tenant opens."""
    opened: dict[str, str] = {}
    for each in shown:
        if isinstance(each, Execution) or each.body is None:
            continue
        try:
            plain = context.ports.vault.unseal(tenant, each.id, each.body)
        except UnreadableItemError:
            continue
        opened[each.id] = plain.decode(errors="replace")
    return opened
