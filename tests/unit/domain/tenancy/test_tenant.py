"""Tenants and their API keys."""

from typing import Any

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.tenancy.tenant import Scope, hash_secret, key_text, new_key_parts, split_key
from tests.support.builders import DUE_AT, api_key, tenant

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
