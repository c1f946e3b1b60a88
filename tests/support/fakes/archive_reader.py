"""Rows of the archive in memory."""

from collections.abc import Iterator, Mapping, Sequence

from shared.domain.archive.reading import (
    EVERY_ROW,
    MOST_ROWS,
    MOST_UNITS,
    ROWS_OF_SEARCH,
    ArchivePage,
    RowFilter,
    row_position,
)
from shared.domain.archive.row import ArchiveRow
from shared.domain.archive.unit import ArchiveUnit, unit_of
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.domain.listings.position import PositionRange


class FakeArchiveReader:
    """Counts its questions. An answer of `newest` looks through `at_once` rows at most."""

    def __init__(self, at_once: int = 1_000) -> None:
        self.rows: dict[ExecutionId, ArchiveRow] = {}
        self.at_once = at_once
        self.asked = 0

    def keep(self, row: ArchiveRow) -> None:
        self.rows[parse_execution_id(row.id)] = row

    def newest(
        self,
        tenant_id: str,
        units: Sequence[ArchiveUnit],
        span: PositionRange,
        *,
        only: RowFilter = EVERY_ROW,
        limit: int,
    ) -> ArchivePage:
        assert limit <= ROWS_OF_SEARCH and len(units) <= MOST_UNITS
        self.asked += 1
        own = (row for key, row in self.rows.items() if row.tenant == tenant_id and unit_of(key) in units)
        inside = sorted((row for row in own if row_position(row) in span), key=row_position, reverse=True)
        seen = inside[: self.at_once]
        found = [row for row in seen if only.matches(row)]
        if len(found) > limit:
            return ArchivePage(tuple(found[:limit]), row_position(found[limit - 1]))
        edge = row_position(seen[-1]) if len(seen) < len(inside) else None
        return ArchivePage(tuple(found), edge)

    def of_unit(self, tenant_id: str, unit: ArchiveUnit) -> Iterator[ArchiveRow]:
        own = (row for key, row in self.rows.items() if row.tenant == tenant_id and unit_of(key) == unit)
        return iter(sorted(own, key=row_position))

    def by_ids(self, tenant_id: str, ids: Sequence[ExecutionId]) -> Mapping[ExecutionId, ArchiveRow]:
        assert len(ids) <= MOST_ROWS
        self.asked += 1
        return {
            each: self.rows[each] for each in ids if each in self.rows and self.rows[each].tenant == tenant_id
        }
