"""Rows that go into a file of the archive come out of it, whatever they contain and however often it is merged."""

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.adapters.parquet.database import duck
from shared.adapters.parquet.files import ParquetFiles
from shared.domain.archive.row import ArchivedOutcome, ArchivedRange, ArchiveRow, row_of
from shared.domain.archive.statistics import sample_of
from shared.domain.archive.summary import FileSummary
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.executions.states import State
from tests.support.builders import BUCKET, execution_id, in_state, one_off

UNIT = ArchiveUnit(hour=BUCKET // 60, group=0)
EPOCH = datetime.fromtimestamp(0, UTC)
INSTANTS = st.integers(0, 4_102_444_800_000)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
SMALL = st.integers(0, 1_000)


def rows_of(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[ArchiveRow]:
    plain = row_of(in_state(one_off(), State.SUCCEEDED))
    outcome = st.builds(
        ArchivedOutcome,
        attempt=SMALL,
        started_at=INSTANTS,
        duration_ms=INSTANTS,
        status=st.none() | SMALL,
        reason=TEXTS,
    )
    return st.builds(
        replace,
        st.just(plain),
        id=numbers.map(lambda number: str(execution_id(number))),
        tenant=st.sampled_from(["acme", "globex", "it's"]),
        due_at=INSTANTS,
        started_at=st.none() | INSTANTS,
        ended_at=st.none() | INSTANTS,
        status=st.none() | SMALL,
        name=st.none() | TEXTS,
        tags=st.lists(TEXTS, max_size=3).map(tuple),
        missed=st.none() | st.builds(ArchivedRange, count=INSTANTS, first_at=INSTANTS, last_at=INSTANTS),
        outcomes=st.lists(outcome, max_size=3).map(tuple),
        body=st.none() | st.binary(max_size=300),
        queue_ms=st.none() | SMALL,
        wait_ms=st.none() | SMALL,
        wait_cause=st.none() | TEXTS,
        claim_ms=st.none() | SMALL,
        refunded_since=st.none() | INSTANTS,
        run_id=st.none() | TEXTS,
        task=st.none() | TEXTS,
        epoch=st.none() | SMALL,
        trigger_name=st.none() | TEXTS,
        event_source=st.none() | TEXTS,
        event_id=st.none() | TEXTS,
        postponed_to=st.none() | INSTANTS,
        item=st.none() | SMALL,
    )


def written(folder: Path, rows: list[ArchiveRow], old: bytes | None = None) -> tuple[bytes, FileSummary]:
    """The bytes of a file with these rows, merged into an old one."""
    with ParquetFiles(folder).draft(UNIT) as draft:
        draft.add(rows)
        if old is not None:
            with draft.old() as file:
                file.write(old)
        merged = draft.merge(has_old=old is not None)
        return merged.content.read(), merged.summary


def read(folder: Path, content: bytes) -> dict[str, Any]:
    """The rows of a file by their ids, as `plain` makes them."""
    path = folder / "read.parquet"
    path.write_bytes(content)
    with duck(folder) as db:
        found = db.execute(f"SELECT * FROM read_parquet('{path}')")
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, each, strict=True)) for each in found.fetchall()]
    return {row["id"]: plain(row) for row in rows}


def plain(value: Any) -> Any:
    """Lists for tuples, and ms for the instants of duckdb."""
    if isinstance(value, datetime):
        return (value.replace(tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1)
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(rows_of(st.integers(1, 50)), max_size=8, unique_by=lambda row: row.id))
def test_rows_come_out_of_a_file_as_they_went_in(tmp_path: Path, rows: list[ArchiveRow]) -> None:
    content, summary = written(tmp_path, rows)
    assert read(tmp_path, content) == {row.id: plain(asdict(row)) for row in rows}
    assert summary.rows == len(rows)
    assert summary.size == len(content)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    old=st.lists(rows_of(st.integers(1, 12)), max_size=6, unique_by=lambda row: row.id),
    new=st.lists(rows_of(st.integers(1, 12)), max_size=6, unique_by=lambda row: row.id),
)
def test_merged_file_is_the_union_by_id_and_new_rows_win(
    tmp_path: Path, old: list[ArchiveRow], new: list[ArchiveRow]
) -> None:
    first, _ = written(tmp_path, old)
    second, summary = written(tmp_path, new, first)
    third, again = written(tmp_path, [], second)
    wanted = {row.id: plain(asdict(row)) for row in [*old, *new]}
    for content in (second, third):
        assert read(tmp_path, content) == wanted
    assert (summary.shards, summary.tenants) == (again.shards, again.tenants)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(rows_of(st.integers(1, 50)), max_size=8, unique_by=lambda row: row.id))
def test_samples_of_a_file_are_those_of_its_rows(tmp_path: Path, rows: list[ArchiveRow]) -> None:
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        draft.add(rows)
        draft.merge(has_old=False)
        ordered = sorted(rows, key=lambda row: (row.tenant, row.due_at, row.id))
        assert list(draft.samples()) == [(row.tenant, sample_of(row)) for row in ordered]


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(rows_of(st.integers(1, 50)), max_size=8, unique_by=lambda row: row.id),
    gone=st.sets(st.sampled_from(["acme", "globex", "it's"])),
)
def test_file_without_some_tenants_has_all_rows_of_the_others(
    tmp_path: Path, rows: list[ArchiveRow], gone: set[str]
) -> None:
    old, before = written(tmp_path, rows)
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        with draft.old() as file:
            file.write(old)
        merged = draft.merge(has_old=True, without=gone)
        content, after = merged.content.read(), merged.summary
        ordered = sorted(rows, key=lambda row: (row.tenant, row.due_at, row.id))
        assert list(draft.samples()) == [
            (row.tenant, sample_of(row)) for row in ordered if row.tenant not in gone
        ]
    assert read(tmp_path, content) == {row.id: plain(asdict(row)) for row in rows if row.tenant not in gone}
    assert after.ever_archived == before.ever_archived


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    hot=st.lists(rows_of(st.integers(0, 5)), max_size=4, unique_by=lambda row: row.id),
    old=st.lists(rows_of(st.integers(3, 8)), max_size=4, unique_by=lambda row: row.id),
    restored=st.lists(rows_of(st.integers(0, 11)), max_size=6, unique_by=lambda row: row.id),
    has_old=st.booleans(),
)
def test_restored_rows_fill_what_table_and_file_lack_and_change_no_row_of_theirs(
    tmp_path: Path,
    hot: list[ArchiveRow],
    old: list[ArchiveRow],
    restored: list[ArchiveRow],
    has_old: bool,
) -> None:
    file = written(tmp_path, old)[0] if has_old else None
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        draft.add_missing(restored[:3])
        draft.add(hot)
        draft.add_missing(restored[3:])
        if file is not None:
            with draft.old() as opened:
                opened.write(file)
        content = draft.merge(has_old=has_old).content.read()
    plainly, _ = written(tmp_path, hot, file)
    known, filled = read(tmp_path, plainly), read(tmp_path, content)
    added, _ = written(tmp_path, [row for row in restored if row.id not in known])
    assert filled == known | read(tmp_path, added)
