"""Check a request against the tenant's quotas and rate limits, before anything is written."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import QuotaExceededError, RateLimitedError
from shared.domain.tenancy.budget import BudgetName
from shared.domain.tenancy.quota import Quota, Quotas
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.ports.tenancy import RecurringJobs
from shared.usecases.tenancy.spend_budget import SpendBudget

FULL_MS = 1_000
"""How long a tenant at its quota is refused without a new count."""
MAX_REMEMBERED = 20_000
"""Counts of recurring jobs and of workflows that are cached, at 0.3 KB each: 6 MB at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The demand of one new job on quotas."""

    due_at: int
    payload_bytes: int
    tags: int
    is_recurring: bool


NOTHING = Demand(due_at=0, payload_bytes=0, tags=0, is_recurring=False)


@dataclass(frozen=True, slots=True)
class _Count:
    found: int
    at: int


@dataclass(slots=True)
class CheckQuota:
    """Belongs to one process.

    Recurring jobs and workflows are counted by an index, so only those created at the same moment as the last
    one that fits can exceed the quota. No count is made while even creates at the full rate since the last
    count could not have reached the quota.
    """

    spend: SpendBudget
    recurring: RecurringJobs
    clock: Clock
    defaults: Quotas
    announce: Callable[[Tenant, Quota], None]
    """Called for each limit that refuses a creation; raises nothing."""
    count_workflows: Callable[[str, int], int]
    """Workflows of a tenant that are not deleted; counting stops at the second argument."""
    _counts: BoundedCache[tuple[str, Quota], _Count] = field(
        default_factory=lambda: BoundedCache(MAX_REMEMBERED)
    )

    def quotas_of(self, tenant: Tenant) -> Quotas:
        return self.defaults.overridden_by(tenant.quotas)

    def creates(self, tenant: Tenant, count: int = 1) -> None:
        """RateLimitedError where the tenant has used its creates of this second."""
        limit = self.quotas_of(tenant).creates_per_second
        if not self.spend.per_second(tenant.id, BudgetName.CREATES, limit, count):
            self.announce(tenant, Quota.CREATES_PER_SECOND)
            raise RateLimitedError(
                f"this tenant may create {limit} jobs a second",
                quota=Quota.CREATES_PER_SECOND,
                retry_after_seconds=1,
            )

    def payload(self, tenant: Tenant, payload_bytes: int) -> None:
        """QuotaExceededError for a body of more bytes than the tenant may have; takes nothing of a minute."""
        quotas = self.quotas_of(tenant)
        if payload_bytes > quotas.payload_bytes:
            self.announce(tenant, Quota.PAYLOAD_BYTES)
            raise _exceeded(Quota.PAYLOAD_BYTES, quotas)

    def job(self, tenant: Tenant, demand: Demand) -> None:
        """QuotaExceededError, naming the quota, where the job is too much. Call it last before the commit."""
        (refusal,) = self.jobs(tenant, [demand])
        if refusal is not None:
            raise refusal

    def change(self, tenant: Tenant, stands: Demand, demand: Demand, *, is_moved: bool) -> None:
        """The same for a change of a job: only where the job demands more than it `stands` for now, since the
        quota may have been lowered meanwhile. A moved job needs a token of its new minute."""
        quotas = self.quotas_of(tenant)
        refusal = _refusal(demand, quotas, stands)
        if refusal is None and is_moved:
            if self._room_in_minute(tenant.id, demand.due_at // MINUTE_MS, quotas, 1):
                return
            refusal = _exceeded(Quota.DUE_PER_MINUTE, quotas)
        if refusal is not None:
            self._announce(tenant, [refusal])
            raise refusal

    def jobs(self, tenant: Tenant, demands: Sequence[Demand]) -> list[QuotaExceededError | None]:
        """The same for many jobs that are committed together, in order; None for each job that fits."""
        quotas = self.quotas_of(tenant)
        refusals = [_refusal(demand, quotas) for demand in demands]
        recurring = [
            number
            for number, demand in enumerate(demands)
            if demand.is_recurring and refusals[number] is None
        ]
        room = self._room(tenant.id, Quota.RECURRING_JOBS, quotas, len(recurring)) if recurring else 0
        for number in recurring[room:]:
            refusals[number] = _exceeded(Quota.RECURRING_JOBS, quotas)
        by_minute: dict[int, list[int]] = defaultdict(list)
        for number, demand in enumerate(demands):
            if refusals[number] is None:
                by_minute[demand.due_at // MINUTE_MS].append(number)
        for minute, numbers in by_minute.items():
            for number in numbers[self._room_in_minute(tenant.id, minute, quotas, len(numbers)) :]:
                refusals[number] = _exceeded(Quota.DUE_PER_MINUTE, quotas)
        self._announce(tenant, refusals)
        return refusals

    def runs(self, tenant: Tenant, due_at: Iterable[int]) -> None:
        """QuotaExceededError unless runs that are filed together all fit into the minutes in which they are due."""
        quotas = self.quotas_of(tenant)
        for minute, count in Counter(each // MINUTE_MS for each in due_at).items():
            if not self.spend.in_minute(tenant.id, BudgetName.DUE, minute, quotas.due_per_minute, count):
                self.announce(tenant, Quota.DUE_PER_MINUTE)
                raise _exceeded(Quota.DUE_PER_MINUTE, quotas)

    def workflow(self, tenant: Tenant) -> None:
        """QuotaExceededError where one more workflow is too much. Call it last before the commit."""
        quotas = self.quotas_of(tenant)
        if not self._room(tenant.id, Quota.WORKFLOWS, quotas, 1):
            self.announce(tenant, Quota.WORKFLOWS)
            raise _exceeded(Quota.WORKFLOWS, quotas)

    def _announce(self, tenant: Tenant, refusals: Iterable[QuotaExceededError | None]) -> None:
        for quota in dict.fromkeys(each.quota for each in refusals if each is not None):
            self.announce(tenant, Quota(quota))

    def _room_in_minute(self, tenant_id: str, minute: int, quotas: Quotas, count: int) -> int:
        """How many of `count` jobs fit into a minute: one lease for all, otherwise one token at a time."""
        limit = quotas.due_per_minute
        if self.spend.in_minute(tenant_id, BudgetName.DUE, minute, limit, count):
            return count
        room = 0
        while room < count - 1 and self.spend.in_minute(tenant_id, BudgetName.DUE, minute, limit):
            room += 1
        return room

    def _room(self, tenant_id: str, quota: Quota, quotas: Quotas, count: int) -> int:
        """How many of `count` recurring jobs or workflows fit."""
        now_ms, limit = self.clock.now_ms(), quotas.limit_for(quota)
        last = self._counts.get((tenant_id, quota))
        if last is not None and last.found >= limit and now_ms - last.at < FULL_MS:
            return 0
        if last is None or last.found + _created_since(last, now_ms, quotas) + count > limit:
            counted = self.recurring.count if quota is Quota.RECURRING_JOBS else self.count_workflows
            last = _Count(counted(tenant_id, limit), now_ms)
            self._counts[tenant_id, quota] = last
        return min(count, max(0, limit - last.found))


def _created_since(count: _Count, now_ms: int, quotas: Quotas) -> int:
    """The most that all processes can have created since: the full rate in each second of the clock."""
    return quotas.creates_per_second * (now_ms // 1000 - count.at // 1000 + 1)


def _refusal(demand: Demand, quotas: Quotas, stands: Demand = NOTHING) -> QuotaExceededError | None:
    if demand.payload_bytes > max(quotas.payload_bytes, stands.payload_bytes):
        return _exceeded(Quota.PAYLOAD_BYTES, quotas)
    return _exceeded(Quota.TAGS, quotas) if demand.tags > max(quotas.tags, stands.tags) else None


def _exceeded(quota: Quota, quotas: Quotas) -> QuotaExceededError:
    return QuotaExceededError(f"{_SAYS[quota]} {quotas.limit_for(quota)}", quota=quota)


_SAYS = {
    Quota.PAYLOAD_BYTES: "the most bytes that a body may have are",
    Quota.TAGS: "the most tags that a job may have are",
    Quota.RECURRING_JOBS: "the most recurring jobs that have not ended are",
    Quota.WORKFLOWS: "the most workflows that are not deleted are",
    Quota.DUE_PER_MINUTE: "the most jobs that may be due in one minute are",
}
