"""Tenants and their API keys."""

from typing import Any

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.tenancy.tenant import (
    Scope,
    SigningSecret,
    hash_secret,
    key_text,
    new_key_parts,
    split_key,
)
from tests.support.builders import DUE_AT, api_key, signing_secret, tenant

SECRET = "s" * 32


@pytest.mark.parametrize("name", ["a", "acme", "a1-b2", "0", "a" * 40])
def test_lawful_tenant_ids(name: str) -> None:
    assert tenant(id=name).id == name


@pytest.mark.parametrize(
    "name", ["", "-a", "a-", "A", "a_b", "a.b", "a#b", "ä", "a" * 41, "a\n", "a b", "a/b", "\u0663"]
)
def test_ids_that_keys_or_message_groups_could_not_carry_are_refused(name: str) -> None:
    with pytest.raises(InvalidValueError):
        tenant(id=name)


def test_a_tenant_without_a_signing_secret_is_refused() -> None:
    with pytest.raises(InvalidValueError):
        tenant(signing_secrets=())


@pytest.mark.parametrize("name", ["a", "billing", "0", "crm-2", "a" * 64])
def test_lawful_names_of_signing_secrets(name: str) -> None:
    owner = tenant(signing_secrets=(signing_secret(1), signing_secret(2, name=name)))
    assert owner.secret_names == {name}
    owner.check_secret_name(name)
    owner.check_secret_name(None)


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a_b", "a b", "ä", "a" * 65, "a\n", "\u0663"])
def test_signing_secret_with_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidValueError, match="lower-case"):
        signing_secret(name=name)


@pytest.mark.parametrize(
    "secrets",
    [
        (signing_secret(name="billing"),),
        (signing_secret(1), signing_secret(2, name="billing", ends_at=DUE_AT)),
        (signing_secret(1, ends_at=DUE_AT), signing_secret(2, name="billing")),
    ],
)
def test_tenant_needs_a_current_secret_without_a_name_and_one_of_each_name(
    secrets: tuple[SigningSecret, ...],
) -> None:
    with pytest.raises(InvalidValueError, match="needs a signing secret"):
        tenant(signing_secrets=secrets)


def test_secrets_of_one_name_sign_alone() -> None:
    plain, old = signing_secret(1), signing_secret(2, name="billing", ends_at=DUE_AT)
    new, other = signing_secret(3, name="billing"), signing_secret(4, name="crm")
    owner = tenant(signing_secrets=(plain, new, old, other))
    assert owner.signing_at(DUE_AT - 1, "billing") == (new, old)
    assert owner.signing_at(DUE_AT, "billing") == (new,)
    assert owner.signing_at(DUE_AT, None) == (plain,)
    assert owner.signing_at(DUE_AT, "gone") == ()


def test_a_key_admits_its_own_secret() -> None:
    assert api_key(secret=SECRET).admits(SECRET, DUE_AT)


@pytest.mark.parametrize(
    ("fields", "secret"),
    [
        ({}, "t" * 32),
        ({}, ""),
        ({"revoked": True}, SECRET),
        ({"expires_at": DUE_AT}, SECRET),
        ({"expires_at": DUE_AT - 1}, SECRET),
    ],
)
def test_a_wrong_revoked_or_expired_key_admits_nobody(fields: dict[str, Any], secret: str) -> None:
    assert not api_key(secret=SECRET, **fields).admits(secret, DUE_AT)


def test_a_key_is_good_until_the_millisecond_of_its_expiry() -> None:
    assert api_key(secret=SECRET, expires_at=DUE_AT + 1).admits(SECRET, DUE_AT)


def test_only_a_hash_of_the_secret_is_kept() -> None:
    kept = api_key(secret=SECRET).secret_hash
    assert kept == hash_secret(SECRET)
    assert (len(kept), SECRET.encode() in kept) == (32, False)


def test_a_new_key_survives_its_text_form() -> None:
    parts = new_key_parts((1 << 80) - 1, (1 << 160) - 2)
    assert split_key(key_text(*parts)) == parts
    assert [len(part) for part in parts] == [16, 32]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pk_",
        "pk_0000000000000000",
        f"pk_0000000000000000_{SECRET[:-1]}",
        f"pk_0000000000000000_{SECRET}s",
        f"pk_0000000000000000_{SECRET}\n",
        f"PK_0000000000000000_{SECRET}",
        f"pk_000000000000000A_{SECRET}",
        f"Bearer pk_0000000000000000_{SECRET}",
        f"pk_{chr(0x660) * 16}_{SECRET}",
    ],
)
def test_malformed_api_key_is_not_split(text: str) -> None:
    assert split_key(text) is None


def test_scopes_are_spelled_as_in_the_api() -> None:
    assert {scope.value for scope in Scope} == {"read", "write", "admin"}
