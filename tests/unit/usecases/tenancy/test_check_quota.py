"""Quotas: what is refused and by which name, and that nothing goes beyond them."""

from dataclasses import replace

import pytest

from shared.domain.errors import QuotaExceededError, RateLimitedError
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.tenancy.check_quota import FULL_MS, CheckQuota, Demand
from shared.usecases.tenancy.spend_budget import SpendBudget
from tests.support.builders import DUE_AT, job, tenant
from tests.support.fakes.budgets import GENEROUS, FakeBudgetStore
from tests.support.fakes.clock import VirtualClock
from tests.support.fakes.live_items import FakeLiveItems
from tests.support.fakes.table import FakeTable
from tests.support.fakes.workflow_stores import FakeWorkflowStore
from tests.support.workflows import graph, node, workflow_of

ONE_OFF = Demand(due_at=DUE_AT, payload_bytes=10, tags=1, is_recurring=False)
RECURRING = Demand(due_at=DUE_AT, payload_bytes=10, tags=1, is_recurring=True)


def unasked(tenant_id: str, at_most: int) -> int:
    raise AssertionError("no workflow is counted for a job")


class CountedJobs(FakeLiveItems):
    """Says how often it was asked."""

    asked = 0

    def count(self, tenant_id: str, at_most: int) -> int:
        """See the port."""
        self.asked += 1
        return super().count(tenant_id, at_most)


class Limits:
    """One process that checks quotas."""

    def __init__(self) -> None:
        self.clock = VirtualClock(DUE_AT)
        self.table = FakeTable()
        self.jobs = CountedJobs(self.table)
        self.spend = SpendBudget(budgets=FakeBudgetStore(), clock=self.clock)
        self.announced: list[Quota] = []
        self.check = CheckQuota(
            self.spend, self.jobs, self.clock, GENEROUS, self._announce, FakeWorkflowStore(self.table).count
        )

    def _announce(self, _: Tenant, quota: Quota) -> None:
        self.announced.append(quota)

    def create(self, number: int, quotas: dict[Quota, int]) -> bool:
        """Create a recurring job if the quotas allow it."""
        try:
            self.check.job(tenant(quotas=quotas), RECURRING)
        except QuotaExceededError as refused:
            assert refused.quota == Quota.RECURRING_JOBS
            return False
        made = job(number)
        self.table.jobs[made.tenant_id, made.id] = made
        return True


@pytest.mark.parametrize(
    ("quota", "limit", "demand"),
    [
        (Quota.PAYLOAD_BYTES, 9, ONE_OFF),
        (Quota.TAGS, 0, ONE_OFF),
        (Quota.DUE_PER_MINUTE, 0, ONE_OFF),
        (Quota.RECURRING_JOBS, 0, RECURRING),
    ],
)
def test_a_refusal_names_its_quota(quota: Quota, limit: int, demand: Demand) -> None:
    limits = Limits()
    limits.check.job(tenant(quotas={quota: limit + 10}), demand)
    with pytest.raises(QuotaExceededError) as refused:
        limits.check.job(tenant(quotas={quota: limit}), demand)
    assert refused.value.quota == quota.value
    assert str(limit) in str(refused.value)
    assert limits.announced == [quota]


def test_batch_announces_each_limit_once_and_none_without_a_refusal() -> None:
    limits = Limits()
    allowed = tenant(quotas={Quota.RECURRING_JOBS: 0, Quota.DUE_PER_MINUTE: 1})
    refusals = limits.check.jobs(allowed, [RECURRING, RECURRING, ONE_OFF, ONE_OFF, ONE_OFF])
    assert [each and each.quota for each in refusals].count(None) == 1
    assert limits.announced == [Quota.RECURRING_JOBS, Quota.DUE_PER_MINUTE]
    limits.check.creates(allowed)
    assert len(limits.announced) == 2
    with pytest.raises(RateLimitedError):
        limits.check.creates(tenant(quotas={Quota.CREATES_PER_SECOND: 0}))
    assert limits.announced[2:] == [Quota.CREATES_PER_SECOND]


def test_runs_that_do_not_all_fit_take_no_place_in_their_minute() -> None:
    limits, owner = Limits(), tenant(quotas={Quota.DUE_PER_MINUTE: 3})
    for _ in range(3):
        with pytest.raises(QuotaExceededError) as refused:
            limits.check.runs(owner, [DUE_AT] * 4)
        assert refused.value.quota == Quota.DUE_PER_MINUTE
    assert limits.announced == [Quota.DUE_PER_MINUTE] * 3
    limits.check.runs(owner, [DUE_AT, DUE_AT + 60_000, DUE_AT + 60_000, DUE_AT])
    with pytest.raises(QuotaExceededError):
        limits.check.runs(owner, [DUE_AT] * 2)
    limits.check.runs(owner, [DUE_AT])
    limits.check.runs(owner, [])


def test_change_that_does_not_fit_announces_its_limit() -> None:
    limits = Limits()
    with pytest.raises(QuotaExceededError):
        limits.check.change(tenant(quotas={Quota.DUE_PER_MINUTE: 0}), ONE_OFF, ONE_OFF, is_moved=True)
    assert limits.announced == [Quota.DUE_PER_MINUTE]


def test_the_defaults_hold_for_a_tenant_without_limits_of_its_own() -> None:
    limits = Limits()
    assert limits.check.quotas_of(tenant()) == GENEROUS
    own = limits.check.quotas_of(tenant(quotas={Quota.TAGS: 2}))
    assert (own.tags, own.api_keys) == (2, GENEROUS.api_keys)


def test_creations_are_limited_by_the_second() -> None:
    limits, owner = Limits(), tenant(quotas={Quota.CREATES_PER_SECOND: 3})
    for _ in range(3):
        limits.check.creates(owner)
    with pytest.raises(RateLimitedError) as refused:
        limits.check.creates(owner)
    assert (refused.value.quota, refused.value.retry_after_seconds) == ("creates_per_second", 1)
    limits.check.creates(tenant(id="other", quotas={Quota.CREATES_PER_SECOND: 3}))
    limits.clock.time_ms += 1_000
    limits.check.creates(owner, 3)


def test_a_due_minute_fills_up_and_the_next_is_free() -> None:
    limits, owner = Limits(), tenant(quotas={Quota.DUE_PER_MINUTE: 2})
    for _ in range(2):
        limits.check.job(owner, ONE_OFF)
    with pytest.raises(QuotaExceededError):
        limits.check.job(owner, ONE_OFF)
    limits.check.job(owner, Demand(due_at=DUE_AT + 60_000, payload_bytes=0, tags=0, is_recurring=False))


def test_recurring_jobs_are_counted_up_to_the_quota_exactly() -> None:
    limits = Limits()
    made = [limits.create(number, {Quota.RECURRING_JOBS: 5}) for number in range(8)]
    assert made == [True] * 5 + [False] * 3


def test_a_place_that_was_given_back_is_free_within_a_second() -> None:
    limits, quotas = Limits(), {Quota.RECURRING_JOBS: 2}
    assert [limits.create(number, quotas) for number in range(3)] == [True, True, False]
    limits.table.jobs.popitem()
    limits.clock.time_ms += FULL_MS
    assert limits.create(9, quotas)


def test_a_tenant_that_is_full_is_not_counted_at_every_attempt() -> None:
    limits = Limits()
    limits.create(1, {Quota.RECURRING_JOBS: 1})
    for number in range(2, 50):
        assert not limits.create(number, {Quota.RECURRING_JOBS: 1})
    assert limits.jobs.asked == 2


def test_far_from_the_quota_few_creations_are_counted() -> None:
    limits = Limits()
    quotas = {Quota.RECURRING_JOBS: 1_000, Quota.CREATES_PER_SECOND: 10}
    for number in range(300):
        limits.clock.time_ms += 100
        assert limits.create(number, quotas)
    assert limits.jobs.asked == 1


@pytest.mark.parametrize("rivals", [1, 5])
def test_rival_processes_together_keep_to_the_quota_of_recurring_jobs(rivals: int) -> None:
    """Each remembers its own count, and reckons with all that the rate lets the others create meanwhile."""
    limits = Limits()
    quotas = {Quota.RECURRING_JOBS: 40, Quota.CREATES_PER_SECOND: 6}
    store = FakeBudgetStore()
    checks = []
    for _ in range(rivals + 1):
        spend = SpendBudget(budgets=store, clock=limits.clock)
        checks.append(CheckQuota(spend, limits.jobs, limits.clock, GENEROUS, limits._announce, unasked))
    number = 0
    for step in range(400):
        limits.clock.time_ms += 37
        limits.check = checks[step % len(checks)]
        try:
            limits.check.creates(tenant(quotas=quotas))
        except RateLimitedError:
            continue
        number += limits.create(step, quotas)
    assert number == 40


def test_workflows_are_counted_up_to_their_own_quota_and_take_no_place_of_a_recurring_job() -> None:
    limits, owner = Limits(), tenant(quotas={Quota.WORKFLOWS: 2, Quota.RECURRING_JOBS: 1})
    store, made = FakeWorkflowStore(limits.table), 0
    for number in range(4):
        try:
            limits.check.workflow(owner)
        except QuotaExceededError as refused:
            assert (refused.quota, "2" in str(refused)) == ("workflows", True)
            continue
        workflow = workflow_of(graph(node("a")), tenant_id=owner.id)
        store.create(replace(workflow, id=f"{workflow.id[:-1]}{number}"))
        made += 1
    assert (made, limits.announced) == (2, [Quota.WORKFLOWS] * 2)
    assert limits.create(1, {Quota.RECURRING_JOBS: 1})
