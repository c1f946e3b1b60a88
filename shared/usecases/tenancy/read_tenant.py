"""A cache of tenants."""

from dataclasses import dataclass, field

from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantStore

REMEMBER_MS = 60_000
MAX_REMEMBERED = 10_000


@dataclass(slots=True)
class ReadTenant:
    """Reads each tenant at most once in 60 s, so a change takes effect within that time."""

    tenants: TenantStore
    clock: Clock
    _cache: dict[str, tuple[int, Tenant]] = field(default_factory=dict)

    def execute(self, tenant_id: str) -> Tenant | None:
        """The tenant; an unknown id is read again each time. UnavailableError."""
        now_ms = self.clock.now_ms()
        read_at, tenant = self._cache.get(tenant_id, (0, None))
        if tenant is not None and now_ms - read_at < REMEMBER_MS:
            return tenant
        tenant = self.tenants.get(tenant_id)
        if len(self._cache) >= MAX_REMEMBERED:
            self._cache.clear()
        if tenant is not None:
            self._cache[tenant_id] = (now_ms, tenant)
        return tenant
