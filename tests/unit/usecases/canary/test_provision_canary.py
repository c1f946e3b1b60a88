"""The canary's tenant and secrets: made once, renewed by the same command, and never shown."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from greenlet import getcurrent, greenlet

from shared.domain.errors import InvalidStateError, InvalidValueError, PunctualError, UnavailableError
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import CANARY, SIGNING_CONTEXT, Scope, split_key
from shared.names import CanarySecret
from shared.usecases.tenancy.manage_tenants import TenantChange
from tests.support.usecases.steps import Crash, Steps
from tests.support.usecases.world import World

OVERLAP_MS = 600_000
TWO_KEYS = TenantChange(quotas={Quota.API_KEYS: 2})
KEY_NAME, SECRET_NAME = (each.parameter("test") for each in CanarySecret)


@pytest.fixture
def world() -> World:
    return World()


def _key(world: World) -> str:
    return world.parameters.texts[KEY_NAME]


def _live(world: World) -> list[str]:
    return [each.id for each in world.cases.tenancy.keyring.keys_of(CANARY) if not each.revoked]


def _check_works(world: World) -> None:
    """The stored key is live, and the stored secret is the one that signs when the overlap has ended."""
    tenant = world.tenants.tenants[CANARY]
    current = world.vault.unseal(tenant, SIGNING_CONTEXT, tenant.signing_secrets[0].sealed)
    assert (split_key(_key(world)) or ("",))[0] in _live(world)
    assert world.parameters.texts[SECRET_NAME] == current.decode()


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
    _check_works(world)


def test_second_run_stores_new_secrets_and_ends_the_old_ones(world: World) -> None:
    first = world.cases.canary.provision.execute()
    world.clock.time_ms += OVERLAP_MS
    old = dict(world.parameters.texts)
    second = world.cases.canary.provision.execute()
    assert not set(old.values()) & set(world.parameters.texts.values())
    assert second.revoked_key_ids == (first.key_id,)
    assert world.authenticate.execute(_key(world)) is not None
    assert _live(world) == [second.key_id]
    signing = world.cases.tenancy.signing_secrets
    assert len(signing.of(CANARY)) == 2, "receivers cache the old secret for a minute"
    world.clock.time_ms += OVERLAP_MS
    assert [each.id for each in signing.of(CANARY)] == [second.signing_secret_id]


@pytest.mark.parametrize("is_first", [True, False])
def test_run_that_ends_at_any_step_is_repaired_by_the_next_one(is_first: bool) -> None:
    """Even where the quota is two keys, and each of several runs has ended at the same step."""
    whole = _begun(is_first)
    whole.cases.canary.provision.execute()
    moments = range(2 * len(whole.steps.taken))
    assert len(moments) > 10
    for moment in moments:
        world = _begun(is_first)
        for _ in range(4):
            _end_at(world, moment)
            if CANARY in world.tenants.tenants:
                world.cases.tenancy.change_tenant.execute(CANARY, TWO_KEYS)
            world.clock.time_ms += OVERLAP_MS
        done = world.cases.canary.provision.execute()
        assert _live(world) == [done.key_id]
        _check_works(world)


def _begun(is_first: bool) -> World:
    world = World()
    if not is_first:
        world.cases.canary.provision.execute()
        world.clock.time_ms += OVERLAP_MS
        world.steps.taken.clear()
    return world


def _end_at(world: World, moment: int) -> None:
    begun = len(world.steps.taken)

    def act(at: int, _: str) -> None:
        if at - 2 * begun == moment:
            raise Crash

    world.steps.at_each = act
    with suppress(Crash):
        world.cases.canary.provision.execute()
    world.steps.calm()


def test_canary_works_on_while_runs_fail(world: World) -> None:
    """No run that is refused a parameter, or a rotation, ends what the functions of the canary have."""
    world.cases.canary.provision.execute()
    for _ in range(10):
        world.steps.fail("parameters.write")
        with pytest.raises(UnavailableError):
            world.cases.canary.provision.execute()
        world.clock.time_ms += OVERLAP_MS
        _check_works(world)
    for _ in range(4):
        world.cases.canary.provision.execute()
    for _ in range(10):
        with pytest.raises(InvalidStateError, match="retire one first"):
            world.cases.canary.provision.execute()
        _check_works(world)


@pytest.mark.parametrize("is_first", [True, False])
def test_canary_works_after_two_runs_at_the_same_time_unless_a_run_fails(
    is_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Steps, "take", _give_way)
    draw, outcomes = random.Random(1), set()
    for _ in range(300):
        world = World()
        if not is_first:
            _together([world.cases.canary.provision.execute], draw)
            world.clock.time_ms += OVERLAP_MS
        failures = _together([world.cases.canary.provision.execute] * 2, draw)
        if not failures:
            _check_works(world)
        outcomes.add(len(failures))
        world.clock.time_ms += OVERLAP_MS
        assert not _together([world.cases.canary.provision.execute], draw)
        _check_works(world)
    assert outcomes >= {0, 1}


def _give_way(_: Steps, __: str, call: Callable[[], Any]) -> Any:
    """Let the other run go on before each call."""
    parent = getcurrent().parent
    if parent is not None:
        parent.switch()
    return call()


def _together(runs: list[Callable[[], Any]], draw: random.Random) -> list[PunctualError]:
    """Run all, and after each call go on with any of them."""
    failures: list[PunctualError] = []

    def attempt(run: Callable[[], Any]) -> None:
        try:
            run()
        except PunctualError as error:
            failures.append(error)

    waiting = [greenlet(attempt) for _ in runs]
    for each, run in zip(waiting, runs, strict=True):
        each.switch(run)
    while waiting := [each for each in waiting if not each.dead]:
        draw.choice(waiting).switch()
    return failures


def test_id_of_the_canary_is_reserved(world: World) -> None:
    with pytest.raises(InvalidValueError, match="reserved"):
        world.create_tenant.execute(CANARY)


def test_fifth_rotation_within_ten_minutes_is_refused(world: World) -> None:
    for _ in range(5):
        world.cases.canary.provision.execute()
    with pytest.raises(InvalidStateError, match="retire one first"):
        world.cases.canary.provision.execute()
    world.clock.time_ms += OVERLAP_MS
    assert json.dumps(world.cases.canary.provision.execute().parameters)
