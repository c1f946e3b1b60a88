"""A cache of the tenants' weights, so that sending a message reads nothing."""

from dataclasses import dataclass, field

from shared.domain.errors import PunctualError
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantStore

REMEMBER_MS = 300_000
"""A weight changes only how tenants share a backlog: a change may take effect late."""
MAX_REMEMBERED = 10_000
NO_WEIGHT = 1


@dataclass(slots=True)
class TenantWeights:
    """Reads each tenant at most once in 5 minutes, including unknown ids."""

    tenants: TenantStore
    clock: Clock
    _cache: dict[str, tuple[int, int]] = field(default_factory=dict)

    def __call__(self, tenant_id: str) -> int:
        """Where the store does not respond, the last weight stays."""
        now_ms = self.clock.now_ms()
        read_at, weight = self._cache.get(tenant_id, (-REMEMBER_MS, NO_WEIGHT))
        if now_ms - read_at < REMEMBER_MS:
            return weight
        if len(self._cache) >= MAX_REMEMBERED:
            self._cache.clear()
        weight = self._read(tenant_id, weight)
        self._cache[tenant_id] = (now_ms, weight)
        return weight

    def _read(self, tenant_id: str, before: int) -> int:
        try:
            tenant = self.tenants.get(tenant_id)
        except PunctualError:
            return before
        return tenant.weight if tenant is not None else NO_WEIGHT
