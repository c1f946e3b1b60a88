"""Tenants and API keys."""

from typing import Protocol

from shared.domain.tenant import ApiKey, Tenant


class TenantStore(Protocol):
    """Tenants and API keys."""

    def get(self, tenant_id: str) -> Tenant | None:
        """Read a tenant."""
        ...

    def get_key(self, key_id: str) -> ApiKey | None:
        """Read a key."""
        ...

    def create(self, tenant: Tenant, key: ApiKey) -> bool:
        """Write a tenant with its first key; False where the tenant exists."""
        ...
