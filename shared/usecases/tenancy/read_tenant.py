"""Tenants, remembered for a while."""

from dataclasses import dataclass, field

from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantStore

REMEMBER_MS = 60_000
MAX_REMEMBERED = 10_000


@dataclass(slots=True)
class ReadTenant:
    """Reads tenants at most once in 60 s each: so long may a change take to be seen."""

    tenants: TenantStore
    clock: Clock
    _seen: dict[str, tuple[int, Tenant]] = field(default_factory=dict)

    def execute(self, tenant_id: str) -> Tenant | None:
        """The tenant; an unknown one is asked for anew each time."""
        now_ms = self.clock.now_ms()
        read_at, tenant = self._seen.get(tenant_id, (0, None))
        if tenant is not None and now_ms - read_at < REMEMBER_MS:
            return tenant
        tenant = self.tenants.get(tenant_id)
        if len(self._seen) >= MAX_REMEMBERED:
            self._seen.clear()
        if tenant is not None:
            self._seen[tenant_id] = (now_ms, tenant)
        return tenant
