"""WaitSigns: what limits and lanes have told, all of it at once."""

from shared.domain.dispatch.sweep import LaneProgress
from shared.domain.dispatch.wait_hint import ThrottleSnapshot
from shared.domain.limits.hot_scopes import HOT_SCOPE_PARTS, part_of
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.names import Lane
from tests.support.builders import DUE_AT, TENANT
from tests.support.conformance.labs import Lab
from tests.support.conformance.limits import FULL

SCOPES = [destination_scope("0123456789"), tenant_scope(TENANT)]
LANES = [Lane.CRITICAL, Lane.STANDARD]
BEHIND = LaneProgress(visible_at=DUE_AT - 40_000, reported_at=DUE_AT)


def test_throttle_snapshot_is_empty_without_reports(lab: Lab) -> None:
    empty = ThrottleSnapshot(states=dict.fromkeys(SCOPES, ScopeState()), hot_scopes={})
    assert lab.throttle_status.read(SCOPES, LANES) == empty
    assert lab.throttle_status.read([], []) == ThrottleSnapshot(states={}, hot_scopes={})


def test_throttle_snapshot_has_states_hot_scopes_and_lane_progress(lab: Lab) -> None:
    lab.limits.swap(SCOPES[0], ScopeState(), FULL, DUE_AT)
    for scope, until in ((SCOPES[0], DUE_AT + 9), ("t#other", DUE_AT)):
        lab.limits.note_hot_scopes(part_of(scope), {scope: until})
    lab.progress.report(Lane.STANDARD, BEHIND)
    lab.progress.report(Lane.BULK, BEHIND)
    found = lab.throttle_status.read(SCOPES, LANES, range(HOT_SCOPE_PARTS))
    assert dict(found.states) == lab.limits.read(SCOPES)
    assert found.states[SCOPES[0]].circuit == FULL.circuit
    assert dict(found.hot_scopes) == {SCOPES[0]: DUE_AT + 9, "t#other": DUE_AT}
    assert list(found.progress) == [BEHIND]


def test_throttle_snapshot_has_only_the_requested_lanes(lab: Lab) -> None:
    lab.progress.report(Lane.STANDARD, BEHIND)
    assert lab.throttle_status.read(SCOPES, []).progress == []
    assert lab.throttle_status.read(SCOPES[:1], [Lane.CRITICAL]).progress == []


def test_a_scope_that_is_named_twice_is_read_once(lab: Lab) -> None:
    assert dict(lab.throttle_status.read([*SCOPES, *SCOPES], LANES).states) == dict.fromkeys(
        SCOPES, ScopeState()
    )


def test_throttle_snapshot_has_only_the_requested_parts_of_the_hot_scopes(lab: Lab) -> None:
    part = part_of(SCOPES[0])
    lab.limits.note_hot_scopes(part, {SCOPES[0]: DUE_AT + 9})
    lab.progress.report(Lane.STANDARD, BEHIND)
    assert dict(lab.throttle_status.read(SCOPES, LANES, [part]).hot_scopes) == {SCOPES[0]: DUE_AT + 9}
    for parts in ([], [(part + 1) % HOT_SCOPE_PARTS]):
        other = lab.throttle_status.read(SCOPES, LANES, parts)
        assert dict(other.hot_scopes) == {}
        assert (dict(other.states), list(other.progress)) == (dict.fromkeys(SCOPES, ScopeState()), [BEHIND])
