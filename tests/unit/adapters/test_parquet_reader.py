"""Rows of a tenant from files, of which only the needed row groups are downloaded."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.parquet import files, remote_file
from shared.adapters.parquet import reader as reading
from shared.adapters.parquet.files import ParquetFiles
from shared.adapters.parquet.reader import ParquetReader
from shared.domain.archive.manifest import Manifest, encode_manifest
from shared.domain.archive.reading import EVERY_ROW, ArchivePage, RowFilter, row_position
from shared.domain.archive.row import ArchivedOutcome, ArchivedRange, ArchiveRow, row_of
from shared.domain.archive.unit import GROUP_SHARDS, HOUR_MS, ArchiveUnit, unit_of
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import DEFAULT_CELL, ExecutionId, parse_execution_id
from shared.domain.listings.position import PositionRange
from shared.ports.archive_reading import ObjectPart
from tests.support.builders import DUE_AT, in_state, one_off, with_changes
from tests.support.fakes.archive import FakeObjectStore
from tests.support.usecases.ports import one_by_one

CELL = "eu-west-1"
START_MS = DUE_AT - DUE_AT % HOUR_MS
FIRST_HOUR = START_MS // HOUR_MS
UNITS = [
    *(ArchiveUnit(hour=FIRST_HOUR + number, group=0) for number in range(3)),
    ArchiveUnit(hour=FIRST_HOUR + 1, group=1),
]
EVERYTHING = PositionRange()


class CountedObjects(FakeObjectStore):
    """Counts what is downloaded."""

    def __init__(self) -> None:
        super().__init__()
        self.downloaded = 0
        self.put_before_tail: tuple[str, tuple[str, bytes]] | None = None
        """An object that another process puts before a manifest is read."""

    def tail(self, key: str, length: int) -> ObjectPart | None:
        if self.put_before_tail is not None and "manifests" in key:
            file_key, self.objects[file_key] = self.put_before_tail
        return self._counted(super().tail(key, length))

    def part(self, key: str, first: int, length: int, etag: str) -> ObjectPart | None:
        return self._counted(super().part(key, first, length, etag))

    def _counted(self, part: ObjectPart | None) -> ObjectPart | None:
        self.downloaded += len(part.content) if part is not None else 0
        return part


class Shelf:
    """Files in a bucket, and a reader."""

    def __init__(self) -> None:
        self.objects = CountedObjects()
        self.rows: list[ArchiveRow] = []
        self.reader = ParquetReader(self.objects, CELL, one_by_one)

    def put(self, unit: ArchiveUnit, rows: Sequence[ArchiveRow]) -> None:
        with ParquetFiles().draft(unit) as draft:
            draft.add(rows)
            merged = draft.merge(has_old=False)
            etag = self.objects.put(unit.file_key(CELL), merged.content, replaces=None)
            manifest = Manifest(sealed=True, passed_at=0, etag=etag, file=merged.summary, lasting={})
        self.objects.put(unit.manifest_key(CELL), BytesIO(encode_manifest(manifest)), replaces=None)
        self.rows += rows

    def newest(
        self, tenant: str, span: PositionRange = EVERYTHING, only: RowFilter = EVERY_ROW
    ) -> list[ArchiveRow]:
        """All rows that match, which the reader should find."""
        matching = [
            row
            for row in self.rows
            if row.tenant == tenant and only.matches(row) and row_position(row) in span
        ]
        return sorted(matching, key=row_position, reverse=True)

    def pages(
        self, tenant: str, limit: int, span: PositionRange = EVERYTHING, only: RowFilter = EVERY_ROW
    ) -> Iterator[tuple[ArchiveRow, ...]]:
        while True:
            page = self.reader.newest(tenant, UNITS, span, only=only, limit=limit)
            yield page.rows
            if page.edge is None:
                return
            assert page.edge < span.before
            span = PositionRange(after=span.after, before=page.edge)


def row(number: int, due_at: int, tenant: str, state: State = State.SUCCEEDED, shard: int = 0) -> ArchiveRow:
    plain = one_off(number, due_at=due_at, shard=shard)
    execution = in_state(plain, state, end_reason=EndReason.ATTEMPTS_USED_UP)
    return row_of(with_changes(execution, tenant_id=tenant))


def rows_of_hour(
    unit: ArchiveUnit, seed: int, tenants: Sequence[str], count: int, step_ms: int = 1
) -> list[ArchiveRow]:
    rng = random.Random(seed)
    states = [State.SUCCEEDED] * 9 + [State.FAILED]
    return [
        row(
            seed * 1_000_000 + number,
            unit.start_ms + rng.randrange(HOUR_MS // step_ms) * step_ms,
            rng.choice(tenants),
            rng.choice(states),
            unit.group * GROUP_SHARDS,
        )
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    shelf = Shelf()
    for number, unit in enumerate(UNITS):
        shelf.put(unit, rows_of_hour(unit, number + 1, ["a", "b", "c"], 120, step_ms=300_000))
    return shelf


@pytest.mark.parametrize("limit", [9, 40])
@pytest.mark.parametrize("state", [None, "failed"])
def test_pages_have_each_row_of_the_tenant_once_and_newest_first(
    shelf: Shelf, limit: int, state: str | None
) -> None:
    only = RowFilter(state=state)
    pages = list(shelf.pages("b", limit, only=only))
    assert [row for page in pages for row in page] == shelf.newest("b", only=only)
    assert all(len(page) <= limit for page in pages)


@pytest.mark.parametrize(
    ("only", "found"),
    [
        (RowFilter(job_id="job_2"), [2]),
        (RowFilter(lane="bulk"), [1, 2]),
        (RowFilter(status=503), [0, 2]),
        (RowFilter(reason="timeout"), [1, 3]),
        (RowFilter(reason="attempts_used_up"), [0, 3]),
        (RowFilter(reason="http_status", status=503, lane="bulk", state="failed"), [2]),
        (RowFilter(reason="x' OR 'a' = 'a"), []),
        (RowFilter(job_id="'; DROP TABLE rows; --"), []),
    ],
)
def test_rows_match_every_criterion(only: RowFilter, found: list[int]) -> None:
    """Row 1 ended without an end reason, and row 3 without a status."""
    told: list[dict[str, Any]] = [
        {"reason": "http_status", "status": 503, "end_reason": "attempts_used_up", "lane": "standard"},
        {"reason": "timeout", "status": 200, "end_reason": None, "lane": "bulk"},
        {"reason": "http_status", "status": 503, "end_reason": "stopped", "lane": "bulk"},
        {"reason": "timeout", "status": None, "end_reason": "attempts_used_up", "lane": "standard"},
    ]
    rows = [
        replace(row(number, START_MS + number, "a", State.FAILED), job_id=f"job_{number}", **each)
        for number, each in enumerate(told)
    ]
    shelf = Shelf()
    shelf.put(UNITS[0], rows)
    page = shelf.reader.newest("a", UNITS, EVERYTHING, only=only, limit=9)
    assert list(page.rows) == [rows[number] for number in reversed(found)]
    assert [each for each in rows if only.matches(each)] == [rows[number] for number in found]


def test_rows_are_strictly_within_the_span(shelf: Shelf) -> None:
    every = shelf.newest("a")
    span = PositionRange(after=row_position(every[-10]), before=row_position(every[15]))
    assert [row for page in shelf.pages("a", 100, span) for row in page] == every[16:-10]


def test_units_without_a_file_and_tenants_without_rows_have_none(shelf: Shelf) -> None:
    other = ArchiveUnit(hour=UNITS[0].hour - 5, group=0)
    assert shelf.reader.newest("a", [other], EVERYTHING, limit=5).rows == ()
    assert shelf.reader.newest("zebra", UNITS, EVERYTHING, limit=5).rows == ()
    assert shelf.reader.newest("a", [], EVERYTHING, limit=5).edge is None


def test_file_that_is_gone_although_its_manifest_counts_rows_of_the_tenant_is_an_error() -> None:
    shelf = Shelf()
    shelf.put(UNITS[0], [row(1, START_MS, "a")])
    shelf.put(UNITS[1], [row(2, UNITS[1].start_ms, "a")])
    wanted = parse_execution_id(shelf.rows[0].id)
    file = shelf.objects.objects.pop(UNITS[0].file_key(CELL))
    with pytest.raises(UnreadableItemError, match="is missing, and its manifest counts rows"):
        shelf.reader.newest("a", UNITS, EVERYTHING, limit=9)
    with pytest.raises(UnreadableItemError, match="is missing, and its manifest counts rows"):
        shelf.reader.by_ids("a", [wanted])
    assert shelf.reader.by_ids("b", [wanted]) == {}
    assert list(shelf.reader.of_unit("a", UNITS[0])) == [], "what copies the rest counts the missing rows"
    shelf.objects.put_before_tail = (UNITS[0].file_key(CELL), file)
    assert wanted in shelf.reader.by_ids("a", [wanted]), "a pass puts both between the two reads"


TEMPLATE = row(1, START_MS, "b")
LARGE = 30_000
"""Rows of the large tenant: fifteen row groups of its own."""


def test_file_of_which_all_rows_were_removed_has_none() -> None:
    shelf = Shelf()
    shelf.put(UNITS[0], [row(1, START_MS, "a")])
    with ParquetFiles().draft(UNITS[0]) as draft:
        etag = shelf.objects.get(UNITS[0].file_key(CELL), draft.old())
        empty = draft.merge(has_old=True, without=["a"])
        shelf.objects.put(UNITS[0].file_key(CELL), empty.content, replaces=etag)
    page = shelf.reader.newest("a", UNITS[:1], EVERYTHING, limit=10)
    assert (page.rows, page.edge) == ((), None)
    assert shelf.reader.by_ids("a", [parse_execution_id(shelf.rows[0].id)]) == {}
    assert list(shelf.reader.of_unit("a", UNITS[0])) == []


def _id(due_at: int, entropy: int) -> ExecutionId:
    return ExecutionId(cell=DEFAULT_CELL, dispatch_at=due_at, shard=0, entropy=entropy)


@pytest.fixture(scope="module")
def large() -> Iterator[Shelf]:
    """A file of many row groups, in which a large tenant is between two small ones."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(files, "ROW_GROUP", 2_048)
        patched.setattr(remote_file, "TAIL_BYTES", 1_024)
        shelf = Shelf()
        rng = random.Random(7)
        tenants = ["a"] * 1_500 + ["b"] * LARGE + ["c"] * 1_500
        # A tenth of all rows are due in one second, so that row groups begin and end within an instant.
        instants = (
            START_MS + (1_800_000 if rng.random() < 0.1 else rng.randrange(3_600) * 1_000) for _ in tenants
        )
        rows = [
            replace(
                TEMPLATE,
                tenant=tenant,
                due_at=at,
                id=str(_id(at, number)),
                state="failed" if number % 1_000 == 0 else "succeeded",
            )
            for number, (tenant, at) in enumerate(zip(tenants, instants, strict=True))
        ]
        shelf.put(UNITS[0], rows)
        yield shelf


def downloaded_share(shelf: Shelf) -> float:
    _, content = shelf.objects.objects[UNITS[0].file_key(CELL)]
    share, shelf.objects.downloaded = shelf.objects.downloaded / len(content), 0
    return share


def test_page_of_a_large_tenant_downloads_a_few_row_groups(large: Shelf) -> None:
    wanted = large.newest("b")
    downloaded_share(large)
    page = large.reader.newest("b", UNITS[:1], EVERYTHING, limit=100)
    assert list(page.rows) == wanted[:100]
    assert downloaded_share(large) < 0.65


@pytest.mark.parametrize("place", [0, 0.45, 0.5, 0.55, 0.99])
@pytest.mark.parametrize("tenant", ["a", "b", "c"])
def test_page_begins_anywhere_in_many_row_groups(large: Shelf, tenant: str, place: float) -> None:
    wanted = large.newest(tenant)
    number = int(place * len(wanted))
    span = PositionRange(before=row_position(wanted[number]))
    page = large.reader.newest(tenant, UNITS[:1], span, limit=100)
    assert list(page.rows) == wanted[number + 1 : number + 101]


def test_rare_state_is_found_in_all_row_groups_whatever_the_budget_of_an_answer(
    large: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_GROUPS", 5)
    pages = list(large.pages("b", 100, only=RowFilter(state="failed")))
    assert [row for page in pages for row in page] == large.newest("b", only=RowFilter(state="failed"))
    assert len(pages) > 2


def test_rows_are_found_by_their_ids(large: Shelf) -> None:
    own = random.Random(3).sample(large.newest("b"), 30)
    foreign, unknown = large.newest("a")[0], _id(START_MS + 1_000, 10_000_000)
    ids = [parse_execution_id(row.id) for row in [*own, foreign]]
    assert large.reader.by_ids("b", [*ids, unknown]) == dict(zip(ids, own, strict=False))


def test_single_row_is_found_with_one_row_group_and_those_of_several_tenants(large: Shelf) -> None:
    one = next(row for row in large.newest("b") if row.due_at == START_MS + 600_000)
    downloaded_share(large)
    assert list(large.reader.by_ids("b", [parse_execution_id(one.id)]).values()) == [one]
    assert downloaded_share(large) < 0.5


def test_file_that_is_replaced_while_it_is_read_is_read_again_later(large: Shelf) -> None:
    key = UNITS[0].file_key(CELL)
    known = large.objects.objects[key]

    def replaced(tail: Callable[[str, int], ObjectPart | None], name: str, length: int) -> ObjectPart | None:
        part = tail(name, length)
        large.objects.objects[key] = ("another", known[1])
        return part

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(large.objects, "tail", partial(replaced, large.objects.tail))
        with pytest.raises(UnavailableError):
            large.reader.newest("b", UNITS[:1], EVERYTHING, limit=5)
    large.objects.objects[key] = known
    assert large.reader.newest("b", UNITS[:1], EVERYTHING, limit=5).rows


def test_damaged_file_is_refused(shelf: Shelf) -> None:
    broken = Shelf()
    broken.objects.put(UNITS[0].file_key(CELL), BytesIO(b"PAR1 and no more"), replaces=None)
    with pytest.raises(UnreadableItemError):
        broken.reader.newest("a", UNITS, EVERYTHING, limit=5)


def test_row_is_read_as_it_was_written() -> None:
    full = replace(
        TEMPLATE,
        name='nightly\'s "report"',
        tags=("eu", "b'illing"),
        missed=ArchivedRange(count=3, first_at=START_MS, last_at=START_MS + 5),
        outcomes=(
            ArchivedOutcome(attempt=1, started_at=START_MS + 7, duration_ms=8, status=None, reason="timeout"),
            ArchivedOutcome(
                attempt=2, started_at=START_MS + 9, duration_ms=1, status=500, reason="http_status"
            ),
        ),
        body=bytes(range(256)),
        started_at=None,
    )
    shelf = Shelf()
    shelf.put(UNITS[0], [full])
    assert shelf.reader.newest(full.tenant, UNITS, EVERYTHING, limit=5).rows == (full,)
    assert list(shelf.reader.by_ids(full.tenant, [parse_execution_id(full.id)]).values()) == [full]


@pytest.mark.parametrize("tenant", ["x' OR 'a' = 'a", "b'; DROP TABLE rows; --", "'", ""])
def test_hostile_tenant_is_a_tenant_without_rows(shelf: Shelf, tenant: str) -> None:
    assert (
        shelf.reader.newest(tenant, UNITS, EVERYTHING, only=RowFilter(state="a' OR true"), limit=5).rows == ()
    )


@pytest.mark.parametrize("version", ["executions-v1", "executions-v1-stages"])
def test_file_of_an_earlier_release_lacks_columns_that_are_none(version: str) -> None:
    shelf = Shelf()
    content = Path(__file__).with_name("golden") / f"{version}.parquet"
    import duckdb

    found = duckdb.execute(f"SELECT tenant, id FROM '{content}'").fetchall()
    unit = unit_of(parse_execution_id(found[0][1]))
    shelf.objects.put(unit.file_key(CELL), BytesIO(content.read_bytes()), replaces=None)
    # A file of this release, of the next hour.
    ended = in_state(one_off(7, due_at=DUE_AT + HOUR_MS), State.SUCCEEDED)
    row = replace(row_of(ended), tenant=found[0][0], run_id="run_1", task="a", epoch=1)
    beside = unit_of(ended.id)
    with ParquetFiles().draft(beside) as draft:
        draft.add([row])
        content_beside = draft.merge(has_old=False).content.read()
    shelf.objects.put(beside.file_key(CELL), BytesIO(content_beside), replaces=None)
    page = shelf.reader.newest(found[0][0], [unit, beside], EVERYTHING, limit=50)
    expected = {text: None for tenant, text in found if tenant == found[0][0]}
    assert {each.id: each.task for each in page.rows} == expected | {row.id: "a"}


@pytest.mark.parametrize("tenant", ["a", "b", "c"])
def test_unit_of_a_tenant_has_all_its_rows_in_order_and_no_others(large: Shelf, tenant: str) -> None:
    assert list(large.reader.of_unit(tenant, UNITS[0])) == large.newest(tenant)[::-1]
    assert list(large.reader.of_unit(tenant, UNITS[2])) == []


def test_groups_of_an_hour_are_merged_up_to_the_newest_of_their_edges() -> None:
    """The group with this edge may have rows between the two, which another answer reads."""
    older, newer = (
        row_of(in_state(one_off(number, due_at=DUE_AT + number), State.SUCCEEDED)) for number in (1, 2)
    )
    pages = [ArchivePage((row,), row_position(row)) for row in (older, newer)]
    assert reading._merge(pages, 5) == ArchivePage((newer,), row_position(newer))
