"""The weights of tenants: known without a read for each message."""

from dataclasses import replace

from shared.domain.dispatch.wakeup import message_group
from shared.usecases.tenancy.tenant_weights import REMEMBER_MS, TenantWeights
from tests.support.builders import DUE_AT, TENANT, wakeup
from tests.support.usecases.world import World


def weights(world: World) -> TenantWeights:
    return TenantWeights(world.tapped("tenants", world.tenants), world.clock)


def weigh(world: World, weight: int) -> None:
    world.tenants.tenants[TENANT] = replace(world.tenants.tenants[TENANT], weight=weight)


def test_a_weight_is_read_once_in_five_minutes_and_so_is_that_there_is_none() -> None:
    world = World(DUE_AT)
    weigh(world, 3)
    of = weights(world)
    assert {of(TENANT) for _ in range(1_000)} == {3}
    assert {of("nobody") for _ in range(1_000)} == {1}
    assert world.steps.count("tenants.get") == 2
    weigh(world, 5)
    world.clock.time_ms += REMEMBER_MS
    assert of(TENANT) == 5


def test_tenant_weight_is_kept_where_the_store_does_not_answer() -> None:
    world = World(DUE_AT)
    weigh(world, 3)
    of = weights(world)
    of(TENANT)
    world.clock.time_ms += REMEMBER_MS
    world.steps.fail("tenants.get", times=2)
    assert (of(TENANT), of("other")) == (3, 1)


def test_a_tenant_has_as_many_groups_as_it_has_weight_and_a_message_one() -> None:
    groups = {message_group(wakeup(number), 4) for number in range(100)}
    assert groups == {f"acme.{number}" for number in range(4)}
    assert message_group(wakeup(7), 1) == "acme"
