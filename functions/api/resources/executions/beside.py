"""Read what executions are shown with, though other items have it."""

from collections.abc import Sequence
from dataclasses import replace

from functions.api.context import Context
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.listings.execution_documents import Beside
from shared.usecases.reading.shown import Shown


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
