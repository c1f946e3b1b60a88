"""Tenants and keys in memory."""

from shared.domain.tenant import ApiKey, Tenant


class FakeTenantStore:
    """A tenant stands with its first key or not at all."""

    def __init__(self) -> None:
        self.tenants: dict[str, Tenant] = {}
        self.keys: dict[str, ApiKey] = {}

    def get(self, tenant_id: str) -> Tenant | None:
        """See the port."""
        return self.tenants.get(tenant_id)

    def get_key(self, key_id: str) -> ApiKey | None:
        """See the port."""
        return self.keys.get(key_id)

    def create(self, tenant: Tenant, key: ApiKey) -> bool:
        """See the port."""
        if tenant.id in self.tenants or key.id in self.keys:
            return False
        self.tenants[tenant.id] = tenant
        self.keys[key.id] = key
        return True
