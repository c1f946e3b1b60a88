"""Tenants and API keys."""

from collections.abc import Sequence
from typing import Protocol

from shared.domain.tenant import ApiKey, Tenant


class TenantStore(Protocol):
    """Tenants and API keys. Everything is read strongly."""

    def get(self, tenant_id: str) -> Tenant | None:
        """Read a tenant; UnreadableItemError where the item is of an unknown version or broken."""
        ...

    def get_key(self, key_id: str) -> ApiKey | None:
        """Read a key; raises as `get` does."""
        ...

    def get_keys(self, key_ids: Sequence[str]) -> list[ApiKey]:
        """Read many keys, in the order that is asked for; those that do not exist are left out."""
        ...

    def create(self, tenant: Tenant, key: ApiKey) -> bool:
        """Write a tenant with its first key; False where the tenant exists."""
        ...

    def replace(
        self,
        before: Tenant,
        after: Tenant,
        *,
        new_key: ApiKey | None = None,
        changed_key: ApiKey | None = None,
    ) -> bool:
        """Put `after` in the place of `before`, with a new key and another one's end, in one transaction.

        False where the tenant is at another revision than `before`, and then nothing is written. Of `changed_key`
        its end alone is written: `expires_at` and `revoked`.
        """
        ...

    def ids(self, *, after: str | None, limit: int) -> list[str]:
        """The ids of all tenants, in their order, behind `after`."""
        ...

    def note_use(self, key_id: str, used_at: int, unless_since: int) -> None:
        """Remember that a key was used, unless a use at or after `unless_since` is on record."""
        ...
