"""TenantStore: tenants and their keys."""

from dataclasses import replace

from shared.domain.delivery.alerts import AlertEvent, AlertRules, AlertTarget
from shared.domain.delivery.outcome_callbacks import CallbackTarget, OutcomeCallbacks
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.suspension import Suspension
from shared.domain.tenancy.tenant import Scope, TenantState
from tests.support.builders import DUE_AT, TENANT, api_key, signing_secret, tenant
from tests.support.conformance.labs import Lab


def test_a_tenant_is_written_with_its_first_key(lab: Lab) -> None:
    assert lab.tenants.create(tenant(), api_key())
    assert lab.tenants.get(TENANT) == tenant()
    assert lab.tenants.get_key(api_key().id) == api_key()


def test_every_field_is_read_back(lab: Lab) -> None:
    owner = tenant(
        state=TenantState.SUSPENDED,
        data_key=bytes(range(256)),
        signing_secrets=(
            signing_secret(2),
            signing_secret(1, ends_at=DUE_AT),
            signing_secret(4, name="billing"),
            signing_secret(3, name="billing", ends_at=DUE_AT),
            signing_secret(5, name="crm-2"),
        ),
        revision=7,
        weight=9,
        quotas={Quota.TAGS: 3, Quota.RECURRING_JOBS: 0},
        key_ids=("one", "two"),
        index_shards=8,
        callbacks=OutcomeCallbacks(
            on_failure=CallbackTarget(sealed_url=bytes(256), destination="0123456789")
        ),
        alerts=AlertTarget(
            target=CallbackTarget(sealed_url=bytes(256), destination="0123456789"),
            rules=AlertRules(events=frozenset(AlertEvent), late_after_seconds=60),
        ),
        suspensions=(
            Suspension(from_at=DUE_AT, until_at=DUE_AT + 1),
            Suspension(from_at=DUE_AT + 2, until_at=DUE_AT + 2),
            Suspension(from_at=DUE_AT + 3),
        ),
    )
    key = api_key(
        scopes=frozenset(Scope),
        expires_at=DUE_AT,
        revoked=True,
        secret_hash=bytes(range(32)),
        name="ops \N{SNOWMAN}",
        last_used_at=DUE_AT,
    )
    lab.tenants.create(owner, key)
    assert lab.tenants.get(TENANT) == owner
    assert lab.tenants.get_key(key.id) == key


def test_a_key_without_scopes_stays_without(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key(scopes=frozenset()))
    found = lab.tenants.get_key(api_key().id)
    assert found is not None
    assert found.scopes == frozenset()


def test_a_tenant_that_exists_is_not_overwritten_and_its_new_key_not_written(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key(1))
    assert not lab.tenants.create(tenant(index_shards=8), api_key(2))
    assert lab.tenants.get(TENANT) == tenant()
    assert lab.tenants.get_key(api_key(2).id) is None


def test_a_key_that_exists_is_not_overwritten_and_its_tenant_not_written(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key(1))
    other = replace(tenant(), id="acme-2")
    assert not lab.tenants.create(other, api_key(1, tenant_id="acme-2"))
    assert lab.tenants.get("acme-2") is None
    assert lab.tenants.get_key(api_key(1).id) == api_key(1)


def test_missing_tenant_and_key_are_not_found(lab: Lab) -> None:
    assert lab.tenants.get(TENANT) is None
    assert lab.tenants.get_key(api_key().id) is None


def test_a_tenant_is_no_key_and_a_key_no_tenant(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key())
    assert lab.tenants.get(api_key().id) is None
    assert lab.tenants.get_key(TENANT) is None


def test_a_tenant_is_replaced_at_the_revision_that_was_seen(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key())
    changed = tenant(revision=2, weight=5)
    assert lab.tenants.replace(tenant(), changed)
    assert not lab.tenants.replace(tenant(), tenant(revision=2, weight=6))
    assert not lab.tenants.replace(tenant(revision=3), tenant(revision=4))
    assert lab.tenants.get(TENANT) == changed
    assert not lab.tenants.replace(tenant(id="nobody"), tenant(id="nobody", revision=2))
    assert lab.tenants.get("nobody") is None


def test_named_secrets_change_with_the_tenant_or_not_at_all(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key())
    billing, crm = signing_secret(2, name="billing"), signing_secret(3, name="crm")
    named = tenant(revision=2, signing_secrets=(signing_secret(), billing))
    assert lab.tenants.replace(tenant(), named)
    assert not lab.tenants.replace(tenant(), tenant(revision=2, signing_secrets=(signing_secret(), crm)))
    assert lab.tenants.get(TENANT) == named
    heavier = replace(named, revision=3, weight=5)
    assert lab.tenants.replace(named, heavier)
    both = replace(heavier, revision=4, signing_secrets=(signing_secret(), billing, crm))
    assert lab.tenants.replace(heavier, both)
    assert lab.tenants.get(TENANT) == both


def test_keys_change_with_the_tenant_or_not_at_all(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key(1))
    ended = api_key(1, expires_at=DUE_AT, revoked=True)
    assert lab.tenants.replace(
        tenant(), tenant(revision=2), new_key=api_key(2), changed_key=replace(ended, name="forged")
    )
    assert not lab.tenants.replace(
        tenant(), tenant(revision=2), new_key=api_key(3), changed_key=api_key(1, expires_at=1)
    )
    assert lab.tenants.get_keys([api_key(number).id for number in (3, 2, 1)]) == [api_key(2), ended]


def test_an_end_can_be_taken_back_by_nobody_but_a_change(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key(1, expires_at=DUE_AT))
    assert lab.tenants.replace(tenant(), tenant(revision=2), changed_key=api_key(1))
    assert lab.tenants.get_key(api_key(1).id) == api_key(1)


def test_a_key_that_exists_is_not_overwritten_by_a_new_one(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key(1))
    assert not lab.tenants.replace(tenant(), tenant(revision=2), new_key=api_key(1, secret="t" * 32))
    assert lab.tenants.get_key(api_key(1).id) == api_key(1)
    assert lab.tenants.get(TENANT) == tenant()


def test_no_keys_are_read_when_none_are_asked_for(lab: Lab) -> None:
    assert lab.tenants.get_keys([]) == []
    assert lab.tenants.get_keys(["0" * 16]) == []


def test_weights_of_many_tenants_are_read_at_once_without_unknown_tenants(lab: Lab) -> None:
    for number in range(3):
        name = f"weighted-{number}"
        assert lab.tenants.create(tenant(id=name, weight=number + 1), api_key(number, tenant_id=name))
    names = [*(f"weighted-{number}" for number in range(3)), *(f"unknown-{number}" for number in range(97))]
    assert lab.tenants.weights(names) == {"weighted-0": 1, "weighted-1": 2, "weighted-2": 3}
    assert lab.tenants.weights([]) == {}


def test_tenants_are_listed_by_their_ids_behind_a_given_one(lab: Lab) -> None:
    for number, name in enumerate(("b", "a-1", "c", "a")):
        lab.tenants.create(tenant(id=name), api_key(number, tenant_id=name))
    assert lab.tenants.ids(after=None, limit=10) == ["a", "a-1", "b", "c"]
    assert lab.tenants.ids(after="a", limit=2) == ["a-1", "b"]
    assert lab.tenants.ids(after="c", limit=2) == []


def test_a_use_is_noted_unless_a_late_enough_one_is(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key())
    for used_at, unless_since, noted in ((10, 5, 10), (12, 10, 10), (20, 11, 20), (30, 15, 20)):
        lab.tenants.note_use(api_key().id, used_at, unless_since)
        found = lab.tenants.get_key(api_key().id)
        assert found is not None
        assert found.last_used_at == noted
    lab.tenants.note_use("0" * 16, 1, 1)
    assert lab.tenants.get_key("0" * 16) is None
