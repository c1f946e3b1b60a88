"""The hot-scope notes of one process: best effort, in small writes, with room for every tenant."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import pytest

from shared.domain.errors import ThrottledError, UnavailableError
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.hot_scopes import (
    HOT_SCOPE_PARTS,
    MAX_IN_PART,
    SHARE_DIVISOR,
    part_of,
    tag_with_tenant,
)
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.ports.limits import MAX_HOT_SCOPE_WRITES
from shared.usecases.limits.hot_scope_notes import HOT_SCOPES_TTL_MS, NOTE_AGAIN_MS
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
        self.throttled: set[int] = set()
        """The parts of the hot-scope index that throttle their readers."""

    def note_hot_scopes(self, part: int, until: Mapping[str, int], gone: Sequence[str] = ()) -> None:
        self.sizes.append((len(until), len(gone)))
        if self.is_full:
            raise UnavailableError("the item is too large")
        super().note_hot_scopes(part, until, gone)

    def hot_scopes(self, parts: Collection[int]) -> Mapping[int, Mapping[str, int]]:
        found = super().hot_scopes(parts)
        if self.throttled >= set(parts):
            raise ThrottledError("too many readers")
        return {part: entries for part, entries in found.items() if part not in self.throttled}


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


def in_part(part: int, count: int, first: int = 0) -> list[str]:
    """Destinations whose entries belong to one part of the hot-scope index."""
    found = (scope for scope in destinations(range(first, first + 10_000)) if part_of(scope) == part)
    return list(islice(found, count))


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
    process.note("acme", range(1))
    assert sorted(process.notes.hot(destinations(range(5)))) == destinations(range(2))
    assert process.store.sizes == [(1, 0)] * 2, "each part is left alone for a while"
    process.store.is_full = False
    process.clock.time_ms += COOLDOWN_MS
    process.notes.note({})
    assert sorted(process.store.hot) == destinations(range(2))


def test_write_is_never_larger_than_the_store_takes_and_the_rest_comes_with_the_next() -> None:
    process = Process()
    old = in_part(0, 2 * MAX_HOT_SCOPE_WRITES)
    process.store.hot = dict.fromkeys(old, DUE_AT - NOTE_AGAIN_MS - 1)
    new = in_part(0, 2 * MAX_HOT_SCOPE_WRITES, first=50_000)
    by_tag = {tag_with_tenant(UNTIL, f"tenant{number}", 0): f"tenant{number}" for number in range(500)}
    for scope, tenant_id in zip(new, by_tag.values(), strict=False):
        process.notes.set_tenant([scope], tenant_id)
    process.notes.note(dict.fromkeys(new, UNTIL))
    process.notes.note({})
    process.notes.note({})
    assert process.store.sizes == [(MAX_HOT_SCOPE_WRITES, MAX_HOT_SCOPE_WRITES)] * 2
    assert set(process.store.hot) == set(new)


def test_notes_of_one_batch_take_one_write_for_each_part() -> None:
    process = Process()
    scopes = [tenant_scope(f"{number}") for number in range(100)]
    process.notes.note(dict.fromkeys(scopes, UNTIL))
    assert len(process.store.sizes) <= HOT_SCOPE_PARTS
    assert set(process.store.hot) == set(scopes)


def test_failed_write_to_one_part_delays_the_others_to_the_next_batch() -> None:
    process = Process()
    process.store.is_full = True
    scopes = [*in_part(1, 1), *in_part(2, 1)]
    process.notes.note(dict.fromkeys(scopes, UNTIL))
    assert len(process.store.sizes) == 1
    process.store.is_full = False
    process.notes.note({})
    assert set(process.store.hot) == {scopes[1]}
    process.clock.time_ms += COOLDOWN_MS
    process.notes.note({})
    assert set(process.store.hot) == set(scopes)


def test_tenant_cannot_fill_the_hot_scope_index_from_several_processes() -> None:
    store, share = WatchedStore(), MAX_IN_PART // SHARE_DIVISOR
    for number in range(4):
        process = Process(store)
        process.note("acme", range(400 * number, 400 * number + 400))
    assert len(store.hot) <= share * HOT_SCOPE_PARTS
    assert max(Counter(map(part_of, store.hot)).values()) == share
    before = len(store.hot)
    process.note("globex", range(2_000, 2_010))
    process.notes.note({tenant_scope("acme"): UNTIL})
    assert len(store.hot) == before + 11


def test_tenant_without_room_in_the_index_is_remembered_by_the_process_alone() -> None:
    process, scopes = Process(), in_part(0, 40)
    process.notes.set_tenant(scopes, "acme")
    process.notes.note(dict.fromkeys(scopes, UNTIL))
    assert len(process.store.hot) < len(scopes)
    assert process.notes.hot(scopes) == set(scopes)


def test_destinations_without_a_known_tenant_share_the_places_of_one_tenant() -> None:
    process = Process()
    for scope in in_part(0, 40):
        process.notes.note({scope: UNTIL})
    assert len(process.store.hot) == MAX_IN_PART // SHARE_DIVISOR


def test_full_part_has_room_again_once_its_entries_have_expired() -> None:
    process = Process()
    entries = in_part(0, MAX_IN_PART)
    process.store.hot = {scope: UNTIL + number for number, scope in enumerate(entries)}
    later, latest = in_part(0, 2, first=50_000)
    process.notes.note({later: UNTIL})
    assert process.store.sizes == []
    assert process.notes.hot([later]) == {later}
    process.clock.time_ms = UNTIL + MAX_IN_PART + NOTE_AGAIN_MS + 1
    process.notes.note({latest: process.clock.time_ms + NOTE_AGAIN_MS})
    assert latest in process.store.hot
    assert process.store.sizes == [(1, MAX_HOT_SCOPE_WRITES)]


@pytest.mark.parametrize("throttled", [{0}, set(range(HOT_SCOPE_PARTS))])
def test_scopes_of_a_throttled_part_may_be_hot_until_it_can_be_read(throttled: set[int]) -> None:
    process = Process()
    (mine,), (other,) = in_part(0, 1), in_part(1, 1)
    process.store.throttled = throttled
    assert process.notes.hot([mine, other]) == set()
    assert mine in process.notes.may_be_hot([mine, other])
    assert not process.limits.backoff.is_active
    process.store.throttled = set()
    process.clock.time_ms += COOLDOWN_MS
    assert process.notes.may_be_hot([mine, other]) == set()


def test_entries_of_a_throttled_part_stay_known_until_they_expire() -> None:
    process = Process()
    (mine,) = in_part(0, 1)
    process.store.hot = {mine: UNTIL}
    assert process.notes.hot([mine]) == {mine}
    process.store.throttled = {0}
    process.clock.time_ms += HOT_SCOPES_TTL_MS
    assert process.notes.hot([mine]) == {mine}
    process.clock.time_ms = UNTIL
    assert process.notes.hot([mine]) == set()


def test_worker_reads_each_part_at_most_every_two_seconds_and_only_those_of_its_scopes() -> None:
    """docs/design/capacity.md computes read units from these counts."""
    seconds, batches_a_second = 60, 20
    for scopes, parts in ((in_part(0, 1), 1), (destinations(range(1_000)), HOT_SCOPE_PARTS)):
        process = Process()
        for _ in range(seconds * batches_a_second):
            process.notes.hot(scopes)
            process.notes.may_be_hot(scopes)
            process.clock.time_ms += 1_000 // batches_a_second
        assert process.store.parts_read == parts * seconds * 1_000 // HOT_SCOPES_TTL_MS
        assert process.store.requests == seconds * 1_000 // HOT_SCOPES_TTL_MS


def test_throttled_parts_are_read_less_often() -> None:
    process = Process()
    process.store.throttled = {0}
    for _ in range(60):
        process.notes.may_be_hot(in_part(0, 1))
        process.clock.time_ms += 1_000
    assert process.store.parts_read == 60_000 // COOLDOWN_MS


def test_recovered_scope_is_dropped_from_unwritten_notes() -> None:
    process = Process()
    process.store.is_full = True
    process.note("acme", range(1))
    process.notes.note({}, gone=destinations(range(1)))
    assert process.notes.hot(destinations(range(1))) == set()


def test_unwritten_note_counts_though_the_hot_scope_index_has_an_expired_entry() -> None:
    process = Process()
    (scope,) = destinations(range(1))
    process.store.hot = {scope: DUE_AT - 1}
    process.store.is_full = True
    process.note("acme", range(1))
    assert scope in process.notes.hot([scope])


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
