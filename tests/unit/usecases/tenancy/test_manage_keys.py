"""API keys: made, revoked and rotated; how many, by whom, and from when on."""

from dataclasses import replace

import pytest

from shared.domain.errors import (
    InvalidStateError,
    InvalidValueError,
    NotFoundError,
    QuotaExceededError,
    UnavailableError,
)
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope, split_key
from shared.usecases.tenancy.manage_keys import MAX_LISTED
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.account_world import ADMIN, OPERATOR, READ_WRITE, AccountWorld

HOUR = 3_600_000


def test_a_new_key_is_good_and_has_its_scopes() -> None:
    world = AccountWorld()
    made = world.keyring.create(TENANT, READ_WRITE, name="ci")
    principal = world.who(made.text)
    assert principal is not None
    assert (principal.tenant.id, principal.key.scopes, principal.key.name) == (TENANT, READ_WRITE, "ci")
    assert [key.id for key in world.keyring.keys_of(TENANT)] == [world.acme.key.id, made.key.id]


def test_secret_of_a_key_is_stored_nowhere() -> None:
    world = AccountWorld()
    parts = split_key(world.keyring.create(TENANT, READ_WRITE).text)
    assert parts is not None
    assert parts[1] not in repr(world.stored.keys) + repr(world.stored.tenants)


def test_a_key_can_have_an_end() -> None:
    world = AccountWorld()
    made = world.keyring.create(TENANT, READ_WRITE, expires_at=DUE_AT + HOUR)
    world.pass_seconds(3_599.999)
    assert world.who(made.text) is not None
    world.pass_seconds(0.001)
    assert world.who(made.text) is None


@pytest.mark.parametrize("ends_at", [DUE_AT, DUE_AT - 1, 0])
def test_key_cannot_expire_in_the_past(ends_at: int) -> None:
    with pytest.raises(InvalidValueError):
        AccountWorld().keyring.create(TENANT, READ_WRITE, expires_at=ends_at)


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", "\x7f"])
def test_key_cannot_have_an_unprintable_name(name: str) -> None:
    with pytest.raises(InvalidValueError):
        AccountWorld().keyring.create(TENANT, READ_WRITE, name=name)


@pytest.mark.parametrize("scopes", [frozenset(), frozenset(Scope), READ_WRITE, ADMIN | {Scope.READ}])
def test_operators_keys_do_nothing_but_manage(scopes: frozenset[Scope]) -> None:
    world = AccountWorld()
    with pytest.raises(InvalidValueError):
        world.keyring.create(OPERATOR, scopes)
    assert world.who(world.keyring.create(OPERATOR, ADMIN).text) is not None


def test_a_key_without_any_scope_is_refused() -> None:
    with pytest.raises(InvalidValueError):
        AccountWorld().keyring.create(TENANT, frozenset())


def test_number_of_active_keys_is_limited_by_the_quota() -> None:
    world = AccountWorld()
    world.allow(Quota.API_KEYS, 3)
    kept = [world.keyring.create(TENANT, READ_WRITE) for _ in range(2)]
    with pytest.raises(QuotaExceededError) as refused:
        world.keyring.create(TENANT, READ_WRITE)
    assert refused.value.quota == "api_keys"
    with pytest.raises(QuotaExceededError):
        world.keyring.rotate(TENANT, kept[0].key.id, overlap_seconds=60)
    world.keyring.revoke(TENANT, kept[0].key.id, even_the_last=False)
    assert world.keyring.create(TENANT, READ_WRITE, expires_at=DUE_AT + HOUR)
    world.pass_seconds(3_600)
    assert world.keyring.create(TENANT, READ_WRITE)


def test_concurrent_creations_of_keys_keep_to_the_quota() -> None:
    world = AccountWorld()
    world.allow(Quota.API_KEYS, 2)
    world.steps.before("tenants.replace", lambda: world.keyring.create(TENANT, READ_WRITE))
    with pytest.raises(QuotaExceededError):
        world.keyring.create(TENANT, READ_WRITE)
    assert len(world.keyring.keys_of(TENANT)) == 2


@pytest.mark.parametrize(("later_seconds", "is_good"), [(59.999, True), (60, False)])
def test_a_revocation_holds_within_a_minute_everywhere(later_seconds: float, is_good: bool) -> None:
    world = AccountWorld()
    made = world.keyring.create(TENANT, READ_WRITE)
    process = world.process()
    assert process.execute(made.text) is not None
    world.keyring.revoke(TENANT, made.key.id, even_the_last=False)
    assert world.who(made.text) is None
    world.pass_seconds(later_seconds)
    assert (process.execute(made.text) is not None) is is_good


def test_a_revocation_is_final_and_can_be_repeated() -> None:
    world = AccountWorld()
    made = world.keyring.create(TENANT, READ_WRITE)
    before, after = world.keyring.revoke(TENANT, made.key.id, even_the_last=False)
    assert (before.revoked, after.revoked) == (False, True)
    again = world.keyring.revoke(TENANT, made.key.id, even_the_last=False)
    assert [key.revoked for key in again] == [True, True]


def test_the_last_key_that_may_manage_keys_stays() -> None:
    world = AccountWorld()
    with pytest.raises(InvalidStateError, match="last key"):
        world.keyring.revoke(TENANT, world.acme.key.id, even_the_last=False)
    other = world.keyring.create(TENANT, ADMIN, expires_at=DUE_AT + HOUR)
    world.pass_seconds(3_600)
    with pytest.raises(InvalidStateError):
        world.keyring.revoke(TENANT, world.acme.key.id, even_the_last=False)
    assert world.keyring.revoke(TENANT, world.acme.key.id, even_the_last=True)[1].revoked
    assert not other.key.revoked


def test_concurrent_revocations_of_the_last_two_keys_leave_a_key() -> None:
    world = AccountWorld()
    other = world.keyring.create(TENANT, ADMIN)
    world.steps.before(
        "tenants.replace", lambda: world.keyring.revoke(TENANT, other.key.id, even_the_last=False)
    )
    with pytest.raises(InvalidStateError):
        world.keyring.revoke(TENANT, world.acme.key.id, even_the_last=False)
    assert world.who(world.acme.api_key) is not None


@pytest.mark.parametrize("overlap", [0, 60, 86_400])
def test_old_and_new_key_are_valid_while_a_rotation_overlaps(overlap: int) -> None:
    world = AccountWorld()
    old = world.keyring.create(TENANT, READ_WRITE, name="ci")
    rotation = world.keyring.rotate(TENANT, old.key.id, overlap_seconds=overlap)
    assert (rotation.new.key.scopes, rotation.new.key.name) == (READ_WRITE, "ci")
    assert world.who(rotation.new.text) is not None
    if overlap:
        world.pass_seconds(overlap - 0.001)
        assert world.who(old.text) is not None
        world.pass_seconds(0.001)
    assert world.who(old.text) is None
    assert world.who(rotation.new.text) is not None


def test_a_rotation_gives_the_old_key_no_longer_than_it_had() -> None:
    world = AccountWorld()
    old = world.keyring.create(TENANT, READ_WRITE, expires_at=DUE_AT + 1_000)
    world.keyring.rotate(TENANT, old.key.id, overlap_seconds=3_600)
    world.pass_seconds(1)
    assert world.who(old.text) is None


def test_a_dead_key_is_not_rotated() -> None:
    world = AccountWorld()
    old = world.keyring.create(TENANT, READ_WRITE)
    world.keyring.revoke(TENANT, old.key.id, even_the_last=False)
    with pytest.raises(InvalidStateError):
        world.keyring.rotate(TENANT, old.key.id, overlap_seconds=60)


@pytest.mark.parametrize("stranger", ["of the operator", "unknown", "", "x" * 9_999])
def test_foreign_key_is_answered_like_an_unknown_key(stranger: str) -> None:
    world = AccountWorld()
    key_id = world.operator.key.id if stranger == "of the operator" else stranger
    for act in (
        lambda: world.keyring.revoke(TENANT, key_id, even_the_last=True),
        lambda: world.keyring.rotate(TENANT, key_id, overlap_seconds=1),
    ):
        with pytest.raises(NotFoundError, match=r"^no such key$"):
            act()
    assert world.who(world.operator.api_key) is not None


@pytest.mark.parametrize("name", ["nobody", "", "No Such", "x" * 9_999])
def test_an_unknown_tenant_has_no_keys(name: str) -> None:
    with pytest.raises(NotFoundError):
        AccountWorld().keyring.keys_of(name)


def test_dead_keys_are_listed_until_many_newer_ones_are() -> None:
    world = AccountWorld()
    for _ in range(MAX_LISTED + 5):
        made = world.keyring.create(TENANT, READ_WRITE)
        world.keyring.revoke(TENANT, made.key.id, even_the_last=False)
    listed = [key.id for key in world.keyring.keys_of(TENANT)]
    assert (len(listed), listed[0], listed[-1]) == (MAX_LISTED, world.acme.key.id, made.key.id)


def test_a_store_that_is_always_in_between_is_no_refusal() -> None:
    world = AccountWorld()

    def interfere() -> None:
        tenant = world.stored.tenants[TENANT]
        world.stored.tenants[TENANT] = replace(tenant, revision=tenant.revision + 1)

    world.steps.before("tenants.replace", interfere, times=99)
    with pytest.raises(UnavailableError):
        world.keyring.create(TENANT, READ_WRITE)


@pytest.mark.parametrize(("later_ms", "noted"), [(HOUR - 1, DUE_AT), (HOUR, DUE_AT + HOUR)])
def test_the_last_use_is_kept_to_within_an_hour(later_ms: int, noted: int) -> None:
    world = AccountWorld()
    process = world.process()
    process.execute(world.acme.api_key)
    world.clock.time_ms += later_ms
    process.execute(world.acme.api_key)
    assert world.stored.keys[world.acme.key.id].last_used_at == noted


def test_last_use_of_a_key_is_written_once_an_hour_by_each_process() -> None:
    world = AccountWorld()
    processes = [world.process() for _ in range(5)]
    for _ in range(130):
        world.pass_seconds(60)
        for process in processes:
            process.execute(world.acme.api_key)
    assert world.steps.count("tenants.note_use") <= 3 * len(processes)
    wrong = world.acme.api_key[:-1] + ("0" if world.acme.api_key[-1] != "0" else "1")
    world.pass_seconds(3_600)
    before = world.steps.count("tenants.note_use")
    processes[0].execute(wrong)
    assert world.steps.count("tenants.note_use") == before


@pytest.mark.parametrize("fault", ["fail", "reject"])
def test_no_request_fails_since_its_use_could_not_be_noted(fault: str) -> None:
    world = AccountWorld()
    getattr(world.steps, fault)("tenants.note_use")
    process = world.process()
    assert process.execute(world.acme.api_key) is not None
    assert process.execute(world.acme.api_key) is not None
    assert world.steps.count("tenants.note_use") == 1
