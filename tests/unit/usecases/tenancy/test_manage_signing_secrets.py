"""Signing secrets: old and new sign while a rotation overlaps, and the old ones stop by themselves."""

import pytest

from shared.domain.errors import InvalidStateError, NotFoundError
from shared.domain.tenancy.tenant import SIGNING_CONTEXT
from shared.usecases.tenancy.manage_signing_secrets import MAX_NAMES, MAX_SIGNING
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
    for name in (None, "billing"):
        text = world.secrets.rotate(TENANT, overlap_seconds=60, name=name).text
        assert text.removeprefix("whsec_") not in repr(world.stored.tenants)


# --- secrets by name


def name_secret(world: AccountWorld, name: str, overlap_seconds: int = 3_600) -> str:
    return world.secrets.rotate(TENANT, overlap_seconds=overlap_seconds, name=name).text


def test_rotation_of_a_name_ends_no_secret_of_another_name() -> None:
    world = AccountWorld()
    crm, old, new = (name_secret(world, name) for name in ("crm", "billing", "billing"))
    plain = world.secrets.rotate(TENANT, overlap_seconds=60).text
    assert signing(world, "billing") == [new, old]
    assert signing(world) == [plain, world.acme.signing_secret]
    world.pass_seconds(3_600)
    assert (signing(world), signing(world, "billing"), signing(world, "crm")) == ([plain], [new], [crm])


def test_secrets_are_listed_by_name_those_without_a_name_first() -> None:
    world = AccountWorld()
    for name in ("crm", "billing", "billing", None):
        world.secrets.rotate(TENANT, overlap_seconds=60, name=name)
    listed = [(each.name, each.ends_at is None) for each in world.secrets.of(TENANT)]
    assert listed == [
        (None, True),
        (None, False),
        ("billing", True),
        ("billing", False),
        ("crm", True),
    ]


def test_secrets_of_each_name_have_a_maximum_of_their_own() -> None:
    world = AccountWorld()
    for name in (None, "billing"):
        while len(signing(world, name)) < MAX_SIGNING:
            world.secrets.rotate(TENANT, overlap_seconds=3_600, name=name)
        with pytest.raises(InvalidStateError, match="retire one first"):
            world.secrets.rotate(TENANT, overlap_seconds=3_600, name=name)
    name_secret(world, "crm")
    assert [len(signing(world, name)) for name in (None, "billing", "crm")] == [MAX_SIGNING, MAX_SIGNING, 1]


def test_name_beyond_the_maximum_is_refused_and_existing_names_are_rotated() -> None:
    world = AccountWorld()
    for number in range(MAX_NAMES):
        name_secret(world, f"n{number}")
    with pytest.raises(InvalidStateError, match="20 names"):
        name_secret(world, "one-more")
    name_secret(world, "n0")
    world.secrets.rotate(TENANT, overlap_seconds=60)
    assert len(world.standing().secret_names) == MAX_NAMES


def test_removed_name_makes_room_and_leaves_every_other_secret() -> None:
    world = AccountWorld()
    for number in range(MAX_NAMES):
        name_secret(world, f"n{number}")
    name_secret(world, "n0")
    removed = world.secrets.remove_name(TENANT, "n0")
    assert [each.name for each in removed] == ["n0", "n0"]
    name_secret(world, "one-more")
    assert world.standing().secret_names == {*(f"n{number}" for number in range(1, MAX_NAMES)), "one-more"}
    assert signing(world) == [world.acme.signing_secret]
    with pytest.raises(NotFoundError, match="this name"):
        world.secrets.remove_name(TENANT, "n0")


def test_current_secret_of_a_name_cannot_be_retired_and_an_old_secret_can() -> None:
    world = AccountWorld()
    name_secret(world, "billing")
    (old,) = (each for each in world.standing().signing_secrets if each.name == "billing")
    with pytest.raises(InvalidStateError, match="rotate with the name billing first"):
        world.secrets.retire(TENANT, old.id)
    new = name_secret(world, "billing")
    before, after = world.secrets.retire(TENANT, old.id)
    assert (before.name, after.name, after.ends_at) == ("billing", "billing", DUE_AT)
    assert signing(world, "billing") == [new]
    assert signing(world) == [world.acme.signing_secret]
