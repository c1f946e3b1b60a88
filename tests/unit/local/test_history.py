"""`make history`: a query over archived files on the laptop, and nothing else on the disk."""

from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from infra.local import history
from infra.local.history import main, query
from infra.local.state_dir import StateDir
from shared.adapters.parquet.files import ParquetFiles
from shared.domain.archive.row import row_of
from shared.domain.executions.states import State
from tests.support.builders import in_state, one_off
from tests.support.usecases.archive import UNIT

GOLDEN = Path(__file__).parents[1] / "adapters" / "golden"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """One archived hour, as it is downloaded."""
    with ParquetFiles(tmp_path).draft(UNIT) as draft:
        draft.add([row_of(in_state(one_off(number), State.SUCCEEDED)) for number in (1, 2)])
        content = draft.merge(has_old=False).content.read()
    folder = tmp_path / "files"
    target = folder / UNIT.file_key("us-east-1").removeprefix(history.PREFIX)
    target.parent.mkdir(parents=True)
    target.write_bytes(content)
    return folder


def test_query_has_the_columns_of_files_and_folders(files: Path) -> None:
    sql = "SELECT state, cell, hh, count(*) AS runs FROM executions GROUP BY ALL"
    (row,) = query(files, sql)
    assert (row["state"], row["cell"], int(row["hh"]), row["runs"]) == ("succeeded", "us-east-1", 21, 2)


def test_query_reads_files_of_an_earlier_release_beside_new_ones(files: Path) -> None:
    target = files / UNIT.file_key("us-east-1").removeprefix(history.PREFIX)
    target.with_name("g001.parquet").write_bytes((GOLDEN / "executions-v1-stages.parquet").read_bytes())
    (row,) = query(
        files, "SELECT count(*) AS runs, count(run_id) AS tasks, max(task) AS task FROM executions"
    )
    assert row == {"runs": 3, "tasks": 0, "task": None}


def test_query_reads_no_other_file(files: Path) -> None:
    with pytest.raises(duckdb.Error):
        query(files, "SELECT * FROM read_text('/etc/hostname')")


def test_stack_that_does_not_run_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path), "SELECT 1"]) == 1
    assert "start it with `make run`" in capsys.readouterr().err


def test_rows_are_lines_of_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Path
) -> None:
    monkeypatch.setattr(history, "history", lambda home, sql, first, last: query(files, sql))
    assert main(["SELECT id, body FROM executions ORDER BY id LIMIT 1"]) == 0
    assert capsys.readouterr().out.startswith('{"id": "exe_1')
    assert main(["SELECT nothing"]) == 1
    assert StateDir().root


def test_days_in_the_wrong_order_are_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--from", "2026-11-02", "--to", "2026-11-01", "SELECT 1"])
    assert "--from 2026-11-02 is after --to 2026-11-01: exchange the two days" in capsys.readouterr().err


class Bucket:
    """The objects of an S3 client, by key."""

    def __init__(self, objects: dict[str, bytes]) -> None:
        self.objects = objects
        self.prefixes: list[str] = []

    def get_paginator(self, _name: str) -> "Bucket":
        return self

    def paginate(self, *, Bucket: str, Prefix: str) -> list[dict[str, Any]]:  # noqa: N803 - as boto3
        self.prefixes.append(Prefix)
        return [{"Contents": [{"Key": key} for key in self.objects if key.startswith(Prefix)]}]

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, BytesIO]:  # noqa: N803 - as boto3
        return {"Body": BytesIO(self.objects[Key])}


class BucketClients:
    def __init__(self, bucket: Bucket) -> None:
        self.client = lambda _service: bucket


def test_only_the_files_of_the_named_days_are_downloaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Path
) -> None:
    content = next(files.rglob("*.parquet")).read_bytes()
    day = UNIT.file_key("us-east-1").split("/dt=")[1][:10]
    other = UNIT.file_key("us-east-1").replace(day, "2020-01-01")
    bucket = Bucket({UNIT.file_key("us-east-1"): content, other: content})
    outputs = SimpleNamespace(outputs={"ArchiveBucketName": "archive"})
    monkeypatch.setattr(history, "_clients", lambda home: BucketClients(bucket))
    monkeypatch.setattr(history, "describe", lambda names, clients: outputs)
    assert main(["--from", day, "--to", day, "SELECT count(*) AS runs FROM executions"]) == 0
    assert capsys.readouterr().out == '{"runs": 2}\n'
    assert bucket.prefixes == [f"v1/executions/cell=us-east-1/dt={day}/"]
    assert main(["--from", "2020-01-02", "--to", "2020-01-03", "SELECT 1"]) == 1
    assert "no hour from 2020-01-02 to 2020-01-03 is archived" in capsys.readouterr().err
