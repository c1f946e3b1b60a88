"""Thin traffic leases for a minute with one write, and takes nothing from the promise of a limit."""

import random
from collections.abc import Mapping, Sequence

import pytest

from shared.domain.tenancy.budget import BudgetKey, BudgetName, TokenLease
from shared.usecases.tenancy.spend_budget import SpendBudget
from tests.support.builders import TENANT
from tests.support.fakes.budgets import FakeBudgetStore
from tests.support.fakes.clock import VirtualClock
from tests.support.usecases.fleet import START_MS, Fleet

DUE_LIMIT = 60_000


def writes_of_creations(every_ms: int, limit: int, seconds: int) -> float:
    """Writes for each job that is due soon, after the first minute."""
    store, clock = FakeBudgetStore(), VirtualClock(START_MS)
    spend = SpendBudget(budgets=store, clock=clock)
    made, before = 0, 0
    for at in range(0, seconds * 1_000, every_ms):
        clock.time_ms = START_MS + at
        if at < 60_000:
            before = store.writes
        else:
            made += 1
        minute = (clock.time_ms + 1_000) // 60_000
        assert spend.per_second(TENANT, BudgetName.CREATES, limit)
        assert spend.in_minute(TENANT, BudgetName.DUE, minute, DUE_LIMIT)
    return (store.writes - before) / made


@pytest.mark.parametrize("limit", [20, 100, 10_000])
@pytest.mark.parametrize(("every_ms", "most"), [(400, 0.04), (1_300, 0.1), (5_000, 0.25)])
def test_trickle_in_real_time_writes_for_few_of_its_jobs(every_ms: int, most: float, limit: int) -> None:
    """At 400 ms the demand of three a second is no small one of a limit of 20."""
    few = most if every_ms > 1_000 or limit > 60 else 0.1
    assert writes_of_creations(every_ms, limit, 300) <= few


def test_first_minute_of_a_trickle_takes_two_writes_for_its_rate() -> None:
    fleet = Fleet(1, 100).run((at, 0) for at in range(0, 60_000, 1_300))
    assert (fleet.asked, fleet.store.writes) == (47, 2)


def test_lone_request_leases_one_token() -> None:
    fleet = Fleet(1, 100).run([(0, 0)])
    assert list(fleet.store.slots.values()) == [{0: 1}]


def frozen_now_and_then(chance: random.Random, processes: int, limit: int) -> list[tuple[int, int]]:
    """Trickles of processes that freeze for up to 90 s, and come back with bursts in the same seconds."""
    arrivals = []
    for process in range(processes):
        at = chance.randrange(5_000)
        while at < 200_000:
            arrivals.append((at, process))
            at += chance.randrange(200, 3_000) if chance.random() < 0.97 else chance.randrange(90_000)
    bursts = [chance.randrange(200) * 1_000 for _ in range(5)]
    arrivals += [
        (burst + chance.randrange(1_000), chance.randrange(processes))
        for burst in bursts
        for _ in range(3 * limit)
    ]
    return sorted(arrivals)


@pytest.mark.parametrize("seed", range(20))
def test_processes_that_freeze_and_return_never_pass_the_limit_together(seed: int) -> None:
    chance = random.Random(seed)
    limit, processes = chance.choice([1, 19, 20, 50, 200]), chance.choice([2, 11, 60])
    fleet = Fleet(processes, limit).run(frozen_now_and_then(chance, processes, limit))
    assert max(fleet.by_second().values()) <= limit
    assert all(taken <= limit for slots in fleet.store.slots.values() for taken in slots.values())


def test_trickles_that_went_quiet_leave_three_quarters_of_each_second() -> None:
    """Their leases of the rest of the minute are lost to the limit, together at most a quarter of it."""
    fleet = Fleet(61, 100)
    fleet.run((second * 1_000 + process, process) for second in range(3) for process in range(60))
    late = [fleet.ask(60, 40_000 + number) for number in range(200)]
    assert 75 <= sum(late) < 100


def test_burst_leases_no_more_than_ten_seconds_ahead() -> None:
    fleet = Fleet(1, 100).run((second * 1_000 + number, 0) for second in range(3) for number in range(50))
    (slots,) = fleet.store.slots.values()
    assert max(slots) <= 2 + 9


def test_process_that_finds_the_far_seconds_full_leases_the_near_ones() -> None:
    fleet = Fleet(40, 100)
    fleet.run((second * 1_000 + process, process) for second in range(3) for process in range(40))
    (slots,) = fleet.store.slots.values()
    assert (slots[9], slots[30]) == (40, 25)


@pytest.mark.parametrize(
    ("limit", "busy", "thin", "other"), [(100, 90, 1, 80), (100, 40, 2, 90), (1_000, 900, 5, 700)]
)
def test_process_that_is_no_longer_busy_leaves_its_share_to_others_within_twenty_seconds(
    limit: int, busy: int, thin: int, other: int
) -> None:
    start = -START_MS % 60_000
    fleet = Fleet(2, limit)
    fleet.run((start + at * 1_000 // busy, 0) for at in range(60 * busy))
    moved = [(start + 60_000 + at * 1_000 // thin, 0) for at in range(60 * thin)]
    moved += [(start + 60_000 + at * 1_000 // other, 1) for at in range(60 * other)]
    refused = [at for at, process in sorted(moved) if not fleet.ask(process, at)]
    assert [at for at in refused if at >= start + 80_000] == []


class ContestedStore(FakeBudgetStore):
    """Other processes fill one more of the later seconds before each write."""

    def take(
        self, key: BudgetKey, leases: Sequence[TokenLease], expires_at_s: int
    ) -> Mapping[int, int] | None:
        """See the port."""
        if len(leases) > 1:
            self.slots.setdefault(key, {})[leases[1].slot] = leases[1].ceiling
        return super().take(key, leases, expires_at_s)


def test_later_seconds_that_others_fill_meanwhile_refuse_nothing_of_the_present_one() -> None:
    fleet = Fleet(1, 100, ContestedStore())
    assert all(fleet.ask(0, second * 1_000 + number * 200) for second in range(60) for number in range(5))


def test_lowered_limit_holds_from_the_next_request_on() -> None:
    start = -START_MS % 60_000
    fleet = Fleet(5, 1_000)
    fleet.run((start + at * 20, at % 5) for at in range(62 * 50))
    fleet.limit = 20
    admitted = [
        sum(fleet.ask(at % 5, start + second * 1_000 + at * 4) for at in range(250))
        for second in range(63, 125)
    ]
    assert max(admitted) <= 20
    assert min(admitted[-5:]) > 0


def test_due_minute_strands_no_more_than_a_small_share_in_each_process() -> None:
    """Every process has spent much of the minute before, and one token of this one."""
    store, clock = FakeBudgetStore(), VirtualClock(START_MS)
    minute = START_MS // 60_000
    for _ in range(20):
        spend = SpendBudget(budgets=store, clock=clock)
        spend.in_minute(TENANT, BudgetName.DUE, minute, 10_000, 300)
        spend.in_minute(TENANT, BudgetName.DUE, minute + 1, 10_000)
    leased = [slots[0] for key, slots in store.slots.items() if key.window == minute + 1]
    assert leased == [20 * 32]
