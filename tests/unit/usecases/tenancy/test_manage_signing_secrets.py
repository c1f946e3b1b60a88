"""Signing secrets: old and new sign while a rotation overlaps, and the old ones stop by themselves."""

import pytest

from shared.domain.errors import InvalidStateError, NotFoundError
from shared.domain.tenancy.tenant import SIGNING_CONTEXT
from shared.usecases.tenancy.manage_signing_secrets import MAX_SIGNING
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.account_world import AccountWorld


def signing(world: AccountWorld, name: str | None = None) -> list[str]:
    """The secrets, in the clear, that a callback would be signed with now, the current one first."""
    tenant = world.standing()
    secrets = tenant.signing_at(world.clock.now_ms(), name)
    return [world.vault.unseal(tenant, SIGNING_CONTEXT, secret.sealed).decode() for secret in secrets]


def test_old_and_new_sign_until_the_overlap_ends() -> None:
    world = AccountWorld()
    old = world.acme.signing_secret
    new = world.secrets.rotate(TENANT, overlap_seconds=3_600).text
    assert new != old
    assert signing(world) == [new, old]
    world.pass_seconds(3_599.999)
    assert signing(world) == [new, old]
    world.pass_seconds(0.001)
    assert signing(world) == [new]


def test_rotated_secret_signs_alone_without_an_overlap() -> None:
    world = AccountWorld()
    new = world.secrets.rotate(TENANT, overlap_seconds=0).text
    assert signing(world) == [new]


def test_a_second_rotation_gives_no_old_secret_more_time() -> None:
    world = AccountWorld()
    first = world.acme.signing_secret
    second = world.secrets.rotate(TENANT, overlap_seconds=60).text
    third = world.secrets.rotate(TENANT, overlap_seconds=3_600).text
    assert signing(world) == [third, second, first]
    world.pass_seconds(60)
    assert signing(world) == [third, second]


def test_an_old_secret_can_be_retired_at_once() -> None:
    world = AccountWorld()
    (old,) = world.standing().signing_secrets
    new = world.secrets.rotate(TENANT, overlap_seconds=3_600)
    before, after = world.secrets.retire(TENANT, old.id)
    assert (before.ends_at, after.ends_at) == (DUE_AT + 3_600_000, DUE_AT)
    assert signing(world) == [new.text]
    assert world.secrets.of(TENANT) == (new.secret,)


def test_the_current_secret_cannot() -> None:
    world = AccountWorld()
    (current,) = world.standing().signing_secrets
    with pytest.raises(InvalidStateError):
        world.secrets.retire(TENANT, current.id)
    assert signing(world) == [world.acme.signing_secret]


def test_foreign_or_expired_secret_is_answered_like_an_unknown_secret() -> None:
    world = AccountWorld()
    (foreign,) = world.standing("operator").signing_secrets
    (old,) = world.standing().signing_secrets
    world.secrets.rotate(TENANT, overlap_seconds=1)
    world.pass_seconds(1)
    for name in (foreign.id, old.id, "sec_unknown", ""):
        with pytest.raises(NotFoundError, match=r"^no such secret$"):
            world.secrets.retire(TENANT, name)


def test_rotation_beyond_the_maximum_of_signing_secrets_is_refused() -> None:
    world = AccountWorld()
    for _ in range(MAX_SIGNING - 1):
        world.secrets.rotate(TENANT, overlap_seconds=3_600)
    with pytest.raises(InvalidStateError):
        world.secrets.rotate(TENANT, overlap_seconds=3_600)
    world.pass_seconds(3_600)
    world.secrets.rotate(TENANT, overlap_seconds=3_600)
    assert len(world.standing().signing_secrets) == 2


def test_concurrent_rotations_leave_every_secret_signing() -> None:
    world = AccountWorld()
    texts = []
    world.steps.before(
        "tenants.replace", lambda: texts.append(world.secrets.rotate(TENANT, overlap_seconds=60).text)
    )
    texts.insert(0, world.secrets.rotate(TENANT, overlap_seconds=60).text)
    assert signing(world) == [*texts, world.acme.signing_secret]


def test_no_secret_is_stored_in_the_clear() -> None:
    world = AccountWorld()
    text = world.secrets.rotate(TENANT, overlap_seconds=60).text
    assert text.removeprefix("whsec_") not in repr(world.stored.tenants)
