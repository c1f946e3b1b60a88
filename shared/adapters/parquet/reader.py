"""Rows of a tenant from files in S3: of each file, only the row groups that may have them are downloaded."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shared.adapters.parquet.database import FETCHED_ROWS, duck, literal
from shared.adapters.parquet.remote_file import RemoteFile, RowGroup
from shared.adapters.parquet.schema import COLUMNS
from shared.dataclass import dataclass
from shared.domain.archive.manifest import read_manifest
from shared.domain.archive.reading import EVERY_ROW, ArchivePage, RowFilter, row_position
from shared.domain.archive.row import ArchiveRow, read_row
from shared.domain.archive.unit import ArchiveUnit, unit_of
from shared.domain.errors import UnreadableItemError
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.ports.archive_reading import ObjectParts
from shared.ports.runtime import Spread

GROUPS_AT_ONCE = 4
"""Row groups of a file that are downloaded before their rows are looked through."""
MANIFEST_BYTES = 64 * 1024**2
"""More than any manifest has."""
MOST_GROUPS = 48
"""Row groups of one answer: some 50 MB. A rare state may need several answers, each without a row."""


@dataclass(frozen=True, slots=True)
class ParquetReader:
    """Each answer works in a temporary directory of its own."""

    objects: ObjectParts
    cell: str
    spread: Spread
    root: Path | None = None

    def newest(
        self,
        tenant_id: str,
        units: Sequence[ArchiveUnit],
        span: PositionRange,
        *,
        only: RowFilter = EVERY_ROW,
        limit: int,
    ) -> ArchivePage:
        rows: list[ArchiveRow] = []
        with _folder(self.root) as (folder, db):
            budget = _Budget(MOST_GROUPS)
            newest_first = sorted(units, reverse=True)
            for hour, in_hour in groupby(newest_first, key=attrgetter("hour")):
                files = self._open(folder, list(in_hour), tenant_id)
                ask = _Question(tenant_id, span, only, limit - len(rows), budget)
                pages = [_newest(file, db, ask) for file in files]
                page = _merge(pages, limit - len(rows))
                rows += page.rows
                if page.edge is not None:
                    return ArchivePage(tuple(rows), page.edge)
                if len(rows) == limit or budget.is_spent:
                    is_last = hour == newest_first[-1].hour
                    start = IndexPosition(at=ArchiveUnit(hour=hour, group=0).start_ms)
                    return ArchivePage(tuple(rows), None if is_last else start)
        return ArchivePage(tuple(rows), None)

    def by_ids(self, tenant_id: str, ids: Sequence[ExecutionId]) -> Mapping[ExecutionId, ArchiveRow]:
        wanted: dict[str, ExecutionId] = {str(each): each for each in ids}
        with _folder(self.root) as (folder, db):
            files = self._open(folder, sorted({unit_of(each) for each in ids}), tenant_id)
            found = (row for file in files for row in _by_ids(file, db, tenant_id, ids))
            return {wanted[row.id]: row for row in found if row.id in wanted}

    def of_unit(self, tenant_id: str, unit: ArchiveUnit) -> Iterator[ArchiveRow]:
        with _folder(self.root) as (folder, db):
            for file in self._open(folder, [unit], None):
                file.download([group for group in file.row_groups(db) if group.may_have(tenant_id)])
                yield from _rows(file, db, f"tenant = {literal(tenant_id)} ORDER BY due_at, id")

    def _open(self, folder: Path, units: Sequence[ArchiveUnit], tenant_id: str | None) -> list[RemoteFile]:
        """The files of the units that have one.

        UnreadableItemError for a file that is missing although its manifest counts rows of the tenant, if one is given.
        """

        def opened(unit: ArchiveUnit) -> RemoteFile | None:
            path = folder / f"{unit.hour}-{unit.group}.parquet"
            file = RemoteFile.open(self.objects, unit.file_key(self.cell), path)
            if file is None and tenant_id is not None and self._counts(unit, tenant_id):
                # Asked again: a pass may have put file and manifest between the two reads.
                file = RemoteFile.open(self.objects, unit.file_key(self.cell), path)
                if file is None:
                    raise UnreadableItemError(f"the file of {unit} is missing, and its manifest counts rows")
            return file

        return [file for file in self.spread(opened, units) if file is not None]

    def _counts(self, unit: ArchiveUnit, tenant_id: str) -> bool:
        stored = self.objects.tail(unit.manifest_key(self.cell), MANIFEST_BYTES)
        return stored is not None and tenant_id in read_manifest(stored.content).file.tenants


@dataclass(slots=True)
class _Budget:
    """Row groups that an answer may still download."""

    left: int

    @property
    def is_spent(self) -> bool:
        return self.left <= 0


@dataclass(frozen=True, slots=True)
class _Question:
    tenant_id: str
    span: PositionRange
    only: RowFilter
    limit: int
    budget: _Budget


@contextmanager
def _folder(root: Path | None) -> Iterator[tuple[Path, Any]]:
    with TemporaryDirectory(prefix="reading-", dir=root) as name, duck(Path(name)) as db:
        yield Path(name), db


def _newest(file: RemoteFile, db: Any, ask: _Question) -> ArchivePage:
    """The newest rows of one file.

    Row groups with several tenants are downloaded first. The others of the tenant are in order of time, so that a
    limit on the due time keeps duckdb away from those that were not downloaded.
    """
    groups = [group for group in file.row_groups(db) if group.may_have(ask.tenant_id)]
    shared = [group for group in groups if group.first_tenant != group.last_tenant]
    own = [group for group in groups if group not in shared and _meets(group, ask.span)]
    file.download(shared)
    ask.budget.left -= len(shared)
    rows: list[ArchiveRow] = []
    until = ask.span.before.at
    while True:
        batch, own = own[-GROUPS_AT_ONCE:], own[:-GROUPS_AT_ONCE]
        file.download(batch)
        ask.budget.left -= len(batch)
        after = own[-1].latest_at if own else ask.span.after.at - 1
        rows += _select(file, db, _within(ask, after, until), limit=ask.limit - len(rows))
        if len(rows) == ask.limit:
            return ArchivePage(tuple(rows), row_position(rows[-1]))
        if not own:
            return ArchivePage(tuple(rows), None)
        if ask.budget.is_spent:
            return ArchivePage(tuple(rows), IndexPosition(at=after + 1))
        until = after


def _meets(group: RowGroup, span: PositionRange) -> bool:
    return group.earliest_at <= span.before.at and group.latest_at >= span.after.at


def _within(ask: _Question, after_at: int, until_at: int) -> str:
    """Rows that are due after one instant, and no later than another, strictly within the span."""
    conditions = [
        f"tenant = {literal(ask.tenant_id)}",
        f"due_at > make_timestamp_ms({after_at})",
        f"due_at <= make_timestamp_ms({until_at})",
        f"NOT ({_at(ask.span.before)} AND id >= {literal(ask.span.before.id_text)})",
        f"NOT ({_at(ask.span.after)} AND id <= {literal(ask.span.after.id_text)})",
    ]
    return " AND ".join([*conditions, *_matching(ask.only)])


def _matching(only: RowFilter) -> Iterator[str]:
    for column, word in (("state", only.state), ("job_id", only.job_id), ("lane", only.lane)):
        if word is not None:
            yield f"{column} = {literal(word)}"
    if only.status is not None:
        yield f"status = {int(only.status)}"
    if only.reason is not None:
        yield f"{literal(only.reason)} IN (end_reason, reason)"


def _at(position: IndexPosition) -> str:
    """Ids of one instant sort as their text; no id is before an empty one."""
    return f"due_at = make_timestamp_ms({position.at})"


def _by_ids(file: RemoteFile, db: Any, tenant_id: str, ids: Sequence[ExecutionId]) -> Iterator[ArchiveRow]:
    """Asks for each instant by itself: a tenant may have many row groups between two instants."""
    groups = [group for group in file.row_groups(db) if group.may_have(tenant_id)]
    by_instant: dict[int, list[str]] = {}
    for each in ids:
        if any(group.has_instant(each.dispatch_at) for group in groups):
            by_instant.setdefault(each.dispatch_at, []).append(str(each))
    file.download([group for group in groups if any(map(group.has_instant, by_instant))])
    for instant, texts in by_instant.items():
        some = ", ".join(map(literal, texts))
        yield from _select(
            file,
            db,
            f"tenant = {literal(tenant_id)} AND due_at = make_timestamp_ms({instant}) AND id IN ({some})",
            limit=len(texts),
        )


def _select(file: RemoteFile, db: Any, conditions: str, *, limit: int) -> list[ArchiveRow]:
    return list(_rows(file, db, f"{conditions} ORDER BY epoch_ms(due_at) DESC, id DESC LIMIT {limit}"))


def _rows(file: RemoteFile, db: Any, conditions: str) -> Iterator[ArchiveRow]:
    source = f"read_parquet({literal(str(file.path))})"
    known = {name for name, *_ in db.execute(f"DESCRIBE FROM {source}").fetchall()}
    columns = [column for column in COLUMNS if column.name in known]
    plain = ", ".join(f"{column.to_plain} AS {column.name}" for column in columns)
    found = db.execute(f"SELECT {plain} FROM {source} WHERE {conditions}")  # noqa: S608 - texts are quoted
    names = [column.name for column in columns]
    while values := found.fetchmany(FETCHED_ROWS):
        yield from (read_row(dict(zip(names, row, strict=True))) for row in values)


def _merge(pages: Sequence[ArchivePage], limit: int) -> ArchivePage:
    """Of the groups of one hour: up to the newest of their edges, and to the limit."""
    edges = [page.edge for page in pages if page.edge is not None]
    edge = max(edges, default=None)
    rows = sorted((row for page in pages for row in page.rows), key=row_position, reverse=True)
    known = [row for row in rows if edge is None or row_position(row) >= edge]
    if len(known) > limit:
        return ArchivePage(tuple(known[:limit]), row_position(known[limit - 1]))
    return ArchivePage(tuple(known), edge)
