"""What readers ask of the archive, and what it returns."""

from shared.dataclass import dataclass
from shared.domain.archive.row import ArchiveRow
from shared.domain.ids import parse_execution_id
from shared.domain.listings.position import IndexPosition

MOST_ROWS = 100
"""Rows of one answer."""
MOST_UNITS = 64
"""Units that one question names."""


@dataclass(frozen=True, slots=True)
class ArchivePage:
    """Rows of a tenant, newest first. `edge` is the last examined position; None: all units were examined."""

    rows: tuple[ArchiveRow, ...]
    edge: IndexPosition | None


def row_position(row: ArchiveRow) -> IndexPosition:
    """The position of a row in the list of its tenant."""
    return IndexPosition(at=row.due_at, id=parse_execution_id(row.id))
