"""CHECK what a tenant asks for against its quotas, before anything is written."""

from dataclasses import dataclass, field

from shared.domain.bucket import MINUTE_MS
from shared.domain.budget import BudgetName
from shared.domain.errors import QuotaExceededError, RateLimitedError
from shared.domain.quota import Quota, Quotas
from shared.domain.tenant import Tenant
from shared.ports.budgets import RecurringJobs
from shared.ports.runtime import Clock
from shared.usecases.spend_budget import SpendBudget

FULL_MS = 1_000
"""For so long is a tenant that was found full taken for full without counting again."""
MAX_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What one new job asks for."""

    due_at: int
    payload_bytes: int
    tags: int
    is_recurring: bool


@dataclass(frozen=True, slots=True)
class _Counted:
    """A strongly consistent count, and when it was made."""

    jobs: int
    at: int


@dataclass(slots=True)
class CheckQuota:
    """Quotas of one deployment.

    Recurring jobs are counted strongly, so the only ones that can go beyond the quota are those that are being
    created at the same moment as the last one that fits. No count is made while even the fastest lawful creation
    since the last one could not have reached the quota.
    """

    spend: SpendBudget
    recurring: RecurringJobs
    clock: Clock
    defaults: Quotas
    _counted: dict[str, _Counted] = field(default_factory=dict)

    def quotas_of(self, tenant: Tenant) -> Quotas:
        """The tenant's limits."""
        return self.defaults.but(tenant.quotas)

    def creates(self, tenant: Tenant, count: int = 1) -> None:
        """RateLimitedError where the tenant has created enough in this second."""
        limit = self.quotas_of(tenant).creates_per_second
        if not self.spend.per_second(tenant.id, BudgetName.CREATES, limit, count):
            raise RateLimitedError(
                f"this tenant may create {limit} jobs a second",
                quota=Quota.CREATES_PER_SECOND,
                retry_after_seconds=1,
            )

    def job(self, tenant: Tenant, demand: Demand) -> None:
        """QuotaExceededError, naming the quota, where one more such job is too much. Call it last before the commit."""
        quotas = self.quotas_of(tenant)
        _check(Quota.PAYLOAD_BYTES, demand.payload_bytes, quotas)
        _check(Quota.TAGS, demand.tags, quotas)
        if demand.is_recurring:
            self._check_recurring(tenant.id, quotas)
        minute = demand.due_at // MINUTE_MS
        if not self.spend.in_minute(tenant.id, BudgetName.DUE, minute, quotas.due_per_minute):
            raise _exceeded(Quota.DUE_PER_MINUTE, quotas)

    def _check_recurring(self, tenant_id: str, quotas: Quotas) -> None:
        now_ms = self.clock.now_ms()
        limit, known = quotas.recurring_jobs, self._counted.get(tenant_id)
        if known is not None and known.jobs >= limit and now_ms - known.at < FULL_MS:
            raise _exceeded(Quota.RECURRING_JOBS, quotas)
        if known is None or known.jobs + _created_since(known, now_ms, quotas) >= limit:
            known = _Counted(self.recurring.count(tenant_id, limit), now_ms)
            self._remember(tenant_id, known)
        if known.jobs >= limit:
            raise _exceeded(Quota.RECURRING_JOBS, quotas)

    def _remember(self, tenant_id: str, counted: _Counted) -> None:
        if len(self._counted) >= MAX_REMEMBERED:
            self._counted.clear()
        self._counted[tenant_id] = counted


def _created_since(counted: _Counted, now_ms: int, quotas: Quotas) -> int:
    """The most that all processes together can have created since: each second of the clock that was touched, full."""
    return quotas.creates_per_second * (now_ms // 1000 - counted.at // 1000 + 1)


def _check(quota: Quota, asked: int, quotas: Quotas) -> None:
    if asked > quotas.of(quota):
        raise _exceeded(quota, quotas)


def _exceeded(quota: Quota, quotas: Quotas) -> QuotaExceededError:
    return QuotaExceededError(f"{_SAYS[quota]} {quotas.of(quota)}", quota=quota)


_SAYS = {
    Quota.PAYLOAD_BYTES: "the most bytes that a body may have are",
    Quota.TAGS: "the most tags that a job may have are",
    Quota.RECURRING_JOBS: "the most recurring jobs that have not ended are",
    Quota.DUE_PER_MINUTE: "the most jobs that may be due in one minute are",
}
