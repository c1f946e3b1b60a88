"""Bounds how often a process asks a service of AWS for one tenant: all tenants share the quota of the account."""

from dataclasses import field
from threading import Lock

from shared.dataclass import dataclass
from shared.domain.fair_cache import FairCache

MAX_TENANTS = 5_000


@dataclass(slots=True)
class TenantPace:
    """A token bucket for each tenant: `burst` calls at once, and then one in `interval_ms`."""

    interval_ms: int
    burst: int
    _paid_until: FairCache[tuple[str], int] = field(default_factory=lambda: FairCache(MAX_TENANTS))
    """In UTC ms: each call pays for `interval_ms`."""
    _lock: Lock = field(default_factory=Lock)

    def admits(self, tenant_id: str, now_ms: int) -> bool:
        """Whether the tenant may have a call now, which it then has had."""
        with self._lock:
            paid_until = max(self._paid_until.get((tenant_id,)) or 0, now_ms)
            if paid_until > now_ms + (self.burst - 1) * self.interval_ms:
                return False
            self._paid_until.put((tenant_id,), paid_until + self.interval_ms)
            return True
