"""A cache of the tenants' weights, so that sending a message reads nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.errors import PunctualError

if TYPE_CHECKING:
    from shared.ports.runtime import Clock
    from shared.ports.tenancy import TenantStore

REMEMBER_MS = 300_000
"""A weight changes only how tenants share a backlog: a change may take effect late."""
MAX_REMEMBERED = 50_000
"""Five times the 10,000 tenants of a cell, at about 0.4 KB each: 20 MB at most."""
READ_BATCH = 100
"""The maximum of BatchGetItem. A list of the tenants with a weight would cost fewer reads, but it would be a
second record of each weight, and one key that all processes read. 10,000 tenants are 100 reads in 5 minutes."""
NO_WEIGHT = 1


@dataclass(slots=True)
class TenantWeights:
    """Reads each tenant at most once in 5 minutes, including unknown ids, in batches of 100."""

    tenants: TenantStore
    clock: Clock
    _cache: BoundedCache[str, tuple[int, int]] = field(default_factory=lambda: BoundedCache(MAX_REMEMBERED))

    def __call__(self, tenant_ids: Collection[str]) -> Mapping[str, int]:
        """Where the store does not respond, the last weights stay."""
        now_ms = self.clock.now_ms()
        cached = {name: self._cache.get(name, (now_ms - REMEMBER_MS, NO_WEIGHT)) for name in tenant_ids}
        weights = {name: weight for name, (_, weight) in cached.items()}
        expired = sorted(name for name, (read_at, _) in cached.items() if now_ms - read_at >= REMEMBER_MS)
        for start in range(0, len(expired), READ_BATCH):
            batch = expired[start : start + READ_BATCH]
            weights |= self._read(batch)
            for name in batch:
                self._cache[name] = (now_ms, weights[name])
        return weights

    def _read(self, tenant_ids: list[str]) -> Mapping[str, int]:
        try:
            return self.tenants.weights(tenant_ids)
        except PunctualError:
            return {}
