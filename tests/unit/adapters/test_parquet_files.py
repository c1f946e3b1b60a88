"""Files of the archive: their schema, files of every version of it, and files that are damaged or hostile."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.parquet.database import duck
from shared.adapters.parquet.files import ParquetFiles
from shared.adapters.parquet.schema import COLUMNS
from shared.domain.archive.row import ArchivedOutcome, ArchivedRange, ArchiveRow, row_of
from shared.domain.archive.summary import ROW_GROUP, FileSummary
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.domain.executions.states import EndReason, State
from tests.support.builders import BUCKET, DUE_AT, TENANT, execution_id, in_state, one_off

UNIT = ArchiveUnit(hour=BUCKET // 60, group=0)
GOLDEN = Path(__file__).parent / "golden"
FULL = ArchiveRow(
    tenant=TENANT,
    id=str(execution_id(1)),
    job_id="job_1",
    due_at=DUE_AT,
    scheduled_at=DUE_AT - 1,
    created_at=DUE_AT - 2,
    started_at=DUE_AT + 1,
    ended_at=DUE_AT + 2,
    state="failed",
    end_reason="attempts_used_up",
    lane="bulk",
    revision=2,
    run=3,
    attempts=4,
    status=500,
    reason="http_status",
    destination="0123456789",
    name='büro\'s "bill"\n',
    tags=("a", "b"),
    redrive_of=str(execution_id(2)),
    notification_of=str(execution_id(3)),
    moved_to=str(execution_id(4)),
    missed=ArchivedRange(count=5, first_at=DUE_AT, last_at=DUE_AT + 3),
    outcomes=(
        ArchivedOutcome(attempt=1, started_at=DUE_AT, duration_ms=7, status=None, reason="timeout"),
        ArchivedOutcome(attempt=2, started_at=DUE_AT + 9, duration_ms=8, status=500, reason="http_status"),
    ),
    body=bytes(range(256)),
    queue_ms=6,
    wait_ms=7,
    wait_cause="tenant_rate",
    claim_ms=8,
    ready_ms=9,
    connect_ms=10,
    head_ms=11,
    refunded_since=DUE_AT + 12,
    run_id="run_1",
    task="charge",
    epoch=2,
    trigger_name="orders",
    event_source="shop",
    event_id="order-1",
    postponed_to=DUE_AT + 13,
    item=14,
)
EMPTY = row_of(in_state(one_off(9), State.CANCELLED, end_reason=EndReason.CANCELLED))


def merged(folder: Path, rows: list[ArchiveRow], old: bytes | None = None) -> bytes:
    with ParquetFiles(folder).draft(UNIT) as draft:
        draft.add(rows)
        if old is not None:
            with draft.old() as file:
                file.write(old)
        return draft.merge(has_old=old is not None).content.read()


def select(folder: Path, content: bytes, sql: str) -> list[Any]:
    path = folder / "selected.parquet"
    path.write_bytes(content)
    with duck(folder) as db:
        found: list[Any] = db.execute(sql.format(f"'{path}'")).fetchall()
        return found


def test_columns_of_a_file_have_the_types_of_version_one(tmp_path: Path) -> None:
    described = select(tmp_path, merged(tmp_path, [FULL]), "DESCRIBE SELECT * FROM read_parquet({})")
    types = {name: kind for name, kind, *_ in described}
    assert list(types) == [column.name for column in COLUMNS]
    assert types["due_at"] == "TIMESTAMP"
    assert types["outcomes"].startswith("STRUCT(attempt INTEGER, started_at TIMESTAMP")
    assert types["missed"] == "STRUCT(count BIGINT, first_at TIMESTAMP, last_at TIMESTAMP)"
    assert (types["tags"], types["body"]) == ("VARCHAR[]", "BLOB")


def test_file_is_compressed_in_row_groups_of_its_order(tmp_path: Path) -> None:
    rows = [
        row_of(in_state(one_off(number, tenant_id=f"t{number % 3}"), State.SUCCEEDED))
        for number in range(ROW_GROUP + 5)
    ]
    content = merged(tmp_path, rows)
    groups = select(
        tmp_path,
        content,
        "SELECT row_group_num_rows, stats_min_value, stats_max_value, compression FROM parquet_metadata({}) "
        "WHERE path_in_schema = 'tenant' ORDER BY row_group_id",
    )
    assert groups == [(ROW_GROUP, "t0", "t2", "ZSTD"), (5, "t2", "t2", "ZSTD")]


def test_merged_file_has_the_schema_of_a_new_one(tmp_path: Path) -> None:
    """A timestamp of ms is read back as one of us: a file must not change its types as it is merged."""
    first = merged(tmp_path, [FULL])
    sql = "SELECT name, type, converted_type FROM parquet_schema({})"
    assert select(tmp_path, merged(tmp_path, [EMPTY], first), sql) == select(tmp_path, first, sql)


@pytest.mark.parametrize(
    "version",
    [
        "executions-v1",
        "executions-v1-waits",
        "executions-v1-stages",
        "executions-v1-runs",
        "executions-v1-events",
    ],
)
def test_file_of_every_version_of_the_schema_can_be_merged(tmp_path: Path, version: str) -> None:
    """Written once by the release that had the schema, and never again."""
    old = (GOLDEN / f"{version}.parquet").read_bytes()
    content = merged(tmp_path, [EMPTY], old)
    rows = select(
        tmp_path,
        content,
        "SELECT id, name, epoch_ms(due_at), len(outcomes) FROM read_parquet({}) ORDER BY id",
    )
    assert rows == [(FULL.id, FULL.name, DUE_AT, 2), (EMPTY.id, None, DUE_AT, 0)]
    # Later columns follow the earlier ones; the first entry of a schema has the count of its columns.
    sql = "SELECT name, type, converted_type FROM parquet_schema({})"
    earlier = select(tmp_path, old, sql)
    assert earlier == select(tmp_path, merged(tmp_path, [FULL]), sql)[: len(earlier)]


def test_column_of_a_later_release_is_kept(tmp_path: Path) -> None:
    later = tmp_path / "later.parquet"
    (tmp_path / "now.parquet").write_bytes(merged(tmp_path, [FULL]))
    with duck(tmp_path) as db:
        db.execute(f"COPY (SELECT *, 7 AS later FROM read_parquet('{tmp_path}/now.parquet')) TO '{later}'")
    content = merged(tmp_path, [EMPTY], later.read_bytes())
    assert select(tmp_path, content, "SELECT later FROM read_parquet({}) ORDER BY id") == [(7,), (None,)]


def test_draft_without_rows_has_none(tmp_path: Path) -> None:
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        assert draft.merge(has_old=False).summary.rows == 0


def test_copy_is_summarised_as_the_file_was(tmp_path: Path) -> None:
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        draft.add([FULL, EMPTY])
        written = draft.merge(has_old=False)
        with draft.copy() as copy:
            copy.write(written.content.read())
        assert draft.summary_of_copy() == written.summary
        with draft.copy() as copy:
            copy.write(merged(tmp_path, [FULL]))
        assert draft.summary_of_copy() != written.summary


def test_old_file_is_summarised_before_and_after_it_is_merged(tmp_path: Path) -> None:
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        draft.add([FULL])
        first = draft.merge(has_old=False)
        content = first.content.read()
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        with draft.old() as old:
            old.write(content)
        draft.add([EMPTY])
        assert draft.summary_of_old() == first.summary
        assert draft.merge(has_old=True).summary.rows == 2
        assert draft.summary_of_old() == first.summary


def without(folder: Path, old: bytes, *tenants: str) -> tuple[bytes, FileSummary]:
    with ParquetFiles(folder).draft(UNIT) as draft:
        with draft.old() as file:
            file.write(old)
        found = draft.merge(has_old=True, without=tenants)
        return found.content.read(), found.summary


def rows_of_tenants(*tenants: str) -> list[ArchiveRow]:
    """A row of each, in the second shard of the unit."""
    return [
        row_of(in_state(one_off(number, tenant_id=name, shard=1), State.SUCCEEDED))
        for number, name in enumerate(tenants, 1)
    ]


def test_rows_of_tenants_that_are_left_out_are_counted_in_the_file(tmp_path: Path) -> None:
    old = merged(tmp_path, rows_of_tenants("acme", "globex", "it's", "acme"))
    first, summary = without(tmp_path, old, "acme", "it's", "nobody")
    assert summary.tenants == {"globex": 1}
    assert summary.forgotten == {f"{BUCKET}#1": 3}
    sql = "SELECT DISTINCT tenant FROM read_parquet({})"
    assert select(tmp_path, first, sql) == [("globex",)]
    again, unchanged = without(tmp_path, first, "acme")
    assert (unchanged.tenants, unchanged.forgotten) == (summary.tenants, summary.forgotten)
    empty, nothing = without(tmp_path, again, "globex")
    assert (nothing.rows, nothing.forgotten) == (0, {f"{BUCKET}#1": 4})
    later = merged(tmp_path, [EMPTY], empty)
    assert select(tmp_path, later, "SELECT id FROM read_parquet({})") == [(EMPTY.id,)]
    assert without(tmp_path, later)[1].forgotten == {f"{BUCKET}#1": 4}


def test_file_that_forgets_nobody_has_the_bytes_of_a_merge(tmp_path: Path) -> None:
    old = merged(tmp_path, [FULL, EMPTY])
    assert without(tmp_path, old, "nobody")[0] == without(tmp_path, old)[0]
    assert without(tmp_path, old)[1].forgotten == {}


def test_schema_stays_where_rows_are_left_out(tmp_path: Path) -> None:
    old = merged(tmp_path, [FULL, *rows_of_tenants("globex")])
    sql = "SELECT name, type, converted_type FROM parquet_schema({})"
    assert select(tmp_path, without(tmp_path, old, "globex")[0], sql) == select(tmp_path, old, sql)


@pytest.mark.parametrize("counts", ["", "[]", "7", '{"1#0": "x"}', '{"1#0": null}'])
def test_counts_of_another_form_are_unreadable(tmp_path: Path, counts: str) -> None:
    (tmp_path / "now.parquet").write_bytes(merged(tmp_path, [FULL]))
    odd = tmp_path / "odd.parquet"
    with duck(tmp_path) as db:
        db.execute(
            f"COPY (SELECT * FROM read_parquet('{tmp_path}/now.parquet')) TO '{odd}' "
            f"(FORMAT parquet, KV_METADATA {{forgotten: '{counts}'}})"
        )
    with pytest.raises(UnreadableItemError):
        without(tmp_path, odd.read_bytes(), "acme")


def test_samples_of_the_copy_are_those_of_the_written_file(tmp_path: Path) -> None:
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        draft.add([FULL, EMPTY])
        written = draft.merge(has_old=False)
        with draft.copy() as copy:
            copy.write(written.content.read())
        assert list(draft.samples_of_copy()) == list(draft.samples()) != []


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all", b"PAR1" + bytes(100) + b"PAR1"])
def test_damaged_file_is_unreadable(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableItemError):
        merged(tmp_path, [FULL], content)


def test_row_of_another_unit_is_refused(tmp_path: Path) -> None:
    foreign = row_of(in_state(one_off(1, shard=4), State.SUCCEEDED))
    with pytest.raises(InvalidValueError):
        merged(tmp_path, [foreign])


def test_database_reaches_the_files_of_its_folder_alone(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside.csv"
    inside.mkdir()
    outside.write_text("a\n1\n")
    for sql in (
        f"SELECT * FROM read_csv('{outside}')",
        f"COPY (SELECT 1) TO '{tmp_path}/new.csv'",
        "SELECT * FROM read_csv('https://127.0.0.1/x.csv')",
        "INSTALL httpfs",
        "SET enable_external_access = true",
    ):
        with pytest.raises(UnreadableItemError), duck(inside) as db:
            db.execute(sql)
    assert not (tmp_path / "new.csv").exists()


def test_local_files_go_with_their_pass(tmp_path: Path) -> None:
    merged(tmp_path, [FULL], merged(tmp_path, [EMPTY]))
    assert list(tmp_path.iterdir()) == []


def test_names_with_quotes_are_literals(tmp_path: Path) -> None:
    folder = tmp_path / "it's"
    folder.mkdir()
    assert BytesIO(merged(folder, [FULL])).read(4) == b"PAR1"
