"""What readers ask of the archive, and what it returns."""

from shared.dataclass import dataclass
from shared.domain.archive.row import ArchiveRow
from shared.domain.ids import parse_execution_id
from shared.domain.listings.position import IndexPosition

MOST_ROWS = 100
"""Rows of one answer."""
ROWS_OF_SEARCH = 1_000
"""The same for a search, whose answer no client waits for. Lambda lets an answer have 6 MB."""
MOST_UNITS = 64
"""Units that one question names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Executions that match every given criterion, which the reader compares, too."""

    state: str | None = None
    job_id: str | None = None
    reason: str | None = None
    """The end reason, or the reason of the last attempt."""
    status: int | None = None
    """The HTTP status of the last attempt."""
    lane: str | None = None

    def matches(self, row: ArchiveRow) -> bool:
        return (
            self.state in (None, row.state)
            and self.job_id in (None, row.job_id)
            and self.reason in (None, row.end_reason, row.reason)
            and self.status in (None, row.status)
            and self.lane in (None, row.lane)
        )


EVERY_ROW = RowFilter()


@dataclass(frozen=True, slots=True)
class ArchivePage:
    """Rows of a tenant, newest first. `edge` is the last examined position; None: all units were examined."""

    rows: tuple[ArchiveRow, ...]
    edge: IndexPosition | None


def row_position(row: ArchiveRow) -> IndexPosition:
    """The position of a row in the list of its tenant."""
    return IndexPosition(at=row.due_at, id=parse_execution_id(row.id))
