"""Create a tenant: its key and signing secret are shown once, and work."""

import pytest

from shared.domain.delivery.signing import sign
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.tenancy.tenant import SIGNING_CONTEXT, Scope, TenantState, split_key
from tests.support.usecases.world import World


def test_the_key_that_is_shown_is_good() -> None:
    world = World()
    shown = world.create_tenant.execute("other")
    principal = world.authenticate.execute(shown.api_key)
    assert principal is not None
    assert (principal.tenant.id, principal.tenant.state) == ("other", TenantState.ACTIVE)
    assert principal.key.scopes == {Scope.READ, Scope.WRITE}


def test_the_signing_secret_that_is_shown_is_the_one_that_signs() -> None:
    world = World()
    shown = world.create_tenant.execute("other")
    stored = world.tenants.tenants["other"]
    (secret,) = stored.signing_secrets
    assert world.vault.unseal(stored, SIGNING_CONTEXT, secret.sealed).decode() == shown.signing_secret
    assert sign(message_id="m", timestamp_s=1, body=b"", secrets=[shown.signing_secret]).startswith("v1,")


def test_key_and_signing_secret_are_not_stored_in_the_clear() -> None:
    world = World()
    shown = world.create_tenant.execute("other")
    kept = repr(world.tenants.tenants["other"]) + repr(list(world.tenants.keys.values()))
    parts = split_key(shown.api_key)
    assert parts is not None
    assert parts[1] not in kept
    assert shown.signing_secret.removeprefix("whsec_") not in kept


def test_tenants_have_keys_and_secrets_of_their_own() -> None:
    world = World()
    shown = [world.create_tenant.execute(name) for name in ("a", "b")]
    assert len({each.api_key for each in shown} | {each.signing_secret for each in shown}) == 4
    assert len({world.tenants.tenants[name].data_key for name in ("a", "b")}) == 2


def test_an_existing_tenant_is_not_overwritten() -> None:
    world = World()
    before = world.tenants.tenants["acme"]
    with pytest.raises(InvalidStateError, match="acme exists already"):
        world.create_tenant.execute("acme")
    assert world.tenants.tenants["acme"] == before
    assert len(world.tenants.keys) == 1


@pytest.mark.parametrize("tenant_id", ["", "Acme", "a b", "a" * 41, "-a"])
def test_an_unusable_id_is_refused_before_anything_is_made(tenant_id: str) -> None:
    world = World()
    with pytest.raises(InvalidValueError):
        world.create_tenant.execute(tenant_id)
    assert list(world.tenants.tenants) == ["acme"]
