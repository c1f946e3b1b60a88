"""Capacity of the index of hot scopes: parts of a bounded size, and a fair share for every tenant."""

from collections import Counter

import pytest

from shared.domain.limits.hot_scopes import (
    HOT_SCOPE_PARTS,
    MAX_IN_PART,
    SHARE_DIVISOR,
    by_part,
    part_of,
    tag_with_tenant,
    within_capacity,
)
from shared.domain.limits.scopes import destination_scope
from tests.support.builders import DUE_AT

SHARE = MAX_IN_PART // SHARE_DIVISOR
PART = 3


def of(tenant_id: str, count: int, first: int = 0) -> dict[str, int]:
    """Hot scopes of a tenant."""
    until = tag_with_tenant(DUE_AT, tenant_id, PART)
    return {destination_scope(f"{tenant_id}{number:010d}"): until for number in range(first, first + count)}


def test_tag_is_stable_and_moves_the_instant_by_less_than_a_second() -> None:
    for until in (DUE_AT, DUE_AT + 999):
        tagged = tag_with_tenant(until, "acme", PART)
        assert abs(tagged - until) < 1_000
        assert tag_with_tenant(tagged, "acme", PART) == tagged


def test_tenants_with_equal_tags_in_one_part_differ_in_most_others() -> None:
    tags = {name: tag_with_tenant(0, name, PART) for name in map(str, range(5_000))}
    twin = next(name for name in tags if name != "0" and tags[name] == tags["0"])
    shared = [
        part
        for part in range(HOT_SCOPE_PARTS)
        if tag_with_tenant(0, twin, part) == tag_with_tenant(0, "0", part)
    ]
    assert shared == [PART]


def test_scopes_are_spread_evenly_over_the_parts() -> None:
    scopes = [destination_scope(f"{number:010d}") for number in range(1_600)]
    sizes = Counter(map(part_of, scopes))
    assert len(sizes) == HOT_SCOPE_PARTS
    assert max(sizes.values()) < 150
    assert {part: sorted(names) for part, names in by_part(scopes).items()} == {
        part: sorted(scope for scope in scopes if part_of(scope) == part) for part in sizes
    }


def test_tenant_fills_no_more_than_its_share_of_an_empty_part() -> None:
    assert within_capacity(of("acme", SHARE), {}) == of("acme", SHARE)
    assert within_capacity(of("acme", SHARE + 9), {}) == of("acme", SHARE)
    assert within_capacity(of("acme", 9, first=1_000), of("acme", SHARE)) == {}
    assert within_capacity(of("globex", SHARE - 1), of("acme", SHARE)) == of("globex", SHARE - 1)


@pytest.mark.parametrize("greed", [1, 5, 500])
def test_part_has_room_for_many_tenants_however_many_entries_each_wants(greed: int) -> None:
    hot_scopes: dict[str, int] = {}
    for number in range(2 * MAX_IN_PART):
        hot_scopes |= within_capacity(of(f"tenant{number}", greed), hot_scopes)
    tenants = Counter(scope[: -len("0000000000")] for scope in hot_scopes)
    assert len(hot_scopes) <= MAX_IN_PART
    assert max(tenants.values()) <= SHARE
    assert len(tenants) >= MAX_IN_PART // 3


def test_full_part_takes_updates_and_no_new_entries() -> None:
    hot_scopes = {destination_scope(f"{number:010d}"): DUE_AT + number for number in range(MAX_IN_PART)}
    update = {destination_scope("0000000000"): DUE_AT + 60_000}
    assert within_capacity(update | of("globex", 3), hot_scopes) == update
    hot_scopes.popitem()
    assert within_capacity(of("globex", 3), hot_scopes) == of("globex", 1)
