"""LimitStore: states change by compare-and-swap alone, and the hot-scope index shows the last note."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from shared.adapters.dynamodb.codec.keys import hot_scopes_key, item_key, limit_key
from shared.domain.limits.hot_scopes import HOT_SCOPE_PARTS, by_part, part_of
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import MAX_LARGE_HOLDERS, SlotLease
from shared.ports.limits import MAX_HOT_SCOPE_WRITES
from tests.support.builders import DUE_AT, TENANT
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.conformance.interference import changing_answers
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


def hot(lab: Lab) -> dict[str, int]:
    """Every part of the index."""
    parts = lab.limits.hot_scopes(range(HOT_SCOPE_PARTS))
    assert sorted(parts) == list(range(HOT_SCOPE_PARTS))
    assert all(part_of(scope) == part for part, entries in parts.items() for scope in entries)
    return {scope: until for entries in parts.values() for scope, until in entries.items()}


def note(lab: Lab, until: dict[str, int], gone: Sequence[str] = ()) -> None:
    """One write for each part."""
    for part, scopes in by_part({*until, *gone}).items():
        lab.limits.note_hot_scopes(
            part,
            {scope: until[scope] for scope in scopes if scope in until},
            [scope for scope in scopes if scope in gone],
        )


def test_index_of_hot_scopes_shows_the_last_note_of_each_scope(lab: Lab) -> None:
    assert hot(lab) == {}
    note(lab, {SCOPE: DUE_AT})
    note(lab, {OTHER: DUE_AT, SCOPE: DUE_AT + 1})
    note(lab, {OTHER: DUE_AT + 2})
    assert hot(lab) == {SCOPE: DUE_AT + 1, OTHER: DUE_AT + 2}


def test_only_the_requested_parts_of_the_hot_scopes_are_read(lab: Lab) -> None:
    note(lab, {SCOPE: DUE_AT, OTHER: DUE_AT})
    mine, others = part_of(SCOPE), part_of(OTHER)
    assert mine != others
    found = lab.limits.hot_scopes([mine])
    assert {part: dict(entries) for part, entries in found.items()} == {mine: {SCOPE: DUE_AT}}
    assert dict(lab.limits.hot_scopes([])) == {}


def test_largest_note_of_hot_scopes_is_added_and_removed_in_a_single_write(lab: Lab) -> None:
    names = map(destination_scope, (f"{number:010d}" for number in range(10_000)))
    scopes = list(islice((name for name in names if part_of(name) == 0), 2 * MAX_HOT_SCOPE_WRITES))
    first, second = scopes[:MAX_HOT_SCOPE_WRITES], scopes[MAX_HOT_SCOPE_WRITES:]
    lab.limits.note_hot_scopes(0, dict.fromkeys(first, DUE_AT))
    lab.limits.note_hot_scopes(0, dict.fromkeys(second, DUE_AT), gone=first)
    assert hot(lab) == dict.fromkeys(second, DUE_AT)


def test_scope_that_is_gone_leaves_unless_it_is_noted_in_the_same_write(lab: Lab) -> None:
    note(lab, {SCOPE: DUE_AT, OTHER: DUE_AT})
    note(lab, {SCOPE: DUE_AT + 1}, gone=[OTHER, SCOPE, "d#never"])
    assert hot(lab) == {SCOPE: DUE_AT + 1}
    note(lab, {}, gone=[SCOPE])
    assert hot(lab) == {}


def test_part_that_stays_unprocessed_is_missing_and_hides_no_other(engine_lab: DynamoLab) -> None:
    note(engine_lab, {SCOPE: DUE_AT, OTHER: DUE_AT})
    mine, others = part_of(SCOPE), part_of(OTHER)
    key = item_key(*hot_scopes_key(REGION, mine))

    def leave_out(parsed: dict[str, Any]) -> None:
        table = engine_lab.names.leases
        found = parsed["Responses"].get(table, [])
        parsed["Responses"][table] = [item for item in found if item["pk"] != key["pk"]]
        parsed["UnprocessedKeys"] = {table: {"Keys": [key]}}

    with changing_answers(engine_lab.client, "BatchGetItem", leave_out):
        found = engine_lab.limits.hot_scopes([mine, others])
    assert {part: dict(entries) for part, entries in found.items()} == {others: {OTHER: DUE_AT}}


def test_state_that_cannot_be_decoded_is_missing_and_hides_no_other(engine_lab: DynamoLab) -> None:
    scopes = [destination_scope(f"{number:010d}") for number in range(100)]
    for scope in scopes[:3]:
        assert engine_lab.limits.swap(scope, ScopeState(), FULL, DUE_AT) is None
    engine_lab.client.update_item(
        TableName=engine_lab.names.leases,
        Key=item_key(*limit_key(scopes[1])),
        UpdateExpression="SET v = :v",
        ExpressionAttributeValues={":v": {"N": "999"}},
    )
    found = engine_lab.limits.read(scopes)
    assert set(scopes) - set(found) == {scopes[1]}
    assert [scope for scope in scopes if scope in found and found[scope].version] == [scopes[0], scopes[2]]
    snapshot = engine_lab.throttle_status.read(scopes[:2], [])
    assert set(snapshot.states) == {scopes[0]}
