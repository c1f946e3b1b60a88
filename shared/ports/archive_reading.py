"""Reading the archive: ranges of objects, and rows of a tenant."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from shared.dataclass import dataclass
from shared.domain.archive.reading import EVERY_ROW, ArchivePage, RowFilter
from shared.domain.archive.row import ArchiveRow
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import PositionRange


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPart:
    """Consecutive bytes of an object of `size` bytes."""

    first: int
    content: bytes
    size: int
    etag: str


class ObjectParts(Protocol):
    """Parts of objects. UnavailableError."""

    def tail(self, key: str, length: int) -> ObjectPart | None:
        """The last bytes, or the whole object if it is shorter; None if there is no object."""
        ...

    def part(self, key: str, first: int, length: int, etag: str) -> ObjectPart | None:
        """Bytes of the object with this ETag; None if another object is there, or none."""
        ...


class TenantRows(Protocol):
    """Whole units of one tenant."""

    def of_unit(self, tenant_id: str, unit: ArchiveUnit) -> Iterator[ArchiveRow]:
        """In order of due time and id; none where there is no file. UnavailableError."""
        ...


class ArchiveReader(Protocol):
    """Rows of one tenant. UnavailableError, also where the reader is too busy.

    UnreadableItemError for a file that is damaged, or missing although its manifest counts rows of the tenant.
    """

    def newest(
        self,
        tenant_id: str,
        units: Sequence[ArchiveUnit],
        span: PositionRange,
        *,
        only: RowFilter = EVERY_ROW,
        limit: int,
    ) -> ArchivePage:
        """At most `limit` rows of the units within a span, newest first.

        At most `ROWS_OF_SEARCH` and `MOST_UNITS`. A reader of an earlier release compares the state alone.
        """
        ...

    def by_ids(self, tenant_id: str, ids: Sequence[ExecutionId]) -> Mapping[ExecutionId, ArchiveRow]:
        """The rows of at most `MOST_ROWS` executions, as far as the archive has them."""
        ...
