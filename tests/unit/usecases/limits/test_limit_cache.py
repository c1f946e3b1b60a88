"""The board of trouble as one process writes it: best effort, in small writes, with a place for every tenant."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.hot_scopes import MAX_HOT_SCOPES, MAX_OF_TENANT
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.ports.limits import MAX_HOT_SCOPE_WRITES
from shared.usecases.limits.limit_cache import (
    LEAST_PAUSE_MS,
    MOST_PAUSE_MS,
    NOTE_AGAIN_MS,
    STATE_MS,
    TRIES,
    LimitStates,
)
from shared.usecases.limits.scope_cooldowns import COOLDOWN_MS, MAX_KNOWN
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.fakes.limit_store import FakeLimitStore

UNTIL = DUE_AT + 600_000


class WatchedStore(FakeLimitStore):
    """Takes no updates of the board while it is full, and remembers how large each was."""

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
        self.states = LimitStates(
            store=self.store, clock=self.clock, owner="process1", entropy=self.entropy, pause=self.pause
        )
        self.pauses: list[int] = []

    def pause(self, duration_ms: int) -> None:
        """Time passes."""
        self.pauses.append(duration_ms)
        self.clock.time_ms += duration_ms

    def note(self, tenant_id: str, numbers: range) -> None:
        """Trouble at destinations of a tenant."""
        scopes = destinations(numbers)
        self.states.belong(scopes, tenant_id)
        self.states.note(dict.fromkeys(scopes, UNTIL))


def destinations(numbers: range) -> list[str]:
    return [destination_scope(f"{number:010d}") for number in numbers]


def failing(state: ScopeState) -> ScopeState:
    return ScopeState(version=state.version, circuit=Circuit(failures=state.circuit.failures + 1))


def test_a_board_that_takes_no_more_does_not_switch_off_the_limits() -> None:
    process = Process()
    process.store.is_full = True
    process.note("acme", range(3))
    assert process.states.change("d#0000000000", failing)
    process.states.refresh(["d#0000000001"])
    assert process.store.states["d#0000000000"].circuit.failures == 1
    assert process.states.take_unanswered() == 0


def test_what_could_not_be_written_is_gone_by_here_and_written_a_little_later() -> None:
    process = Process()
    process.store.is_full = True
    process.note("acme", range(1))
    process.note("acme", range(1, 2))
    assert sorted(process.states.hot_scopes()) == destinations(range(2))
    assert process.store.sizes == [(1, 0)], "left alone for a while"
    process.store.is_full = False
    process.clock.time_ms += COOLDOWN_MS
    process.states.note({})
    assert sorted(process.store.board) == destinations(range(2))


def test_a_write_is_never_larger_than_the_store_takes_and_the_rest_comes_with_the_next() -> None:
    process = Process()
    process.store.board = dict.fromkeys(destinations(range(700)), DUE_AT - NOTE_AGAIN_MS - 1)
    process.states.hot_scopes()
    for tenant in range(3):
        process.note(f"tenant{tenant}", range(1_000 + 40 * tenant, 1_040 + 40 * tenant))
    for _ in range(20):
        process.states.note({tenant_scope(f"waits{len(process.store.sizes)}"): UNTIL})
    assert max(max(size) for size in process.store.sizes) == MAX_HOT_SCOPE_WRITES
    assert set(destinations(range(1_000, 1_120))) <= set(process.store.board)
    assert not set(destinations(range(700))) & set(process.store.board)


def test_a_hundred_at_once_take_two_writes() -> None:
    process = Process()
    scopes = [tenant_scope(f"{number}") for number in range(2 * MAX_HOT_SCOPE_WRITES)]
    process.states.note(dict.fromkeys(scopes, UNTIL))
    process.states.note({})
    process.states.note({})
    assert process.store.sizes == [(MAX_HOT_SCOPE_WRITES, 0)] * 2
    assert set(process.store.board) == set(scopes)


def test_one_tenant_does_not_fill_the_board_by_any_number_of_processes() -> None:
    store = WatchedStore()
    for number in range(4):
        process = Process(store)
        process.states.hot_scopes()
        process.note("acme", range(40 * number, 40 * number + 40))
    assert len(store.board) == MAX_OF_TENANT
    process.note("globex", range(1_000, 1_010))
    process.states.note({tenant_scope("acme"): UNTIL})
    assert len(store.board) == MAX_OF_TENANT + 11
    assert set(destinations(range(120, 160))) <= set(process.states.hot_scopes()), "whoever heard of it knows"


def test_destinations_of_nobody_known_share_the_places_of_one_tenant() -> None:
    process = Process()
    for number in range(2 * MAX_OF_TENANT):
        process.states.note({destination_scope(f"{number:010d}"): UNTIL})
    assert len(process.store.board) == MAX_OF_TENANT


def test_a_full_board_has_room_again_once_what_stands_there_has_passed() -> None:
    process = Process()
    process.store.board = {f"t#{number}": UNTIL + number for number in range(MAX_HOT_SCOPES)}
    process.states.hot_scopes()
    process.note("acme", range(1))
    assert process.store.sizes == []
    assert destinations(range(1))[0] in process.states.hot_scopes()
    process.clock.time_ms = UNTIL + MAX_HOT_SCOPES + NOTE_AGAIN_MS + 1
    process.states.note({"d#later": process.clock.time_ms + NOTE_AGAIN_MS})
    assert "d#later" in process.store.board
    assert process.store.sizes == [(1, MAX_HOT_SCOPE_WRITES)]


def test_what_is_well_again_is_gone_by_nowhere() -> None:
    process = Process()
    process.store.is_full = True
    process.note("acme", range(1))
    process.states.note({}, gone=destinations(range(1)))
    assert process.states.hot_scopes() == {}


def test_what_is_unsaid_is_gone_by_though_the_board_says_that_it_has_passed() -> None:
    process = Process()
    (scope,) = destinations(range(1))
    process.store.board = {scope: DUE_AT - 1}
    process.states.hot_scopes()
    process.store.is_full = True
    process.note("acme", range(1))
    assert scope in process.states.hot_scopes()


@pytest.mark.parametrize("is_full", [False, True])
def test_a_process_remembers_so_many_scopes_and_no_more(is_full: bool) -> None:
    process = Process()
    process.store.is_full = is_full
    last = MAX_KNOWN + 100
    for number in range(last + 1):
        process.note(f"tenant{number}", range(number, number + 1))
        process.states.change(destination_scope(f"{number:010d}"), failing)
        process.states.refresh([])
    kept: Any = process.states
    for name in ("_written_at", "_owners", "_unsaid", "_known"):
        assert len(getattr(kept, name)) <= MAX_KNOWN + 1, name
    assert process.states.written_before_ms(destination_scope(f"{last:010d}")) == 0


def test_whoever_was_refused_lets_others_go_first_for_a_time_that_is_drawn() -> None:
    process, other = Process(), "d#0000000000"
    for version in range(1, 100):
        process.store.states[other] = ScopeState(
            version=10**15 + 9 * version, circuit=Circuit(failures=version)
        )
        process.states.change(other, failing)
    assert len(process.pauses) == 99, "one refusal each, and then what stands there is known"
    assert LEAST_PAUSE_MS <= min(process.pauses) < max(process.pauses) <= MOST_PAUSE_MS
    assert len(set(process.pauses)) > 20


def test_nobody_pauses_after_the_last_try_or_without_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Process()
    assert process.states.change("d#0000000000", failing)
    assert process.pauses == []
    monkeypatch.setattr(process.store, "swap", lambda *_: ScopeState(version=1))
    assert process.states.change("d#0000000000", failing) is False
    assert len(process.pauses) == TRIES - 1


def test_what_is_forgotten_is_what_was_heard_of_longest_ago() -> None:
    process = Process()
    first, mine = "t#first", "t#mine"
    for scope in (mine, first):
        process.states.change(scope, failing)
    process.states.slots_of[mine] = 1
    process.states.refresh(destinations(range(MAX_KNOWN - 1)))
    process.clock.time_ms += STATE_MS
    process.states.refresh(destinations(range(MAX_KNOWN - 1)))
    assert process.states.of(first) == ScopeState()
    assert process.states.of(mine).circuit.failures == 1
    assert all(process.states.is_fresh(scope) for scope in destinations(range(MAX_KNOWN - 1)))
