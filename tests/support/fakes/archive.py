"""The archive in memory: objects, files of JSON lines, units, counters of late puts, and counts in the index."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from io import BytesIO
from itertools import count
from typing import Any, BinaryIO

from shared.domain.archive.row import ArchivedOutcome, ArchiveRow
from shared.domain.archive.schedule import UnitState
from shared.domain.archive.statistics import Sample, sample_of
from shared.domain.archive.summary import FileSummary, rows_by_shard, summarise
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import UnreadableItemError
from shared.names import ARCHIVER_TIMEOUT_SECONDS
from shared.ports.archive import MergedFile, PlanMark
from shared.ports.archive_reading import ObjectPart
from tests.support.fakes.job_tally import FakeTally, KeptBytes
from tests.support.fakes.table import FakeTable

_COLUMNS = [column.name for column in fields(ArchiveRow)]
LEASE_MS = (ARCHIVER_TIMEOUT_SECONDS + 30) * 1_000
FORGOTTEN = "forgotten"


class FakeObjectStore:
    """Every object ever put has an ETag of its own."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[str, bytes]] = {}
        self._etags = count(1)

    def get(self, key: str, into: BinaryIO) -> str | None:
        if key not in self.objects:
            return None
        etag, content = self.objects[key]
        into.write(content)
        into.flush()
        return etag

    def tail(self, key: str, length: int) -> ObjectPart | None:
        if key not in self.objects:
            return None
        etag, content = self.objects[key]
        first = max(0, len(content) - length)
        return ObjectPart(first=first, content=content[first:], size=len(content), etag=etag)

    def part(self, key: str, first: int, length: int, etag: str) -> ObjectPart | None:
        known, content = self.objects.get(key, (None, b""))
        if known != etag:
            return None
        return ObjectPart(first=first, content=content[first : first + length], size=len(content), etag=etag)

    def put(self, key: str, content: BinaryIO, *, replaces: str | None) -> str | None:
        existing = self.objects.get(key, (None, b""))[0]
        if existing != replaces:
            return None
        etag = f'"{next(self._etags)}"'
        self.objects[key] = (etag, content.read())
        return etag


class FakeArchiveFiles:
    """A file is the JSON lines of its rows, in order."""

    @contextmanager
    def draft(self, unit: ArchiveUnit) -> Iterator["FakeDraft"]:
        yield FakeDraft(unit)

    @contextmanager
    def tally(self, *, without: Collection[str]) -> Iterator[FakeTally]:
        yield FakeTally(frozenset(without), rows_in)


@dataclass
class FakeDraft:
    unit: ArchiveUnit
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    missing: dict[str, dict[str, Any]] = field(default_factory=dict)
    downloaded: KeptBytes = field(default_factory=KeptBytes)
    copied: KeptBytes = field(default_factory=KeptBytes)
    merged: list[dict[str, Any]] = field(default_factory=list)

    def old(self) -> BinaryIO:
        return self.downloaded

    def copy(self) -> BinaryIO:
        return self.copied

    def add(self, rows: Sequence[ArchiveRow]) -> None:
        for row in rows:
            self.rows[row.id] = _plain(row)

    def add_missing(self, rows: Sequence[ArchiveRow]) -> None:
        self.missing |= {row.id: _plain(row) for row in rows}

    def merge(self, *, has_old: bool, without: Collection[str] = ()) -> MergedFile:
        content = self.downloaded.getvalue() if has_old else b""
        old = {row["id"]: row for row in rows_in(content) if row["tenant"] not in without}
        dropped = rows_by_shard(row["id"] for row in rows_in(content) if row["tenant"] in without)
        forgotten = Counter(forgotten_in(content)) + dropped
        rows = (self.missing | old | self.rows).values()
        self.merged = sorted(rows, key=lambda row: (row["tenant"], row["due_at"], row["id"]))
        lines = [*self.merged, *([{FORGOTTEN: forgotten}] if forgotten else [])]
        content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        return MergedFile(BytesIO(content), _summary(self.unit, content))

    def samples(self) -> Iterator[tuple[str, Sample]]:
        return _samples(self.merged)

    def samples_of_copy(self) -> Iterator[tuple[str, Sample]]:
        return _samples(rows_in(self.copied.getvalue()))

    def summary_of_old(self) -> FileSummary:
        return _summary(self.unit, self.downloaded.getvalue())

    def summary_of_copy(self) -> FileSummary:
        return _summary(self.unit, self.copied.getvalue())


def _plain(row: ArchiveRow) -> dict[str, Any]:
    """As `asdict`, which copies each value deeply and takes ten times as long."""
    return {name: getattr(row, name) for name in _COLUMNS} | {
        "outcomes": [asdict(outcome) for outcome in row.outcomes],
        "missed": asdict(row.missed) if row.missed is not None else None,
        "body": row.body.hex() if row.body is not None else None,
    }


def _row(plain: dict[str, Any]) -> ArchiveRow:
    return ArchiveRow(**plain | {"outcomes": tuple(ArchivedOutcome(**each) for each in plain["outcomes"])})


def _samples(rows: list[dict[str, Any]]) -> Iterator[tuple[str, Sample]]:
    for row in rows:
        yield row["tenant"], sample_of(_row(row))


def rows_in(content: bytes) -> list[dict[str, Any]]:
    """The rows of a file of the fake; UnreadableItemError for other content."""
    return [line for line in _lines(content) if FORGOTTEN not in line]


def forgotten_in(content: bytes) -> dict[str, int]:
    """What a file of the fake says of forgotten rows, in its last line."""
    return next((line[FORGOTTEN] for line in _lines(content) if FORGOTTEN in line), {})


def _lines(content: bytes) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in content.splitlines()]
    except ValueError as error:
        raise UnreadableItemError("no file of the fake archive") from error


def _summary(unit: ArchiveUnit, content: bytes) -> FileSummary:
    ids = [(row["tenant"], row["id"]) for row in rows_in(content)]
    return summarise(
        unit,
        ids,
        file_hash=sha256(content).hexdigest(),
        size=len(content),
        forgotten=forgotten_in(content),
    )


@dataclass(slots=True)
class _Unit:
    state: UnitState
    leased_until: int = -1


class FakeArchiveUnits:
    """Each call is one step."""

    def __init__(self) -> None:
        self.mark: PlanMark | None = None
        self.units: dict[ArchiveUnit, _Unit] = {}
        self.closed: dict[ArchiveUnit, int] = {}
        self.looked_up: str | None = None

    def planned(self) -> PlanMark | None:
        return self.mark

    def note_planned(self, mark: PlanMark) -> None:
        if self.mark is None or self.mark.hour <= mark.hour:
            self.mark = mark

    def open(
        self, unit: ArchiveUnit, *, next_pass_at: int, sealable_from: int, is_passed: bool = False
    ) -> None:
        fresh = UnitState(
            unit=unit,
            version=sealable_from,
            next_pass_at=next_pass_at,
            sealable_from=sealable_from,
            passes=int(is_passed),
        )
        self.units.setdefault(unit, _Unit(fresh))

    def listed(self) -> list[UnitState]:
        return [self.units[unit].state for unit in sorted(self.units)]

    def take(self, state: UnitState, now_ms: int) -> UnitState | None:
        found = self._unchanged(state)
        if found is None or found.leased_until > now_ms:
            return None
        found.leased_until = now_ms + LEASE_MS
        return self._change(found)

    def record(
        self, lease: UnitState, *, next_pass_at: int, counter: int | None, counter_since: int | None
    ) -> bool:
        found = self._unchanged(lease)
        if found is None:
            return False
        found.leased_until = -1
        passes = found.state.passes + 1
        since = counter_since if counter is not None else None
        self._change(found, next_pass_at=next_pass_at, counter=counter, counter_since=since, passes=passes)
        return True

    def seal(self, lease: UnitState, counter: int | None) -> bool:
        found = self._unchanged(lease)
        if found is None:
            return False
        found.leased_until = -1
        self._change(found, sealed=True, passes=found.state.passes + 1, counter=counter or lease.counter)
        return True

    def reopen(self, sealed: UnitState, *, next_pass_at: int) -> None:
        found = self._unchanged(sealed)
        if found is not None:
            self._change(found, sealed=False, next_pass_at=next_pass_at)

    def close(self, sealed: UnitState, now_ms: int) -> None:
        if sealed.counter is not None:
            self.closed[sealed.unit] = sealed.counter
        if self._unchanged(sealed) is not None:
            del self.units[sealed.unit]

    def sealed_counters(self) -> Mapping[ArchiveUnit, int]:
        return dict(self.closed)

    def looked_up_to(self) -> str | None:
        return self.looked_up

    def note_looked_up(self, last: str, *, after: str | None) -> None:
        if self.looked_up == after:
            self.looked_up = last

    def _unchanged(self, state: UnitState) -> _Unit | None:
        found = self.units.get(state.unit)
        return found if found is not None and found.state.version == state.version else None

    def _change(self, found: _Unit, **changes: Any) -> UnitState:
        found.state = replace(found.state, version=found.state.version + 1, **changes)
        return found.state


class FakeLatePuts:
    """A counter begins with an instant."""

    def __init__(self) -> None:
        self.by_hour: dict[int, int] = {}

    def count(self, hour: int, now_ms: int) -> None:
        self.by_hour[hour] = self.by_hour.get(hour, now_ms) + 1

    def counter(self, hour: int) -> int | None:
        return self.by_hour.get(hour)

    def counters(self) -> Mapping[int, int]:
        return dict(self.by_hour)


class FakeIndexCounts:
    """Of the rows in the table."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def due_between(self, tenant_id: str, shards: int, from_at: int, until_at: int) -> int:
        executions = (row.execution for row in self._table.executions.values())
        own = (each for each in executions if each.tenant_id == tenant_id and each.index_shard < shards)
        return sum(from_at <= each.id.dispatch_at < until_at for each in own)
