"""Tenants: what operators may change, and what nobody may."""

import pytest

from shared.domain.errors import InvalidStateError, InvalidValueError, NotFoundError
from shared.domain.tenancy.quota import BOUNDS, Quota
from shared.domain.tenancy.tenant import RESERVED_IDS, Scope, TenantState
from shared.usecases.tenancy.manage_tenants import TenantChange
from tests.support.builders import TENANT
from tests.support.usecases.account_world import OPERATOR, AccountWorld


@pytest.mark.parametrize("name", sorted(RESERVED_IDS))
def test_no_customer_gets_a_reserved_id(name: str) -> None:
    world = AccountWorld()
    with pytest.raises(InvalidValueError, match="reserved"):
        world.create_tenant.execute(name, frozenset({Scope.ADMIN}))
    assert world.stored.tenants.keys() == {OPERATOR, TENANT}


def test_the_operators_tenant_is_made_once() -> None:
    world = AccountWorld()
    assert world.operator.key.scopes == {Scope.ADMIN}
    with pytest.raises(InvalidStateError):
        world.create_tenant.operator()


def test_operators_tenant_cannot_be_suspended() -> None:
    world = AccountWorld()
    with pytest.raises(InvalidStateError):
        world.change.execute(OPERATOR, TenantChange(state=TenantState.SUSPENDED))


@pytest.mark.parametrize(("later_seconds", "state"), [(59.999, "active"), (60, "suspended")])
def test_a_suspension_holds_within_a_minute_everywhere(later_seconds: float, state: str) -> None:
    world = AccountWorld()
    process = world.process()
    process.execute(world.acme.api_key)
    before, after = world.change.execute(TENANT, TenantChange(state=TenantState.SUSPENDED))
    assert (before.state, after.state) == (TenantState.ACTIVE, TenantState.SUSPENDED)
    world.pass_seconds(later_seconds)
    principal = process.execute(world.acme.api_key)
    assert principal is not None
    assert principal.tenant.state == state


def test_change_of_a_tenant_sets_only_the_named_fields() -> None:
    world = AccountWorld()
    before = world.standing()
    _, after = world.change.execute(TENANT, TenantChange(weight=7))
    assert (after.weight, after.revision) == (7, before.revision + 1)
    assert (after.state, after.quotas, after.key_ids, after.signing_secrets) == (
        before.state,
        before.quotas,
        before.key_ids,
        before.signing_secrets,
    )


def test_a_quota_of_its_own_goes_back_to_the_default() -> None:
    world = AccountWorld()
    world.change.execute(TENANT, TenantChange(quotas={Quota.TAGS: 3, Quota.API_KEYS: 5}))
    _, after = world.change.execute(TENANT, TenantChange(quotas={Quota.TAGS: None}))
    assert after.quotas == {Quota.API_KEYS: 5}


@pytest.mark.parametrize("quota", list(Quota))
def test_limits_have_bounds(quota: Quota) -> None:
    world = AccountWorld()
    least, most = BOUNDS[quota]
    for limit in (least - 1, most + 1):
        with pytest.raises(InvalidValueError, match=quota.value):
            world.change.execute(TENANT, TenantChange(quotas={quota: limit}))
    for limit in (least, most):
        assert world.change.execute(TENANT, TenantChange(quotas={quota: limit}))[1].quotas[quota] == limit


def test_index_shards_only_grow() -> None:
    world = AccountWorld()
    assert world.change.execute(TENANT, TenantChange(index_shards=4))[1].index_shards == 4
    for fewer in (3, 0):
        with pytest.raises(InvalidValueError, match="only grow"):
            world.change.execute(TENANT, TenantChange(index_shards=fewer))
    for change in (TenantChange(index_shards=65), TenantChange(weight=0), TenantChange(weight=101)):
        with pytest.raises(InvalidValueError):
            world.change.execute(TENANT, change)


def test_changes_at_once_are_all_made() -> None:
    world = AccountWorld()
    world.steps.before(
        "tenants.replace", lambda: world.change.execute(TENANT, TenantChange(quotas={Quota.TAGS: 1}))
    )
    _, after = world.change.execute(TENANT, TenantChange(weight=9))
    assert (after.weight, after.quotas) == (9, {Quota.TAGS: 1})


@pytest.mark.parametrize("name", ["nobody", "", "#", "ACME", "x" * 9_999])
def test_an_unknown_tenant_is_not_found_and_an_unusable_id_not_even_looked_for(name: str) -> None:
    world = AccountWorld()
    with pytest.raises(NotFoundError):
        world.change.execute(name, TenantChange(weight=2))
    assert world.steps.count("tenants.replace") == 0


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_every_tenant_is_on_one_page(limit: int) -> None:
    world = AccountWorld()
    for name in ("b", "c"):
        world.create_tenant.execute(name)
    found, after = [], None
    while True:
        page = world.list.execute(limit=limit, after=after)
        assert len(page.tenants) <= limit
        found += [tenant.id for tenant in page.tenants]
        after = page.next_after
        if after is None:
            break
    assert found == ["acme", "b", "c", OPERATOR]
