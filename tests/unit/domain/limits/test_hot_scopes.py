"""Capacity of the hot-scope index: a bound for each tenant, and one for all tenants together."""

import pytest

from shared.domain.limits.hot_scopes import MAX_HOT_SCOPES, MAX_OF_TENANT, tag_with_tenant, within_capacity
from shared.domain.limits.scopes import destination_scope
from tests.support.builders import DUE_AT


def of(tenant_id: str, count: int, first: int = 0) -> dict[str, int]:
    until = tag_with_tenant(DUE_AT, tenant_id)
    return {destination_scope(f"{first + number:010d}"): until for number in range(count)}


@pytest.mark.parametrize("until", [0, 999, DUE_AT, DUE_AT + 999])
def test_a_mark_moves_an_instant_by_less_than_a_second_and_stays(until: int) -> None:
    assert abs(tag_with_tenant(until, "acme") - until) < 1_000
    assert tag_with_tenant(tag_with_tenant(until, "acme"), "acme") == tag_with_tenant(until, "acme")


def test_a_tenant_has_so_many_places_and_no_more() -> None:
    assert within_capacity(of("acme", MAX_OF_TENANT), {}) == of("acme", MAX_OF_TENANT)
    assert within_capacity(of("acme", MAX_OF_TENANT + 9), {}) == of("acme", MAX_OF_TENANT)
    assert within_capacity(of("acme", 9, first=1_000), of("acme", MAX_OF_TENANT)) == {}
    assert within_capacity(of("globex", 9, first=1_000), of("acme", MAX_OF_TENANT)) == of(
        "globex", 9, first=1_000
    )


def test_full_hot_scope_index_keeps_its_entries_and_takes_no_new_scope() -> None:
    hot_scopes = {
        scope: until + number for number, (scope, until) in enumerate(of("acme", MAX_HOT_SCOPES).items())
    }
    assert within_capacity(of("globex", 3), hot_scopes) == of("globex", 3)
    assert within_capacity(of("globex", 3, first=MAX_HOT_SCOPES), hot_scopes) == {}
    hot_scopes.popitem()
    assert within_capacity(of("globex", 3, first=MAX_HOT_SCOPES), hot_scopes) == of(
        "globex", 1, first=MAX_HOT_SCOPES
    )
