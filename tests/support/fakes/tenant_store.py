"""Tenants and keys in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shared.domain.tenancy.tenant import ApiKey, Tenant


class FakeTenantStore:
    """A tenant is created together with its first key."""

    def __init__(self) -> None:
        self.tenants: dict[str, Tenant] = {}
        self.keys: dict[str, ApiKey] = {}
        self.taken: set[str] = set()
        """The ids of deleted tenants."""

    def get(self, tenant_id: str) -> Tenant | None:
        return self.tenants.get(tenant_id)

    def weights(self, tenant_ids: Sequence[str]) -> Mapping[str, int]:
        """BatchGetItem takes at most 100 keys, and no key twice."""
        assert len(set(tenant_ids)) == len(tenant_ids) <= 100
        return {name: self.tenants[name].weight for name in tenant_ids if name in self.tenants}

    def get_key(self, key_id: str) -> ApiKey | None:
        return self.keys.get(key_id)

    def get_keys(self, key_ids: Sequence[str]) -> list[ApiKey]:
        return [self.keys[key_id] for key_id in key_ids if key_id in self.keys]

    def create(self, tenant: Tenant, key: ApiKey) -> bool:
        if tenant.id in self.tenants or tenant.id in self.taken or key.id in self.keys:
            return False
        self.tenants[tenant.id] = tenant
        self.keys[key.id] = key
        return True

    def replace(
        self,
        before: Tenant,
        after: Tenant,
        *,
        new_key: ApiKey | None = None,
        changed_key: ApiKey | None = None,
    ) -> bool:
        standing = self.tenants.get(before.id)
        if standing is None or standing.revision != before.revision:
            return False
        if new_key is not None and new_key.id in self.keys:
            return False
        if changed_key is not None and changed_key.id not in self.keys:
            return False
        self.tenants[after.id] = after
        if new_key is not None:
            self.keys[new_key.id] = new_key
        if changed_key is not None:
            ended = self.keys[changed_key.id]
            self.keys[ended.id] = replace(
                ended, expires_at=changed_key.expires_at, revoked=changed_key.revoked
            )
        return True

    def ids(self, *, after: str | None, limit: int) -> list[str]:
        return sorted(name for name in {*self.tenants, *self.taken} if after is None or name > after)[:limit]

    def note_use(self, key_id: str, used_at: int, unless_since: int) -> None:
        key = self.keys.get(key_id)
        if key is not None and (key.last_used_at is None or key.last_used_at < unless_since):
            self.keys[key_id] = replace(key, last_used_at=used_at)
