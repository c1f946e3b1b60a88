"""Who sends a request: the tenant comes from the credential alone."""

from dataclasses import dataclass, field

from shared.domain.tenant import ApiKey, Tenant, split_key
from shared.ports.runtime import Clock
from shared.ports.tenants import TenantStore
from shared.usecases.read_tenant import MAX_REMEMBERED, REMEMBER_MS, ReadTenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A tenant, and the key that it came with."""

    tenant: Tenant
    key: ApiKey


@dataclass(slots=True)
class Authenticate:
    """Checks API keys. Keys are remembered for 60 s at most, so a revocation holds within that time."""

    tenants: TenantStore
    read_tenant: ReadTenant
    clock: Clock
    _seen: dict[str, tuple[int, ApiKey]] = field(default_factory=dict)

    def __call__(self, presented: str) -> Principal | None:
        """The principal, or None for anything that is not a good key: the reason is never told."""
        parts = split_key(presented)
        key = self._read(parts[0]) if parts else None
        if parts is None or key is None or not key.admits(parts[1], self.clock.now_ms()):
            return None
        tenant = self.read_tenant(key.tenant_id)
        return Principal(tenant=tenant, key=key) if tenant else None

    def _read(self, key_id: str) -> ApiKey | None:
        now_ms = self.clock.now_ms()
        read_at, key = self._seen.get(key_id, (0, None))
        if key is None or now_ms - read_at >= REMEMBER_MS:
            key = self.tenants.get_key(key_id)
            if len(self._seen) >= MAX_REMEMBERED:
                self._seen.clear()
            if key is not None:
                self._seen[key_id] = (now_ms, key)
        return key
