"""Create a tenant with its first API key and signing secret."""

from dataclasses import dataclass, replace

from shared.domain.errors import InvalidStateError
from shared.domain.signing import new_secret
from shared.domain.tenant import (
    KEY_ID_BITS,
    SECRET_BITS,
    SIGNING_CONTEXT,
    ApiKey,
    Scope,
    Tenant,
    TenantState,
    hash_secret,
    key_text,
    new_key_parts,
)
from shared.ports.runtime import Clock, Entropy
from shared.ports.tenants import TenantStore
from shared.ports.vault import Vault

SIGNING_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTenant:
    """What is shown once and kept by nobody but its owner."""

    tenant_id: str
    api_key: str
    signing_secret: str


@dataclass(frozen=True, slots=True)
class CreateTenant:
    """An operator's act; there is no way to it over HTTP."""

    tenants: TenantStore
    vault: Vault
    clock: Clock
    entropy: Entropy

    def __call__(self, tenant_id: str) -> NewTenant:
        """InvalidValueError for an unusable id, InvalidStateError where the tenant exists."""
        now_ms = self.clock.now_ms()
        secret = new_secret(self.entropy.bits(SIGNING_SECRET_BYTES * 8).to_bytes(SIGNING_SECRET_BYTES))
        unsealed = Tenant(
            id=tenant_id, state=TenantState.ACTIVE, data_key=b"", signing_secrets=(b"",), created_at=now_ms
        )
        keyed = replace(unsealed, data_key=self.vault.new_data_key(tenant_id))
        tenant = replace(keyed, signing_secrets=(self.vault.seal(keyed, SIGNING_CONTEXT, secret.encode()),))
        key_id, key_secret = new_key_parts(self.entropy.bits(KEY_ID_BITS), self.entropy.bits(SECRET_BITS))
        key = ApiKey(
            id=key_id,
            tenant_id=tenant_id,
            secret_hash=hash_secret(key_secret),
            scopes=frozenset({Scope.READ, Scope.WRITE}),
            created_at=now_ms,
        )
        if not self.tenants.create(tenant, key):
            raise InvalidStateError(f"tenant {tenant_id} exists already")
        return NewTenant(tenant_id=tenant_id, api_key=key_text(key_id, key_secret), signing_secret=secret)
