"""TenantStore: tenants and their keys."""

from dataclasses import replace

from shared.domain.tenant import Scope, TenantState
from tests.builders import DUE_AT, TENANT, api_key, tenant
from tests.conformance.labs import Lab


def test_a_tenant_is_written_with_its_first_key(lab: Lab) -> None:
    assert lab.tenants.create(tenant(), api_key())
    assert lab.tenants.get(TENANT) == tenant()
    assert lab.tenants.get_key(api_key().id) == api_key()


def test_every_field_is_read_back(lab: Lab) -> None:
    owner = tenant(
        state=TenantState.SUSPENDED,
        data_key=bytes(range(256)),
        signing_secrets=(b"the newer", b"the older"),
        index_shards=8,
    )
    key = api_key(scopes=frozenset(Scope), expires_at=DUE_AT, revoked=True, secret_hash=bytes(range(32)))
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


def test_what_was_never_written_is_not_found(lab: Lab) -> None:
    assert lab.tenants.get(TENANT) is None
    assert lab.tenants.get_key(api_key().id) is None


def test_a_tenant_is_no_key_and_a_key_no_tenant(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key())
    assert lab.tenants.get(api_key().id) is None
    assert lab.tenants.get_key(TENANT) is None
