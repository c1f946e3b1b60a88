"""Who sends a request: the tenant comes from the credential alone, and changes hold within a minute."""

from dataclasses import replace

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.tenancy.tenant import TenantState
from tests.support.builders import DUE_AT, TENANT, api_key
from tests.support.usecases.world import World

MINUTE = 60_000


def key_id(world: World) -> str:
    return world.credentials.api_key.split("_")[1]


def test_a_good_key_names_its_tenant() -> None:
    world = World()
    principal = world.authenticate.execute(world.credentials.api_key)
    assert principal is not None
    assert (principal.tenant.id, principal.key.id) == (TENANT, key_id(world))


@pytest.mark.parametrize("presented", ["", "pk_", "Bearer x", "pk_" + "0" * 16 + "_" + "0" * 32, "é"])
def test_malformed_api_key_is_not_authenticated(presented: str) -> None:
    assert World().authenticate.execute(presented) is None


def test_a_known_key_with_a_wrong_secret_names_nobody() -> None:
    world = World()
    key = world.credentials.api_key
    world.authenticate.execute(key)
    assert world.authenticate.execute(key[:-1] + ("0" if key[-1] != "0" else "1")) is None


def test_an_expired_key_names_nobody_even_while_it_is_remembered() -> None:
    world = World(DUE_AT)
    stored = replace(world.tenants.keys[key_id(world)], expires_at=DUE_AT + 1_000)
    world.tenants.keys[stored.id] = stored
    assert world.authenticate.execute(world.credentials.api_key) is not None
    world.clock.time_ms += 1_000
    assert world.authenticate.execute(world.credentials.api_key) is None


@pytest.mark.parametrize(("later_ms", "still_good"), [(MINUTE - 1, True), (MINUTE, False)])
def test_a_revocation_holds_within_a_minute(later_ms: int, still_good: bool) -> None:
    world = World()
    world.authenticate.execute(world.credentials.api_key)
    stored = world.tenants.keys[key_id(world)]
    world.tenants.keys[stored.id] = replace(stored, revoked=True)
    world.clock.time_ms += later_ms
    assert (world.authenticate.execute(world.credentials.api_key) is not None) is still_good


@pytest.mark.parametrize(("later_ms", "state"), [(MINUTE - 1, "active"), (MINUTE, "suspended")])
def test_suspension_holds_within_a_minute(later_ms: int, state: str) -> None:
    world = World()
    world.authenticate.execute(world.credentials.api_key)
    world.tenants.tenants[TENANT] = replace(world.tenant, state=TenantState.SUSPENDED)
    world.clock.time_ms += later_ms
    principal = world.authenticate.execute(world.credentials.api_key)
    assert principal is not None
    assert principal.tenant.state.value == state


def test_removal_of_a_key_holds_within_a_minute() -> None:
    world = World()
    world.authenticate.execute(world.credentials.api_key)
    world.tenants.keys.clear()
    world.clock.time_ms += MINUTE
    assert world.authenticate.execute(world.credentials.api_key) is None


def test_key_and_tenant_are_read_once_a_minute_at_most() -> None:
    world = World()
    for second in range(119):
        world.clock.time_ms += 1_000 * (second > 0)
        world.authenticate.execute(world.credentials.api_key)
    assert (world.steps.count("tenants.get_key"), world.steps.count("tenants.get")) == (2, 2)


def test_a_new_key_is_good_at_once_though_it_was_tried_before() -> None:
    world = World()
    key = api_key(5)
    presented = f"pk_{key.id}_{'s' * 32}"
    assert world.authenticate.execute(presented) is None
    world.tenants.keys[key.id] = key
    assert world.authenticate.execute(presented) is not None


def test_a_key_without_its_tenant_names_nobody() -> None:
    world = World()
    world.tenants.tenants.clear()
    assert world.authenticate.execute(world.credentials.api_key) is None


def test_a_store_that_does_not_answer_is_no_refusal() -> None:
    world = World()
    world.steps.fail("tenants.get_key")
    with pytest.raises(UnavailableError):
        world.authenticate.execute(world.credentials.api_key)
