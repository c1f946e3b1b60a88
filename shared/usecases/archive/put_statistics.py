"""Store the sums of a unit for each of its tenants, after its file."""

from collections.abc import Iterable, Mapping
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.archive.schedule import UnitState
from shared.domain.archive.statistics import Sample, UnitSums, sums_by_tenant
from shared.domain.archive.unit import DAY_MS, ArchiveUnit
from shared.ports.history import HistoryStore
from shared.ports.runtime import Spread

BATCH = 64
"""Tenants and workflows whose sums are stored side by side."""


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
        unended_tasks: Mapping[tuple[str, str], int] | None = None,
        etag: str | None,
        is_replaced: bool = False,
    ) -> None:
        """`samples` are those of the file with this ETag, in its order. UnavailableError.

        `is_replaced` where an earlier pass may have counted executions that are gone.
        """

        def put(sums: UnitSums) -> bool:
            return self._put(sums, lease.version, etag)

        sums = sums_by_tenant(
            lease.unit, samples, unended, unended_tasks=unended_tasks, is_replaced=is_replaced
        )
        while batch := list(islice(sums, BATCH)):
            self.spread(put, batch)

    def replace_whole(
        self, unit: ArchiveUnit, samples: Iterable[tuple[str, Sample]], *, version: int, etag: str
    ) -> None:
        """Store the sums of all tenants alone, where the rows of the others have not changed. UnavailableError."""
        for sums in sums_by_tenant(unit, samples, {}, is_replaced=True):
            if sums.tenant_id is None:
                self._put(sums, version, etag)

    def _put(self, sums: UnitSums, version: int, etag: str | None) -> bool:
        expires_at_s = (sums.unit.end_ms + self.archive_days * DAY_MS) // 1000
        return self.history.put(sums, version=version, etag=etag, expires_at_s=expires_at_s)
