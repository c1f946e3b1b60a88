"""Store the sums of a unit for each of its tenants, after its file."""

from collections.abc import Iterable, Mapping
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.archive.schedule import UnitState
from shared.domain.archive.statistics import Sample, UnitSums, sums_by_tenant
from shared.domain.archive.unit import DAY_MS
from shared.ports.history import HistoryStore
from shared.ports.runtime import Spread

BATCH = 64
"""Tenants whose sums are in memory at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutStatistics:
    """Safe to repeat: sums are replaced, never added. The sums of a later pass stay."""

    history: HistoryStore
    spread: Spread
    archive_days: int

    def execute(
        self,
        lease: UnitState,
        samples: Iterable[tuple[str, Sample]],
        unended: Mapping[str, int],
        *,
        etag: str | None,
    ) -> None:
        """`samples` are those of the file with this ETag, in its order. UnavailableError."""
        expires_at_s = (lease.unit.end_ms + self.archive_days * DAY_MS) // 1000

        def put(sums: UnitSums) -> bool:
            return self.history.put(sums, version=lease.version, etag=etag, expires_at_s=expires_at_s)

        sums = sums_by_tenant(lease.unit, samples, unended)
        while batch := list(islice(sums, BATCH)):
            self.spread(put, batch)
