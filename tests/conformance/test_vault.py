"""Vault: what is sealed opens for its own tenant and context alone, and only as it was."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.kms.vault import KmsVault
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.tenancy.tenant import Tenant
from shared.names import ENCRYPTION_CONTEXT_TENANT
from shared.ports.delivery import Vault
from tests.support.builders import tenant
from tests.support.conformance.clients import Clients
from tests.support.conformance.interference import answering, failure, watching
from tests.support.fakes.clock import SeededEntropy

PLAIN = b"Authorization: Bearer secret"


def owner_of_key(vault: Vault, tenant_id: str = "acme") -> Tenant:
    return tenant(id=tenant_id, data_key=vault.new_data_key(tenant_id))


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(plain=st.binary(max_size=4_096), context=st.text(max_size=64))
def test_sealed_bytes_are_unsealed_unchanged(vault: Vault, plain: bytes, context: str) -> None:
    acme = owner_of_key(vault)
    assert vault.unseal(acme, context, vault.seal(acme, context, plain)) == plain


def test_two_hundred_kilobytes_are_sealed_and_hardly_grow(vault: Vault) -> None:
    acme, plain = owner_of_key(vault), bytes(200 * 1024)
    sealed = vault.seal(acme, "job", plain)
    assert vault.unseal(acme, "job", sealed) == plain
    assert len(sealed) <= len(plain) + 32


def test_a_seal_shows_nothing_of_what_it_covers_and_never_the_same_twice(vault: Vault) -> None:
    acme = owner_of_key(vault)
    seals = {vault.seal(acme, "job", PLAIN) for _ in range(10)}
    assert len(seals) == 10
    assert not any(PLAIN[:8] in sealed for sealed in seals)


def test_sealed_bytes_do_not_open_in_another_context(vault: Vault) -> None:
    acme = owner_of_key(vault)
    sealed = vault.seal(acme, "job_1", PLAIN)
    for context in ("job_2", "", "job_1 ", "signing-secret"):
        with pytest.raises(UnreadableItemError):
            vault.unseal(acme, context, sealed)


def test_sealed_bytes_do_not_open_for_another_tenant(vault: Vault) -> None:
    sealed = vault.seal(owner_of_key(vault), "job", PLAIN)
    with pytest.raises(UnreadableItemError):
        vault.unseal(owner_of_key(vault, "globex"), "job", sealed)


def test_sealed_bytes_do_not_open_with_another_key_of_the_same_tenant(vault: Vault) -> None:
    sealed = vault.seal(owner_of_key(vault), "job", PLAIN)
    with pytest.raises(UnreadableItemError):
        vault.unseal(owner_of_key(vault), "job", sealed)


def test_the_key_of_another_tenant_is_not_to_be_had(vault: Vault) -> None:
    acme = owner_of_key(vault)
    sealed = vault.seal(acme, "job", PLAIN)
    thief = replace(acme, id="globex")
    with pytest.raises((UnavailableError, UnreadableItemError)):
        vault.unseal(thief, "job", sealed)
    with pytest.raises((UnavailableError, UnreadableItemError)):
        vault.seal(thief, "job", PLAIN)


def test_an_altered_byte_anywhere_is_noticed(vault: Vault) -> None:
    acme = owner_of_key(vault)
    sealed = vault.seal(acme, "job", PLAIN)
    for position in range(len(sealed)):
        altered = bytearray(sealed)
        altered[position] ^= 1
        with pytest.raises(UnreadableItemError):
            vault.unseal(acme, "job", bytes(altered))


def test_truncated_extended_or_plain_bytes_are_not_unsealed(vault: Vault) -> None:
    acme = owner_of_key(vault)
    sealed = vault.seal(acme, "job", PLAIN)
    for other in (b"", sealed[:1], sealed[:28], sealed[:-1], sealed[1:], sealed + b"\0", PLAIN):
        with pytest.raises(UnreadableItemError):
            vault.unseal(acme, "job", other)


def test_data_keys_are_fresh_and_wrapped(vault: Vault) -> None:
    keys = {vault.new_data_key("acme") for _ in range(3)}
    assert len(keys) == 3


def test_fingerprints_tell_requests_apart_and_only_for_their_own_tenant(vault: Vault) -> None:
    acme, globex = owner_of_key(vault), owner_of_key(vault, "globex")
    prints = [vault.fingerprint(acme, PLAIN), vault.fingerprint(acme, b""), vault.fingerprint(globex, PLAIN)]
    assert [len(each) for each in prints] == [16, 16, 16]
    assert len(set(prints)) == 3
    assert vault.fingerprint(acme, PLAIN) == prints[0]


def test_codes_are_of_one_tenant_one_context_and_one_text(vault: Vault) -> None:
    acme, globex = owner_of_key(vault), owner_of_key(vault, "globex")
    codes = [
        vault.code(acme, "token", PLAIN),
        vault.code(acme, "token", b""),
        vault.code(acme, "toke", b"n" + PLAIN),
        vault.code(acme, "", PLAIN),
        vault.code(globex, "token", PLAIN),
    ]
    assert [len(each) for each in codes] == [32] * 5
    assert len(set(codes)) == 5
    assert vault.code(acme, "token", PLAIN) == codes[0]
    assert vault.fingerprint(acme, PLAIN) not in {code[:16] for code in codes}


def test_a_key_is_unwrapped_once_for_its_tenant(kms_vault: KmsVault, clients: Clients) -> None:
    acme, globex = owner_of_key(kms_vault), owner_of_key(kms_vault, "globex")
    with watching(kms_vault._client) as calls:
        for owner in (acme, globex, acme, globex):
            kms_vault.unseal(owner, "job", kms_vault.seal(owner, "job", PLAIN))
            kms_vault.fingerprint(owner, PLAIN)
    asked = [call["EncryptionContext"] for call in calls.of("Decrypt")]
    assert asked == [{ENCRYPTION_CONTEXT_TENANT: "acme"}, {ENCRYPTION_CONTEXT_TENANT: "globex"}]
    assert len(calls.made) == 2


def test_threads_that_need_one_key_share_one_call(
    kms_vault: KmsVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, decrypt, calls = owner_of_key(kms_vault), kms_vault._client.decrypt, list[str]()
    second_call = Barrier(2)

    def slow(**request: Any) -> Any:
        calls.append(request["EncryptionContext"][ENCRYPTION_CONTEXT_TENANT])
        with suppress(BrokenBarrierError):
            # A second call would come at once; the timeout only ends the wait for it.
            second_call.wait(timeout=0.5)
        return decrypt(**request)

    monkeypatch.setattr(kms_vault._client, "decrypt", slow)
    with ThreadPoolExecutor(8) as pool:
        prints = set(pool.map(lambda _: kms_vault.fingerprint(acme, PLAIN), range(8)))
    assert (len(prints), calls) == (1, ["acme"])


def test_threads_that_share_a_failed_call_all_get_the_error(
    kms_vault: KmsVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = owner_of_key(kms_vault)

    def throttled(**_: Any) -> Any:
        raise NoAnswerError("nowhere")

    with monkeypatch.context() as outage, ThreadPoolExecutor(8) as pool:
        outage.setattr(kms_vault._client, "decrypt", throttled)
        asked = [pool.submit(kms_vault.fingerprint, acme, PLAIN) for _ in range(8)]
        assert {type(each.exception(timeout=60)) for each in asked} == {UnavailableError}
    assert len(kms_vault.fingerprint(acme, PLAIN)) == 16


def test_a_fault_of_kms_is_unavailability_and_is_not_remembered(kms_vault: KmsVault) -> None:
    acme = owner_of_key(kms_vault)
    sealed = KmsVault(kms_vault._client, kms_vault._key_id, SeededEntropy(9)).seal(acme, "job", PLAIN)
    nowhere = NoAnswerError("nowhere")
    for fault in (failure("ThrottlingException"), failure("KMSInternalException"), nowhere):
        with answering(kms_vault._client, "*", fault), pytest.raises(UnavailableError):
            kms_vault.unseal(acme, "job", sealed)
        with answering(kms_vault._client, "*", fault), pytest.raises(UnavailableError):
            kms_vault.new_data_key("acme")
    assert kms_vault.unseal(acme, "job", sealed) == PLAIN


def test_a_tenant_opens_nothing_of_another_even_under_the_same_key(kms_vault: KmsVault) -> None:
    acme, globex = tenant(id="acme"), tenant(id="globex")
    unwrapped = {"Plaintext": bytes(32)}
    with answering(kms_vault._client, "Decrypt", unwrapped, unwrapped):
        sealed = kms_vault.seal(acme, "job", PLAIN)
        with pytest.raises(UnreadableItemError):
            kms_vault.unseal(globex, "job", sealed)


def test_cancelled_call_of_kms_keeps_no_later_caller_from_the_key(
    kms_vault: KmsVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = owner_of_key(kms_vault)

    def cancelled(**_: Any) -> Any:
        raise asyncio.CancelledError

    with monkeypatch.context() as stopped:
        stopped.setattr(kms_vault._client, "decrypt", cancelled)
        with pytest.raises(asyncio.CancelledError):
            kms_vault.fingerprint(acme, PLAIN)
    assert list(kms_vault._keys) == [], "the next caller would wait for ever"
    assert len(kms_vault.fingerprint(acme, PLAIN)) == 16
