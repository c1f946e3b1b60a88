"""LimitStore: states change by compare-and-swap alone, and the hot-scope index shows the last note."""

from dataclasses import replace

from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import MAX_LARGE_HOLDERS, SlotLease
from shared.ports.limits import MAX_HOT_SCOPE_WRITES
from tests.support.builders import DUE_AT, TENANT
from tests.support.conformance.labs import Lab
from tests.support.conformance.limits import FULL

SCOPE, OTHER = tenant_scope(TENANT), destination_scope("0123456789")


def stored(lab: Lab, scope: str = SCOPE) -> ScopeState:
    return lab.limits.read([scope])[scope]


def test_new_scope_has_an_empty_state(lab: Lab) -> None:
    assert dict(lab.limits.read([SCOPE, OTHER, SCOPE])) == {SCOPE: ScopeState(), OTHER: ScopeState()}
    assert dict(lab.limits.read([])) == {}


def test_every_part_of_a_state_is_kept(lab: Lab) -> None:
    assert lab.limits.swap(SCOPE, ScopeState(), FULL, DUE_AT) is None
    assert replace(stored(lab), version=0) == FULL
    assert stored(lab, OTHER) == ScopeState()


def test_a_swap_from_another_version_is_refused_and_shows_what_stands(lab: Lab) -> None:
    assert lab.limits.swap(SCOPE, ScopeState(), FULL, DUE_AT) is None
    assert lab.limits.swap(SCOPE, ScopeState(), ScopeState(), DUE_AT) == stored(lab)
    stale = replace(stored(lab), version=stored(lab).version - 1)
    assert lab.limits.swap(SCOPE, stale, ScopeState(), DUE_AT) == stored(lab)
    assert replace(stored(lab), version=0) == FULL


def test_a_swap_from_what_was_read_is_made_and_gives_a_later_version(lab: Lab) -> None:
    assert lab.limits.swap(SCOPE, ScopeState(), FULL, DUE_AT) is None
    before = stored(lab)
    assert lab.limits.swap(SCOPE, before, replace(before, leases=()), DUE_AT - 60_000) is None
    after = stored(lab)
    assert after.version > before.version
    assert (after.circuit, after.leases) == (FULL.circuit, ())
    assert lab.limits.swap(SCOPE, before, FULL, DUE_AT) == after


def test_a_swap_of_what_has_expired_is_refused_and_shows_that_nothing_stands(lab: Lab) -> None:
    assert lab.limits.swap(SCOPE, replace(FULL, version=DUE_AT), FULL, DUE_AT) == ScopeState()


def test_a_full_house_of_holders_is_kept(lab: Lab) -> None:
    leases = tuple(SlotLease(owner=f"{n:08d}", slots=999, until=DUE_AT + n) for n in range(MAX_LARGE_HOLDERS))
    assert lab.limits.swap(SCOPE, ScopeState(), ScopeState(leases=leases), DUE_AT) is None
    assert stored(lab).leases == leases


def test_a_hundred_scopes_are_read_at_once(lab: Lab) -> None:
    scopes = [destination_scope(f"{number:010d}") for number in range(100)]
    for scope in scopes[::10]:
        assert lab.limits.swap(scope, ScopeState(), FULL, DUE_AT) is None
    found = lab.limits.read(scopes)
    assert [scope for scope in scopes if found[scope].version] == scopes[::10]


def test_the_board_shows_what_was_noted_last_of_each_scope(lab: Lab) -> None:
    assert dict(lab.limits.hot_scopes()) == {}
    lab.limits.note_hot_scopes({SCOPE: DUE_AT})
    lab.limits.note_hot_scopes({OTHER: DUE_AT, SCOPE: DUE_AT + 1})
    lab.limits.note_hot_scopes({OTHER: DUE_AT + 2})
    assert dict(lab.limits.hot_scopes()) == {SCOPE: DUE_AT + 1, OTHER: DUE_AT + 2}


def test_largest_note_of_hot_scopes_is_added_and_removed_in_a_single_write(
    lab: Lab,
) -> None:
    scopes = [destination_scope(f"{number:010d}") for number in range(2 * MAX_HOT_SCOPE_WRITES)]
    first, second = scopes[:MAX_HOT_SCOPE_WRITES], scopes[MAX_HOT_SCOPE_WRITES:]
    lab.limits.note_hot_scopes(dict.fromkeys(first, DUE_AT))
    lab.limits.note_hot_scopes(dict.fromkeys(second, DUE_AT), gone=first)
    assert dict(lab.limits.hot_scopes()) == dict.fromkeys(second, DUE_AT)


def test_scopes_are_taken_from_the_board(lab: Lab) -> None:
    lab.limits.note_hot_scopes({SCOPE: DUE_AT, OTHER: DUE_AT})
    lab.limits.note_hot_scopes({SCOPE: DUE_AT + 1}, gone=[OTHER, SCOPE, "d#never"])
    assert dict(lab.limits.hot_scopes()) == {SCOPE: DUE_AT + 1}
    lab.limits.note_hot_scopes({}, gone=[SCOPE])
    assert dict(lab.limits.hot_scopes()) == {}
