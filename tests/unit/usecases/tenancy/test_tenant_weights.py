"""The weights of tenants: known without a read for each message, or for each tenant."""

from dataclasses import replace

import pytest

from shared.domain.dispatch.wakeup import message_group
from shared.usecases.tenancy import tenant_weights
from shared.usecases.tenancy.tenant_weights import READ_BATCH, REMEMBER_MS, TenantWeights
from tests.support.builders import DUE_AT, TENANT, tenant, wakeup
from tests.support.usecases.world import World


def weights(world: World) -> TenantWeights:
    return TenantWeights(world.tapped("tenants", world.tenants), world.clock)


def weigh(world: World, weight: int) -> None:
    world.tenants.tenants[TENANT] = replace(world.tenants.tenants[TENANT], weight=weight)


def test_a_weight_is_read_once_in_five_minutes_and_so_is_that_there_is_none() -> None:
    world = World(DUE_AT)
    weigh(world, 3)
    of = weights(world)
    for _ in range(1_000):
        assert of([TENANT, "nobody"]) == {TENANT: 3, "nobody": 1}
    assert world.steps.count("tenants.weights") == 1
    weigh(world, 5)
    world.clock.time_ms += REMEMBER_MS
    assert of([TENANT]) == {TENANT: 5}


def test_tenant_weight_is_kept_where_the_store_does_not_answer() -> None:
    world = World(DUE_AT)
    weigh(world, 3)
    of = weights(world)
    of([TENANT])
    world.clock.time_ms += REMEMBER_MS
    world.steps.fail("tenants.weights", times=2)
    assert of([TENANT, "other"]) == {TENANT: 3, "other": 1}


def test_weights_of_many_tenants_are_read_in_batches() -> None:
    world = World(DUE_AT)
    names = [f"t{number}" for number in range(10_500)]
    world.tenants.tenants |= {name: tenant(id=name, weight=2) for name in names}
    of = weights(world)
    for start in range(0, len(names), 500):
        assert set(of(names[start : start + 500]).values()) == {2}
    assert world.steps.count("tenants.weights") == len(names) / READ_BATCH
    assert set(of(names).values()) == {2}
    assert world.steps.count("tenants.weights") == len(names) / READ_BATCH


def test_full_cache_of_weights_forgets_the_oldest_tenant_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenant_weights, "MAX_REMEMBERED", 3)
    world = World(DUE_AT)
    of = weights(world)
    for name in ("a", "b", "c", "d"):
        of([name])
    of(["b", "c", "d"])
    assert world.steps.count("tenants.weights") == 4
    of(["a"])
    assert world.steps.count("tenants.weights") == 5


def test_a_tenant_has_as_many_groups_as_it_has_weight_and_a_message_one() -> None:
    groups = {message_group(wakeup(number), 4) for number in range(100)}
    assert groups == {f"acme.{number}" for number in range(4)}
    assert message_group(wakeup(7), 1) == "acme"
