"""Leased budgets: never more than the limit, nearly all of it, and few writes."""

import random
from collections.abc import Mapping, Sequence

import pytest

from shared.domain.errors import RequestRejectedError, ServiceError, ThrottledError, UnavailableError
from shared.domain.tenancy.budget import BudgetKey, BudgetName, LeasedTokens, TokenLease
from shared.usecases.tenancy import spend_budget
from shared.usecases.tenancy.spend_budget import STORE_BACKOFF_MS, SpendBudget
from tests.support.builders import TENANT
from tests.support.fakes.budgets import FakeBudgetStore
from tests.support.fakes.clock import VirtualClock
from tests.support.usecases.fleet import START_MS, Fleet


def arrivals(seed: int, *, seconds: int, per_second: int, processes: int) -> list[tuple[int, int]]:
    """Requests at random instants, to random processes."""
    chance = random.Random(seed)
    made = [
        (chance.randrange(seconds * 1_000), chance.randrange(processes)) for _ in range(seconds * per_second)
    ]
    return sorted(made)


@pytest.mark.parametrize("seed", range(12))
def test_a_fleet_never_spends_more_than_the_limit_in_a_second(seed: int) -> None:
    chance = random.Random(seed)
    limit, processes = chance.choice([1, 3, 19, 20, 50, 200]), chance.choice([2, 7, 40])
    per_second = chance.choice([limit, 2 * limit, 10 * limit]) + 1
    fleet = Fleet(processes, limit)
    fleet.run(arrivals(seed, seconds=25, per_second=per_second, processes=processes))
    assert max(fleet.by_second().values()) <= limit
    assert fleet.most_in_any_second() <= 2 * limit


def test_a_burst_across_the_turn_of_a_second_is_what_reaches_twice_the_limit() -> None:
    fleet = Fleet(2, 50)
    fleet.run([(999, 0)] * 80 + [(1_000, 1)] * 80)
    assert (max(fleet.by_second().values()), fleet.most_in_any_second()) == (50, 100)


@pytest.mark.parametrize("limit", [1, 2, 19, 20, 100, 1_000])
def test_single_busy_process_gets_its_whole_limit(limit: int) -> None:
    fleet = Fleet(1, limit).run((at, 0) for at in range(12_000) for _ in range(limit // 400 + 1))
    wanted = min(limit, 1_000 * (limit // 400 + 1))
    assert set(fleet.by_second().values()) == {wanted}


@pytest.mark.parametrize(("processes", "share"), [(5, 0.95), (50, 0.6)])
def test_a_fleet_gets_most_of_its_limit(processes: int, share: float) -> None:
    """With far more processes than requests a second for each, tokens strand with those that leased ahead."""
    fleet = Fleet(processes, 100)
    fleet.run(arrivals(1, seconds=30, per_second=300, processes=processes))
    assert len(fleet.admitted) >= share * 30 * 100


def test_a_busy_process_writes_for_few_of_its_requests() -> None:
    fleet = Fleet(1, 1_000).run((at, 0) for at in range(0, 30_000, 2))
    assert fleet.asked == 15_000
    assert fleet.store.writes / fleet.asked < 0.01


def test_a_steady_trickle_writes_about_once_in_ten_seconds() -> None:
    fleet = Fleet(1, 100).run((at, 0) for at in range(0, 60_000, 500))
    first = Fleet(1, 100).run((at, 0) for at in range(0, 10_000, 500)).store.writes
    assert fleet.store.writes - first <= 5 * 2


def test_refused_requests_cost_no_write() -> None:
    fleet = Fleet(1, 10).run([(0, 0)] * 10)
    before = fleet.store.writes
    fleet.run([(0, 0)] * 1_000)
    assert len(fleet.admitted) == 10
    assert fleet.store.writes - before <= 1


def test_the_next_second_begins_with_nothing_spent() -> None:
    fleet = Fleet(3, 5).run([(at, process) for at in (0, 1_000, 12_000) for process in (0, 1, 2) * 5])
    assert fleet.by_second() == {0: 5, 1: 5, 12: 5}


def test_a_batch_is_admitted_as_a_whole_or_not_at_all() -> None:
    fleet = Fleet(2, 10)
    assert [fleet.ask(0, 0, 8), fleet.ask(1, 1, 3), fleet.ask(1, 2, 2), fleet.ask(0, 3)] == [
        True,
        False,
        True,
        False,
    ]
    assert not fleet.ask(0, 1_000, 11)


def test_a_limit_of_nothing_admits_nothing() -> None:
    fleet = Fleet(1, 0)
    assert not fleet.ask(0, 0)
    assert fleet.store.writes == 0


def test_a_due_minute_fills_up_however_far_ahead_it_is_and_whoever_fills_it() -> None:
    store, clock = FakeBudgetStore(), VirtualClock(START_MS)
    processes = [SpendBudget(budgets=store, clock=clock) for _ in range(3)]
    minute = START_MS // 60_000 + 1_000
    admitted = 0
    for number in range(400):
        clock.time_ms += 997
        admitted += processes[number % 3].in_minute(TENANT, BudgetName.DUE, minute, 100)
    assert 90 <= admitted <= 100
    assert processes[0].in_minute(TENANT, BudgetName.DUE, minute + 1, 100)
    assert store.writes < 60


def test_tenants_and_budgets_do_not_touch_each_other() -> None:
    spend = SpendBudget(budgets=FakeBudgetStore(), clock=VirtualClock(START_MS))
    window = START_MS // 10_000
    assert [spend.per_second(name, BudgetName.CREATES, 1) for name in ("a", "b", "a")] == [True, True, False]
    assert spend.in_minute("a", BudgetName.DUE, window, 1)


class BrokenStore(FakeBudgetStore):
    """Answers only while it is not broken."""

    is_broken = True
    error: type[ServiceError] = UnavailableError

    def take(
        self, key: BudgetKey, leases: Sequence[TokenLease], expires_at_s: int
    ) -> Mapping[int, int] | None:
        """See the port."""
        answer = super().take(key, leases, expires_at_s)
        if self.is_broken:
            raise self.error("no answer")
        return answer


@pytest.mark.parametrize("error", [UnavailableError, RequestRejectedError, ThrottledError])
def test_budget_store_without_an_answer_admits_all_calls_and_is_counted(error: type[ServiceError]) -> None:
    store = BrokenStore()
    store.error = error
    fleet = Fleet(1, 5, store).run([(at, 0) for at in range(20)])
    assert (len(fleet.admitted), fleet.store.writes) == (20, 1)
    assert (fleet.processes[0].take_store_errors(), fleet.processes[0].take_store_errors()) == (20, 0)
    store.is_broken = False
    fleet.run([(STORE_BACKOFF_MS, 0)] * 20)
    assert (len(fleet.admitted), fleet.processes[0].take_store_errors()) == (25, 0)


def test_throttled_budget_of_one_tenant_lifts_no_other_limit() -> None:
    store = BrokenStore()
    store.error = ThrottledError
    spend = SpendBudget(budgets=store, clock=VirtualClock(START_MS))
    assert [spend.per_second("hot", BudgetName.CALLS, 1) for _ in range(3)] == [True] * 3
    store.is_broken = False
    assert [spend.per_second("calm", BudgetName.CALLS, 1) for _ in range(3)] == [True, False, False]
    assert [spend.per_second("hot", BudgetName.CREATES, 1) for _ in range(3)] == [True, False, False]


def test_number_of_leased_budgets_in_a_process_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spend_budget, "MAX_BUDGETS", 50)
    monkeypatch.setattr(spend_budget, "MAX_DUE_MINUTES", 50)
    store = FakeBudgetStore()
    spend = SpendBudget(budgets=store, clock=VirtualClock(START_MS))
    minute = START_MS // 60_000
    for number in range(500):
        assert spend.in_minute(TENANT, BudgetName.DUE, minute + number, 3)
    for number in range(500):
        assert spend.per_second(f"tenant-{number}", BudgetName.CREATES, 3)
    assert (len(spend._leased), len(spend._due)) == (50, 50)
    assert sum(spend.in_minute(TENANT, BudgetName.DUE, minute, 3) for _ in range(5)) <= 2


def test_half_of_each_second_is_left_for_those_that_come_late() -> None:
    """One process has leased ahead all that it may; others still find tokens in every second that follows."""
    fleet = Fleet(2, 100).run((at, 0) for at in range(0, 20_000, 2))
    fleet.ask(0, 20_000)
    (window,) = [
        slots for key, slots in fleet.store.slots.items() if key.window == (START_MS + 20_000) // 60_000
    ]
    assert all(taken <= 50 for slot, taken in window.items() if slot > 20)
    assert [fleet.ask(1, 21_000 + number) for number in range(50)] == [True] * 50


def test_more_processes_than_tokens_lease_no_more_ahead_than_there_are() -> None:
    fleet = Fleet(60, 20)
    fleet.run((second * 1_000 + process * 10, process) for second in range(40) for process in range(60))
    assert max(fleet.by_second().values()) <= 20
    assert all(taken <= 20 for slots in fleet.store.slots.values() for taken in slots.values())


def test_budget_of_a_slot_without_leased_tokens_lets_no_token_be_spent() -> None:
    """The next epoch of a run may have no executions."""
    tokens = LeasedTokens(expires_at=1)
    assert tokens.spend(0, 0)
    assert not tokens.spend(0, 1)
