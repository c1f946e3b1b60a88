"""File the alert about a limit of a tenant that refuses creations, or makes executions wait."""

from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.delivery.alerts import AlertEvent, AlertTarget
from shared.domain.errors import PunctualError
from shared.domain.executions.limit_alert import (
    EFFECTS,
    alert_due_at,
    limit_alert,
    limit_alert_id,
    limit_window,
    window_end_ms,
)
from shared.domain.executions.retention import DAY_SECONDS
from shared.domain.tenancy.quota import Quota, Quotas
from shared.domain.tenancy.tenant import Tenant
from shared.ports.alerts import AlertWindows
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.tenancy.read_tenant import ReadTenant

RETRY_MS = 5_000
"""How long a process waits after an alert that could not be filed."""
MAX_REMEMBERED = 4_000


@dataclass(slots=True)
class FileLimitAlert:
    """Belongs to one process, which remembers for which limits it has nothing to do until the hour ends.

    Nothing is read or written for a tenant that does not subscribe to the event. Otherwise one conditional write in
    an hour decides, for each process and limit, whether an alert about the limit was admitted before. If the process
    dies before it files the admitted alert, any process that meets the limit in the same minute files it.
    """

    windows: AlertWindows
    file: FileExecution
    read_tenant: ReadTenant
    clock: Clock
    defaults: Quotas
    plan: ShardPlan
    cell: str
    _quiet_until: BoundedCache[tuple[str, Quota], int] = field(
        default_factory=lambda: BoundedCache(MAX_REMEMBERED)
    )

    def execute(self, tenant: Tenant, quota: Quota) -> None:
        """The tenant has reached the limit. Raises nothing: no answer and no call depends on an alert."""
        to, now_ms = tenant.alerts, self.clock.now_ms()
        if to is None or AlertEvent.LIMIT_REACHED not in to.rules.events or quota not in EFFECTS:
            return
        if now_ms < self._quiet_until.get((tenant.id, quota), 0):
            return
        try:
            self._file(tenant, quota, to, now_ms)
        except PunctualError:
            self._quiet_until[tenant.id, quota] = now_ms + RETRY_MS
        else:
            self._quiet_until[tenant.id, quota] = window_end_ms(now_ms)

    def by_id(self, tenant_id: str, quota: Quota) -> None:
        """The same for a tenant that is not at hand."""
        try:
            tenant = self.read_tenant.execute(tenant_id)
        except PunctualError:
            return
        if tenant is not None:
            self.execute(tenant, quota)

    def _file(self, tenant: Tenant, quota: Quota, to: AlertTarget, now_ms: int) -> None:
        counts = self.plan.counts_at(bucket_of(alert_due_at(now_ms)))
        identity = limit_alert_id(tenant.id, quota, now_ms, counts, cell=self.cell)
        is_admitted = self.windows.admit(
            tenant.id,
            limit_window(quota, now_ms),
            identity,
            at_most=1,
            expires_at_s=window_end_ms(now_ms) // 1000 + DAY_SECONDS,
        )
        if is_admitted:
            limit = self.defaults.overridden_by(tenant.quotas).limit_for(quota)
            self.file.execute(limit_alert(tenant, quota, identity, to, limit=limit, now_ms=now_ms))
