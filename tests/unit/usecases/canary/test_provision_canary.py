"""The canary's tenant and secrets: made once, renewed by the same command, and never shown."""

import json

import pytest

from shared.domain.errors import InvalidStateError, InvalidValueError, UnavailableError
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import CANARY, Scope
from shared.names import CanarySecret
from tests.support.usecases.world import World

MINUTE_MS = 60_000


@pytest.fixture
def world() -> World:
    return World()


def _key(world: World) -> str:
    return world.parameters.texts[CanarySecret.API_KEY.parameter("test")]


def test_canary_gets_a_tenant_whose_key_may_create_a_few_jobs_and_nothing_else(world: World) -> None:
    done = world.cases.canary.provision.execute()
    principal = world.authenticate.execute(_key(world))
    assert principal is not None
    assert (principal.tenant.id, principal.key.id, set(principal.key.scopes)) == (
        CANARY,
        done.key_id,
        {Scope.WRITE},
    )
    assert principal.tenant.quotas[Quota.DUE_PER_MINUTE] == 10
    assert set(done.parameters) == set(world.parameters.texts)
    assert done.revoked_key_ids == ()


def test_second_run_stores_new_secrets_and_ends_the_old_ones(world: World) -> None:
    first = world.cases.canary.provision.execute()
    old = dict(world.parameters.texts)
    world.clock.time_ms += MINUTE_MS
    second = world.cases.canary.provision.execute()
    assert not set(old.values()) & set(world.parameters.texts.values())
    assert second.revoked_key_ids == (first.key_id,)
    assert world.authenticate.execute(_key(world)) is not None
    keys = {each.id: each.revoked for each in world.cases.tenancy.keyring.keys_of(CANARY)}
    assert keys == {first.key_id: True, second.key_id: False}
    signing = world.cases.tenancy.signing_secrets
    assert len(signing.of(CANARY)) == 2, "receivers cache the old secret for a minute"
    world.clock.time_ms += 600_000
    assert [each.id for each in signing.of(CANARY)] == [second.signing_secret_id]


@pytest.mark.parametrize("runs", [1, 2])
def test_run_whose_parameters_cannot_be_written_is_repaired_by_the_next(world: World, runs: int) -> None:
    world.parameters.is_down = True
    for _ in range(runs):
        with pytest.raises(UnavailableError):
            world.cases.canary.provision.execute()
    world.parameters.is_down = False
    done = world.cases.canary.provision.execute()
    live = [each.id for each in world.cases.tenancy.keyring.keys_of(CANARY) if not each.revoked]
    assert live == [done.key_id]
    assert world.authenticate.execute(_key(world)) is not None


def test_id_of_the_canary_is_reserved(world: World) -> None:
    with pytest.raises(InvalidValueError, match="reserved"):
        world.create_tenant.execute(CANARY)


def test_more_runs_than_secrets_may_sign_are_refused_for_a_while(world: World) -> None:
    for _ in range(5):
        world.cases.canary.provision.execute()
    with pytest.raises(InvalidStateError, match="retire one first"):
        world.cases.canary.provision.execute()
    world.clock.time_ms += 600_000
    assert json.dumps(world.cases.canary.provision.execute().parameters)
