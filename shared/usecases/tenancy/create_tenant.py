"""Create a tenant with its first API key and signing secret."""

from collections.abc import Mapping
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import (
    CANARY,
    OPERATOR,
    RESERVED_IDS,
    ApiKey,
    Scope,
    SigningSecret,
    Tenant,
    TenantState,
)
from shared.ports.delivery import Vault
from shared.ports.runtime import Clock, Entropy
from shared.ports.tenancy import TenantStore
from shared.usecases.tenancy.manage_keys import check_scopes, new_key
from shared.usecases.tenancy.manage_signing_secrets import seal_new_secret

FIRST_SCOPES = frozenset({Scope.READ, Scope.WRITE})
CANARY_SCOPES = frozenset({Scope.WRITE})
CANARY_QUOTAS = {
    Quota.RECURRING_JOBS: 10,
    Quota.CREATES_PER_SECOND: 2,
    Quota.REQUESTS_PER_SECOND: 2,
    Quota.DUE_PER_MINUTE: 10,
    Quota.PAYLOAD_BYTES: 1_024,
    Quota.TAGS: 0,
    Quota.WORKFLOWS: 0,
}
"""Little more than its jobs need, should its key leak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTenant:
    """A tenant with its plain-text secrets, which are shown once and never stored."""

    tenant: Tenant
    key: ApiKey
    api_key: str
    signing_secret: str

    @property
    def tenant_id(self) -> str:
        return self.tenant.id


@dataclass(frozen=True, slots=True)
class CreateTenant:
    tenants: TenantStore
    vault: Vault
    clock: Clock
    entropy: Entropy

    def execute(self, tenant_id: str, scopes: frozenset[Scope] = FIRST_SCOPES) -> NewTenant:
        """InvalidValueError for an unusable or reserved id, InvalidStateError where the tenant exists."""
        if tenant_id in RESERVED_IDS:
            raise InvalidValueError(f"the id {tenant_id} is reserved", path=("id",))
        return self._create(tenant_id, scopes)

    def operator(self) -> NewTenant:
        """The operators' own tenant, once in a deployment; InvalidStateError where it exists."""
        return self._create(OPERATOR, frozenset({Scope.ADMIN}))

    def canary(self) -> NewTenant:
        """The tenant of the canary, once in a deployment; InvalidStateError where it exists."""
        return self._create(CANARY, CANARY_SCOPES, CANARY_QUOTAS)

    def _create(
        self, tenant_id: str, scopes: frozenset[Scope], quotas: Mapping[Quota, int] | None = None
    ) -> NewTenant:
        check_scopes(tenant_id, scopes)
        now_ms = self.clock.now_ms()
        unsealed = Tenant(
            id=tenant_id,
            state=TenantState.ACTIVE,
            data_key=b"",
            signing_secrets=(SigningSecret(id="", sealed=b"", created_at=now_ms),),
            created_at=now_ms,
            quotas=quotas or {},
        )
        keyed = replace(unsealed, data_key=self.vault.new_data_key(tenant_id))
        made = new_key(tenant_id, scopes, now_ms, self.entropy)
        secret = seal_new_secret(self.vault, self.entropy, keyed, now_ms)
        tenant = replace(keyed, signing_secrets=(secret.secret,), key_ids=(made.key.id,))
        if not self.tenants.create(tenant, made.key):
            raise InvalidStateError(f"tenant {tenant_id} exists already")
        return NewTenant(tenant=tenant, key=made.key, api_key=made.text, signing_secret=secret.text)
