"""A scope whose item does not answer goes by what is known of it; nobody else's limits are lifted for it."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

import pytest

from shared.domain.errors import ThrottledError, UnavailableError
from shared.domain.executions.states import State
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import LEASE_MS, SlotLease
from shared.names import EXECUTOR_BATCH
from shared.usecases.limits.limit_cache import ChangeResult
from shared.usecases.limits.scope_cooldowns import COOLDOWN_EXPIRY_MS, COOLDOWN_MS, GIVE_UP_MS
from shared.usecases.limits.settle_limits import HOLD_MS
from shared.usecases.limits.throttle_batch import ThrottleBatch
from tests.support.builders import TENANT
from tests.support.usecases.limited_site import HERE, Site, arrived, open_breaker

SCOPE = tenant_scope(TENANT)
FLOODER = tenant_scope("flooder")
LIMIT = 320


class HotStore:
    """Refuses what is asked of some scopes, and answers for all others."""

    def __init__(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fault: Exception | None = None
        self.hot: set[str] = set()
        self.asked = 0
        self._swap, self._read = site.limits.swap, site.limits.read
        monkeypatch.setattr(site.limits, "swap", self.swap)
        monkeypatch.setattr(site.limits, "read", self.read)

    def heat(self, scope: str, fault: Exception | None = None) -> None:
        """From now on nothing is answered for it."""
        self.hot.add(scope)
        self.fault = fault or ThrottledError("too many at once")

    def swap(self, scope: str, before: ScopeState, after: ScopeState, now_ms: int) -> ScopeState | None:
        if scope in self.hot and self.fault is not None:
            self.asked += 1
            raise self.fault
        return self._swap(scope, before, after, now_ms)

    def read(self, scopes: Sequence[str]) -> Mapping[str, ScopeState]:
        self.asked += bool(self.hot.intersection(scopes))
        return {scope: state for scope, state in self._read(scopes).items() if scope not in self.hot}


def begin(site: Site, gate: ThrottleBatch, count: int = 1) -> int:
    """A batch of so many messages; how many calls may be made."""
    number = len(site.table.executions)
    jobs = site.due(*range(number, number + count))
    return count - len(gate.defer([arrived(site, job, waited=1) for job in jobs]))


def held(site: Site) -> int:
    return sum(lease.slots for lease in site.limits.states[SCOPE].leases)


def lease(state: ScopeState) -> ScopeState:
    return ScopeState(version=state.version, leases=(SlotLease(owner="me", slots=1, until=2**60),))


def throttled(*_: object) -> NoReturn:
    raise ThrottledError("hot")


def test_limit_of_one_admits_one_while_the_items_of_the_hot_scopes_are_throttled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = Site(concurrency=1)
    monkeypatch.setattr(site.limits, "hot_scopes", throttled)
    monkeypatch.setattr(site.limits, "note_hot_scopes", throttled)
    jobs = site.due(*range(10))
    site.send_for(jobs)
    assert len(site.work().attempts) == 1
    assert site.states(jobs) == {State.SUCCEEDED: 1, State.QUEUED: 9}


def test_open_breaker_is_known_by_its_own_item_while_the_hot_scopes_are_throttled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = Site()
    open_breaker(site, site.clock.time_ms + 60_000)
    monkeypatch.setattr(site.limits, "hot_scopes", throttled)
    assert begin(site, site.another(), 5) == 0


def test_throttled_store_defers_calls_for_a_bounded_time_and_uses_no_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = Site(concurrency=1)
    for call in ("hot_scopes", "note_hot_scopes", "read", "swap"):
        monkeypatch.setattr(site.limits, call, throttled)
    gate, waited = site.another(), 0
    while begin(site, gate, 3) == 0:
        site.clock.time_ms += 2_000
        waited += 2_000
        assert waited <= GIVE_UP_MS + COOLDOWN_MS
    assert waited >= GIVE_UP_MS
    assert {row.execution.attempt for row in site.table.executions.values()} == {0}


@pytest.mark.parametrize("fault", [ThrottledError("hot"), UnavailableError("no answer")])
def test_unresponsive_scope_does_not_lift_the_limits_of_other_scopes(
    fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(concurrency=1)
    store, gate = HotStore(site, monkeypatch), site.another()
    store.heat(FLOODER, fault)
    assert gate.admit.limits.change(FLOODER, lease) is ChangeResult.CONTENDED
    assert begin(site, gate, 3) == 1
    assert gate.take_store_errors() == 1


def test_a_scope_that_does_not_answer_is_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=LIMIT)
    store, gate = HotStore(site, monkeypatch), site.another()
    store.heat(SCOPE)
    for _ in range(5):
        assert begin(site, gate) == 0
        site.clock.time_ms += COOLDOWN_MS // 5
    assert store.asked == 1
    begin(site, gate)
    assert store.asked == 2


def test_confirmed_slots_count_while_a_throttled_scope_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = Site(concurrency=LIMIT)
    store, gate = HotStore(site, monkeypatch), site.another()
    assert begin(site, gate, 10) == 10
    store.heat(SCOPE)
    gate.report([])
    assert (begin(site, gate, 10), held(site)) == (10, 10)
    gate.report([])
    assert begin(site, gate, 90) == 10, "and no more than that"


def test_slots_that_may_have_been_given_back_are_not_called_with(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=10)
    store, gate = HotStore(site, monkeypatch), site.another()
    assert begin(site, gate, 10) == 10
    site.steps.lose_answer("limits.swap")
    gate.report([])
    assert held(site) == 0
    assert begin(site, site.another(), 10) == 10
    store.heat(SCOPE, UnavailableError("no answer"))
    assert begin(site, gate, 10) == 0
    site.clock.time_ms += COOLDOWN_MS
    assert begin(site, gate, 10) == 0


def test_slots_that_may_have_been_taken_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=LIMIT)
    gate = site.another()
    site.steps.lose_answer("limits.swap")
    assert (begin(site, gate), held(site)) == (0, EXECUTOR_BATCH)
    site.clock.time_ms += COOLDOWN_MS
    gate.report([])
    assert held(site) == 0


def test_slots_are_given_back_once_the_scope_answers_again(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=LIMIT)
    store, gate = HotStore(site, monkeypatch), site.another()
    begin(site, gate)
    store.heat(SCOPE)
    gate.report([])
    site.clock.time_ms += COOLDOWN_MS
    store.hot.clear()
    gate.report([])
    assert held(site) == 0


def test_waiting_work_goes_on_where_a_scope_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=LIMIT)
    store, gate = HotStore(site, monkeypatch), site.another()
    store.heat(SCOPE)
    waited = 0
    while begin(site, gate, 3) == 0:
        site.clock.time_ms += 2_000
        waited += 2_000
        assert waited <= GIVE_UP_MS + COOLDOWN_MS
    assert waited >= GIVE_UP_MS
    store.hot.clear()
    site.clock.time_ms += COOLDOWN_MS
    site.limits.states[SCOPE] = ScopeState(
        version=1, leases=(SlotLease(owner="b", slots=LIMIT, until=site.clock.time_ms + LEASE_MS),)
    )
    assert begin(site, gate) == 0, "what answers has its limit again"


def test_a_single_miss_long_ago_says_nothing_now(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=LIMIT)
    store, gate = HotStore(site, monkeypatch), site.another()
    store.heat(SCOPE)
    assert begin(site, gate) == 0
    site.clock.time_ms += COOLDOWN_MS + COOLDOWN_EXPIRY_MS
    assert begin(site, gate) == 0


def test_a_scope_that_was_read_in_between_has_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=LIMIT)
    store, gate = HotStore(site, monkeypatch), site.another()
    store.heat(SCOPE)
    assert begin(site, gate) == 0
    store.hot.clear()
    for _ in range(GIVE_UP_MS // COOLDOWN_MS):
        site.clock.time_ms += COOLDOWN_MS
        gate.admit.limits.refresh([SCOPE])
    store.heat(SCOPE)
    site.clock.time_ms += COOLDOWN_MS
    assert begin(site, gate) == 0


def test_unreadable_scope_does_not_block_the_read_of_other_scopes(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=LIMIT, destination_concurrency=LIMIT)
    store, gate = HotStore(site, monkeypatch), site.another()
    store.heat(destination_scope(HERE))
    until = site.clock.time_ms + LEASE_MS
    full = ScopeState(version=1, leases=(SlotLease(owner="b", slots=LIMIT, until=until),))
    site.limits.states[SCOPE] = full
    gate.admit.limits.refresh([destination_scope(HERE), SCOPE])
    assert gate.admit.limits.get(SCOPE) == full
    assert gate.admit.limits.backoff.take_store_errors() == 1


def test_a_large_limit_that_many_write_about_is_written_about_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where others are faster again and again a busy process uses what it holds for some more batches."""
    site = Site(concurrency=1_000)
    gates = [site.another() for _ in range(60)]
    for gate in gates:
        begin(site, gate, EXECUTOR_BATCH)
    for gate in gates:
        gate.report([])
        begin(site, gate, EXECUTOR_BATCH)
    busy, scope = gates[0], SCOPE
    real = site.limits.swap

    def outrun(name: str, before: ScopeState, after: ScopeState, now_ms: int) -> ScopeState | None:
        existing = site.limits.states[scope]
        site.limits.states[scope] = ScopeState(version=existing.version + 1, leases=existing.leases)
        return real(name, before, after, now_ms)

    with monkeypatch.context() as crowd:
        crowd.setattr(site.limits, "swap", outrun)
        site.clock.time_ms += HOLD_MS
        busy.report([])
        written = site.limits.writes
        for _ in range(5):
            assert begin(site, busy, EXECUTOR_BATCH) == EXECUTOR_BATCH
            site.clock.time_ms += 100
            busy.report([])
        assert site.limits.writes == written
        begin(site, busy, EXECUTOR_BATCH)
    site.clock.time_ms += HOLD_MS
    busy.report([])
    assert "0" not in {one.owner for one in site.limits.states[scope].leases}
