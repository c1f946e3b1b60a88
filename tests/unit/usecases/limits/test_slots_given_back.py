"""Slots are given back with the batch: a process that gets no other one stands still, and could not do it later."""

from copy import copy
from functools import partial

import pytest

from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import LEASE_MS, MAX_HOLDERS, SPARE_DIVISOR
from shared.names import EXECUTOR_BATCH
from shared.usecases.limits.admit_calls import STAND_ASIDE_MS
from shared.usecases.limits.scope_cooldowns import MAX_CACHED
from shared.usecases.limits.settle_limits import HOLD_MS
from shared.usecases.limits.throttle_batch import ThrottleBatch
from tests.support.builders import TENANT
from tests.support.usecases.limited_site import HERE, Site, arrived

SCOPE = tenant_scope(TENANT)
LIMIT = 320


def begin(site: Site, gate: ThrottleBatch, count: int = 1) -> int:
    """A batch of so many messages; how many calls may be made."""
    number = len(site.table.executions)
    jobs = site.due(*range(number, number + count))
    return count - len(gate.defer([arrived(site, job) for job in jobs]))


def one_batch(site: Site, gate: ThrottleBatch, count: int = 1) -> int:
    made = begin(site, gate, count)
    gate.report([])
    return made


def held(site: Site) -> int:
    return sum(lease.slots for lease in site.limits.states[SCOPE].leases)


@pytest.mark.parametrize("count", [1, EXECUTOR_BATCH])
def test_processes_that_stand_still_after_a_batch_keep_nothing(count: int) -> None:
    site = Site(concurrency=LIMIT)
    for _ in range(MAX_HOLDERS):
        assert one_batch(site, site.another(), count) == count
        site.clock.time_ms += 100
    assert held(site) == 0
    assert begin(site, site.another(), 100) == 100
    assert begin(site, site.another(), 100) == 100


def test_a_batch_that_follows_at_once_uses_what_the_last_one_has_left() -> None:
    site = Site(concurrency=LIMIT)
    busy = site.another()
    one_batch(site, busy)
    site.clock.time_ms += HOLD_MS - 1
    one_batch(site, busy)
    written = site.limits.writes
    for _ in range(20):
        site.clock.time_ms += 50
        assert one_batch(site, busy, EXECUTOR_BATCH) == EXECUTOR_BATCH
    assert (site.limits.writes, held(site)) == (written, EXECUTOR_BATCH)
    site.clock.time_ms += HOLD_MS // 2
    one_batch(site, busy)
    assert held(site) == 0, "and not for long"


def test_a_batch_that_comes_later_says_nothing_of_the_next() -> None:
    site = Site(concurrency=LIMIT)
    rare = site.another()
    for _ in range(5):
        one_batch(site, rare)
        assert held(site) == 0
        site.clock.time_ms += HOLD_MS


def test_a_long_batch_that_followed_another_keeps_nothing_beyond_its_time() -> None:
    site = Site(concurrency=LIMIT)
    slow = site.another()
    one_batch(site, slow)
    begin(site, slow)
    site.clock.time_ms += 60_000
    slow.report([])
    assert held(site) == 0


@pytest.mark.parametrize("limit", [1, 3, 4, 33, LIMIT, 1_000])
@pytest.mark.parametrize("count", [1, EXECUTOR_BATCH])
def test_busy_processes_that_stand_still_all_at_once_keep_a_quarter_at_the_most(
    limit: int, count: int
) -> None:
    site = Site(concurrency=limit)
    gates = [site.another() for _ in range(MAX_HOLDERS)]
    for _ in range(3):
        for gate in gates:
            begin(site, gate, count)
        for gate in gates:
            gate.report([])
    assert held(site) <= limit // SPARE_DIVISOR
    site.clock.time_ms += LEASE_MS - 1
    free = limit - limit // SPARE_DIVISOR
    assert begin(site, site.another(), min(100, free)) == min(100, free)


def test_slots_are_given_back_though_others_take_theirs_meanwhile() -> None:
    site = Site(concurrency=LIMIT)
    mine = site.another()
    begin(site, mine)
    for _ in range(5):
        other = site.another()
        site.steps.before("limits.swap", partial(begin, site, other))
    mine.report([])
    assert "mine" not in {lease.owner for lease in site.limits.states[SCOPE].leases}


def test_a_large_limit_is_reached_by_full_batches_of_many_processes() -> None:
    site = Site(concurrency=1_000)
    gates = [site.another() for _ in range(100)]
    assert sum(begin(site, gate, EXECUTOR_BATCH) for gate in gates) == 1_000
    assert begin(site, site.another(), EXECUTOR_BATCH) == 0
    for gate in gates:
        gate.report([])
    assert held(site) == 0


def test_the_limit_holds_while_processes_keep_slots() -> None:
    site = Site(concurrency=40)
    busy = [site.another() for _ in range(10)]
    for _ in range(3):
        going_on = sum(begin(site, gate, EXECUTOR_BATCH) for gate in busy)
        assert going_on == 40
        for gate in busy:
            gate.report([])
        site.clock.time_ms += 10_000


@pytest.mark.parametrize("seconds", [1, 4])
def test_a_read_that_is_behind_makes_no_process_forget_its_slots(
    seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(destination_concurrency=LIMIT)
    scope, gate = destination_scope(HERE), site.another()
    site.limits.hot[scope] = site.clock.time_ms + LEASE_MS
    before = copy(site.limits.states)
    assert begin(site, gate) == 1
    site.clock.time_ms += seconds * 1_000
    with monkeypatch.context() as behind:
        behind.setattr(
            site.limits, "read", lambda scopes: {one: before.get(one, ScopeState()) for one in scopes}
        )
        gate.report([])
    assert site.limits.states[scope].leases == ()


def test_slots_are_given_back_though_very_many_scopes_are_known() -> None:
    site = Site(concurrency=1)
    gate = site.another()
    gate.admit.limits.refresh([destination_scope(f"{number:010d}") for number in range(MAX_CACHED - 2)])
    site.limits.hot[destination_scope(HERE)] = site.clock.now_ms() + LEASE_MS
    site.limits.states[destination_scope(HERE)] = ScopeState(version=1, circuit=Circuit(failures=1))
    assert begin(site, gate) == 1
    site.clock.time_ms += 1_500
    gate.report([])
    assert held(site) == 0


def test_a_destination_where_others_wait_stays_on_the_board() -> None:
    """Giving slots back says nothing of those that had to wait; the board is told once, however many batches end."""
    site = Site(destination_concurrency=1)
    gate, scope = site.another(), destination_scope(HERE)
    for _ in range(20):
        assert begin(site, gate, 3) == 1
        site.clock.time_ms += 50
        gate.report([])
        assert scope in site.limits.hot
        assert site.limits.states[scope].leases == ()
        site.clock.time_ms += STAND_ASIDE_MS
    assert site.steps.count("limits.note_hot_scopes") <= 3
