"""The limits of a tenant, and their present usage where it is counted."""

from shared.dataclass import dataclass
from shared.domain.bucket import MINUTE_MS
from shared.domain.tenancy.budget import RATE_SLOTS, SECOND_MS, BudgetKey, BudgetName
from shared.domain.tenancy.quota import UNLIMITED, Quota, Quotas
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.ports.tenancy import BudgetStore, RecurringJobs, TenantStore
from shared.ports.workflows import WorkflowStore

COUNTED_BEYOND = 10_000
"""Recurring jobs, and workflows, that are counted beyond the quota, which those that are created at once, or a lowered
quota, exceed.
The count reads some 140 read units for as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Limits and usage; None where the usage is not counted."""

    tenant: Tenant
    limits: Quotas
    used: dict[Quota, int | None]
    at_least: frozenset[Quota] = frozenset()
    """Quotas whose usage was not counted to its end."""


@dataclass(frozen=True, slots=True)
class ReadUsage:
    """Rates count the leased tokens of the present second and minute; the spent tokens may be fewer."""

    tenants: TenantStore
    budgets: BudgetStore
    recurring: RecurringJobs
    workflows: WorkflowStore
    clock: Clock
    defaults: Quotas

    def execute(self, tenant: Tenant) -> Usage:
        now_ms = self.clock.now_ms()
        limits = self.defaults.overridden_by(tenant.quotas)
        second, minute = now_ms // SECOND_MS, now_ms // MINUTE_MS
        creates = self._leased(tenant, BudgetName.CREATES, second // RATE_SLOTS)
        keys = self.tenants.get_keys(tenant.key_ids)
        used: dict[Quota, int | None] = dict.fromkeys(Quota)
        counts = {Quota.RECURRING_JOBS: self.recurring.count, Quota.WORKFLOWS: self.workflows.count}
        most = {quota: limits.limit_for(quota) + COUNTED_BEYOND for quota in counts}
        counted = {quota: count(tenant.id, most[quota]) for quota, count in counts.items()}
        used |= counted
        used[Quota.CREATES_PER_SECOND] = creates.get(second % RATE_SLOTS, 0)
        if limits.requests_per_second < UNLIMITED:
            requests = self._leased(tenant, BudgetName.REQUESTS, second // RATE_SLOTS)
            used[Quota.REQUESTS_PER_SECOND] = requests.get(second % RATE_SLOTS, 0)
        used[Quota.DUE_PER_MINUTE] = self._leased(tenant, BudgetName.DUE, minute).get(0, 0)
        used[Quota.API_KEYS] = sum(key.is_live(now_ms) for key in keys)
        at_least = frozenset(quota for quota in counts if counted[quota] >= most[quota])
        return Usage(tenant=tenant, limits=limits, used=used, at_least=at_least)

    def _leased(self, tenant: Tenant, name: BudgetName, window: int) -> dict[int, int]:
        return dict(self.budgets.usage(BudgetKey(tenant_id=tenant.id, name=name, window=window)))
