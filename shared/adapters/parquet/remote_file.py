"""One file of the archive, of which only the needed parts are downloaded, into a sparse file on the local disk.

The end of a Parquet file describes its row groups: where they are, and the least and the greatest value of each
column. Rows are sorted by tenant and due time, so that a tenant is in consecutive row groups.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shared.dataclass import dataclass
from shared.domain.errors import UnavailableError
from shared.ports.archive_reading import ObjectPart, ObjectParts

TAIL_BYTES = 128 * 1024
"""The description of some two million rows. Most files of small deployments are shorter as a whole."""
_GROUPS = """
SELECT
    row_group_id,
    any_value(row_group_num_rows),
    min(least(data_page_offset, coalesce(dictionary_page_offset, data_page_offset))),
    max(least(data_page_offset, coalesce(dictionary_page_offset, data_page_offset)) + total_compressed_size),
    min(bloom_filter_offset),
    any_value(stats_min_value) FILTER (path_in_schema = 'tenant'),
    any_value(stats_max_value) FILTER (path_in_schema = 'tenant'),
    epoch_ms(any_value(try_cast(stats_min_value AS TIMESTAMP)) FILTER (path_in_schema = 'due_at')),
    epoch_ms(any_value(try_cast(stats_max_value AS TIMESTAMP)) FILTER (path_in_schema = 'due_at'))
FROM parquet_metadata(?) GROUP BY row_group_id ORDER BY row_group_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroup:
    """Where a row group is, and which rows it may have. Instants are UTC in ms."""

    rows: int
    first_byte: int
    end_byte: int
    first_tenant: str
    last_tenant: str
    earliest_at: int
    latest_at: int

    def may_have(self, tenant_id: str) -> bool:
        return self.first_tenant <= tenant_id <= self.last_tenant

    def has_instant(self, instant: int) -> bool:
        return self.earliest_at <= instant <= self.latest_at


class RemoteFile:
    """`path` is a file of the full size in which unread parts are empty."""

    def __init__(self, objects: ObjectParts, key: str, path: Path, tail: ObjectPart) -> None:
        self._objects = objects
        self._key = key
        self.path = path
        self._etag = tail.etag
        self._has_all = not tail.first
        with path.open("wb") as file:
            file.truncate(tail.size)
        self._write(tail)
        self._known_from = tail.first

    @classmethod
    def open(cls, objects: ObjectParts, key: str, path: Path) -> "RemoteFile | None":
        """None if there is no file."""
        tail = objects.tail(key, TAIL_BYTES)
        return cls(objects, key, path, tail) if tail is not None else None

    def row_groups(self, db: Any) -> list[RowGroup]:
        """In the order of the file. Downloads the rest of the description where the first download lacks some."""
        # The last eight bytes of a Parquet file are the length of the description, and a magic word.
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            file.seek(size - 8)
            described = int.from_bytes(file.read(4), "little") + 8
        self._fetch(size - described, self._known_from)
        found = db.execute(_GROUPS, [str(self.path)]).fetchall()
        filters = [bloom for *_, bloom, _, _, _, _ in found if bloom is not None]
        # duckdb looks into the filters of each row group before it reads the group.
        self._fetch(min(filters, default=size), self._known_from)
        return [
            RowGroup(
                rows=rows,
                first_byte=first,
                end_byte=end,
                first_tenant=first_tenant,
                last_tenant=last_tenant,
                earliest_at=earliest,
                latest_at=latest,
            )
            for _, rows, first, end, _, first_tenant, last_tenant, earliest, latest in found
        ]

    def download(self, groups: Sequence[RowGroup]) -> None:
        """Row groups that follow one another come in one request. UnavailableError if the file was replaced."""
        if self._has_all or not groups:
            return
        first, end = groups[0].first_byte, groups[0].end_byte
        for group in groups[1:]:
            if group.first_byte != end:
                self._fetch(first, end)
                first = group.first_byte
            end = group.end_byte
        self._fetch(first, end)

    def _fetch(self, first: int, end: int) -> None:
        if self._has_all or first >= end:
            return
        part = self._objects.part(self._key, first, end - first, self._etag)
        if part is None:
            raise UnavailableError("a file of the archive was replaced while it was read")
        self._write(part)
        if end == self._known_from:
            self._known_from = first

    def _write(self, part: ObjectPart) -> None:
        with self.path.open("r+b") as file:
            file.seek(part.first)
            file.write(part.content)
