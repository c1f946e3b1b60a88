"""The hot-scope notes of one process: best effort, in small writes, with room for every tenant."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.hot_scopes import MAX_HOT_SCOPES, MAX_OF_TENANT
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.ports.limits import MAX_HOT_SCOPE_WRITES
from shared.usecases.limits.hot_scope_notes import NOTE_AGAIN_MS
from shared.usecases.limits.limit_cache import (
    MAX_PAUSE_MS,
    MIN_PAUSE_MS,
    STATE_TTL_MS,
    TRIES,
    ChangeResult,
    LimitCache,
)
from shared.usecases.limits.scope_cooldowns import COOLDOWN_MS, MAX_CACHED
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.fakes.limit_store import FakeLimitStore

UNTIL = DUE_AT + 600_000


class WatchedStore(FakeLimitStore):
    """A store whose hot-scope index refuses updates while it is full, and that records the size of each."""

    def __init__(self) -> None:
        super().__init__()
        self.is_full = False
        self.sizes: list[tuple[int, int]] = []

    def note_hot_scopes(self, until: Mapping[str, int], gone: Sequence[str] = ()) -> None:
        self.sizes.append((len(until), len(gone)))
        if self.is_full:
            raise UnavailableError("the item is too large")
        super().note_hot_scopes(until, gone)


class Process:
    """One process over a store."""

    def __init__(self, store: WatchedStore | None = None) -> None:
        self.clock = VirtualClock(DUE_AT)
        self.store = store or WatchedStore()
        self.entropy = SeededEntropy()
        self.limits = LimitCache.over(self.store, self.clock, "process1", self.entropy, self.pause)
        self.notes = self.limits.hot_scopes
        self.pauses: list[int] = []

    def pause(self, duration_ms: int) -> None:
        """Time passes."""
        self.pauses.append(duration_ms)
        self.clock.time_ms += duration_ms

    def note(self, tenant_id: str, numbers: range) -> None:
        """Trouble at destinations of a tenant."""
        scopes = destinations(numbers)
        self.notes.set_tenant(scopes, tenant_id)
        self.notes.note(dict.fromkeys(scopes, UNTIL))


def destinations(numbers: range) -> list[str]:
    return [destination_scope(f"{number:010d}") for number in numbers]


def failing(state: ScopeState) -> ScopeState:
    return ScopeState(version=state.version, circuit=Circuit(failures=state.circuit.failures + 1))


def test_a_board_that_takes_no_more_does_not_switch_off_the_limits() -> None:
    process = Process()
    process.store.is_full = True
    process.note("acme", range(3))
    assert process.limits.change("d#0000000000", failing) is ChangeResult.APPLIED
    process.limits.refresh(["d#0000000001"])
    assert process.store.states["d#0000000000"].circuit.failures == 1
    assert process.limits.backoff.take_store_errors() == 0


def test_unwritten_hot_scope_note_counts_locally_and_is_written_after_a_cooldown() -> None:
    process = Process()
    process.store.is_full = True
    process.note("acme", range(1))
    process.note("acme", range(1, 2))
    assert sorted(process.notes.current()) == destinations(range(2))
    assert process.store.sizes == [(1, 0)], "left alone for a while"
    process.store.is_full = False
    process.clock.time_ms += COOLDOWN_MS
    process.notes.note({})
    assert sorted(process.store.hot) == destinations(range(2))


def test_a_write_is_never_larger_than_the_store_takes_and_the_rest_comes_with_the_next() -> None:
    process = Process()
    process.store.hot = dict.fromkeys(destinations(range(700)), DUE_AT - NOTE_AGAIN_MS - 1)
    process.notes.current()
    for tenant in range(3):
        process.note(f"tenant{tenant}", range(1_000 + 40 * tenant, 1_040 + 40 * tenant))
    for _ in range(20):
        process.notes.note({tenant_scope(f"waits{len(process.store.sizes)}"): UNTIL})
    assert max(max(size) for size in process.store.sizes) == MAX_HOT_SCOPE_WRITES
    assert set(destinations(range(1_000, 1_120))) <= set(process.store.hot)
    assert not set(destinations(range(700))) & set(process.store.hot)


def test_a_hundred_at_once_take_two_writes() -> None:
    process = Process()
    scopes = [tenant_scope(f"{number}") for number in range(2 * MAX_HOT_SCOPE_WRITES)]
    process.notes.note(dict.fromkeys(scopes, UNTIL))
    process.notes.note({})
    process.notes.note({})
    assert process.store.sizes == [(MAX_HOT_SCOPE_WRITES, 0)] * 2
    assert set(process.store.hot) == set(scopes)


def test_tenant_cannot_fill_the_hot_scope_index_from_several_processes() -> None:
    store = WatchedStore()
    for number in range(4):
        process = Process(store)
        process.notes.current()
        process.note("acme", range(40 * number, 40 * number + 40))
    assert len(store.hot) == MAX_OF_TENANT
    process.note("globex", range(1_000, 1_010))
    process.notes.note({tenant_scope("acme"): UNTIL})
    assert len(store.hot) == MAX_OF_TENANT + 11
    assert set(destinations(range(120, 160))) <= set(process.notes.current()), "whoever heard of it knows"


def test_destinations_of_nobody_known_share_the_places_of_one_tenant() -> None:
    process = Process()
    for number in range(2 * MAX_OF_TENANT):
        process.notes.note({destination_scope(f"{number:010d}"): UNTIL})
    assert len(process.store.hot) == MAX_OF_TENANT


def test_a_full_board_has_room_again_once_what_stands_there_has_passed() -> None:
    process = Process()
    process.store.hot = {f"t#{number}": UNTIL + number for number in range(MAX_HOT_SCOPES)}
    process.notes.current()
    process.note("acme", range(1))
    assert process.store.sizes == []
    assert destinations(range(1))[0] in process.notes.current()
    process.clock.time_ms = UNTIL + MAX_HOT_SCOPES + NOTE_AGAIN_MS + 1
    process.notes.note({"d#later": process.clock.time_ms + NOTE_AGAIN_MS})
    assert "d#later" in process.store.hot
    assert process.store.sizes == [(1, MAX_HOT_SCOPE_WRITES)]


def test_recovered_scope_is_dropped_from_unwritten_notes() -> None:
    process = Process()
    process.store.is_full = True
    process.note("acme", range(1))
    process.notes.note({}, gone=destinations(range(1)))
    assert process.notes.current() == {}


def test_unwritten_note_counts_though_the_hot_scope_index_has_an_expired_entry() -> None:
    process = Process()
    (scope,) = destinations(range(1))
    process.store.hot = {scope: DUE_AT - 1}
    process.notes.current()
    process.store.is_full = True
    process.note("acme", range(1))
    assert scope in process.notes.current()


@pytest.mark.parametrize("is_full", [False, True])
def test_a_process_remembers_so_many_scopes_and_no_more(is_full: bool) -> None:
    process = Process()
    process.store.is_full = is_full
    last = MAX_CACHED + 100
    for number in range(last + 1):
        process.note(f"tenant{number}", range(number, number + 1))
        process.limits.change(destination_scope(f"{number:010d}"), failing)
        process.limits.refresh([])
    limits, notes = cast("Any", process.limits), cast("Any", process.notes)
    for entries in (limits._written_at, limits._cached, notes._tenants, notes._pending_notes):
        assert len(entries) <= MAX_CACHED + 1
    assert process.limits.ms_since_write(destination_scope(f"{last:010d}")) == 0


def test_limit_change_is_retried_after_a_jittered_pause() -> None:
    process, other = Process(), "d#0000000000"
    for version in range(1, 100):
        process.store.states[other] = ScopeState(
            version=10**15 + 9 * version, circuit=Circuit(failures=version)
        )
        process.limits.change(other, failing)
    assert len(process.pauses) == 99, "one refusal each, and then what stands there is known"
    assert MIN_PAUSE_MS <= min(process.pauses) < max(process.pauses) <= MAX_PAUSE_MS
    assert len(set(process.pauses)) > 20


def test_limit_change_does_not_pause_after_the_last_try_or_without_a_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = Process()
    assert process.limits.change("d#0000000000", failing) is ChangeResult.APPLIED
    assert process.pauses == []
    monkeypatch.setattr(process.store, "swap", lambda *_: ScopeState(version=1))
    assert process.limits.change("d#0000000000", failing) is ChangeResult.CONTENDED
    assert len(process.pauses) == TRIES - 1


def test_limit_cache_evicts_the_least_recently_read_scope() -> None:
    process = Process()
    first, mine = "t#first", "t#mine"
    for scope in (mine, first):
        process.limits.change(scope, failing)
    process.limits.slot_limits[mine] = 1
    process.limits.refresh(destinations(range(MAX_CACHED - 1)))
    process.clock.time_ms += STATE_TTL_MS
    process.limits.refresh(destinations(range(MAX_CACHED - 1)))
    assert process.limits.get(first) == ScopeState()
    assert process.limits.get(mine).circuit.failures == 1
    assert all(process.limits.is_fresh(scope) for scope in destinations(range(MAX_CACHED - 1)))
