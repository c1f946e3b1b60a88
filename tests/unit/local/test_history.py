"""`make history`: a query over archived files on the laptop, and nothing else on the disk."""

from pathlib import Path

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


def test_query_reads_no_other_file(files: Path) -> None:
    with pytest.raises(duckdb.Error):
        query(files, "SELECT * FROM read_text('/etc/hostname')")


def test_stack_that_does_not_run_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path), "SELECT 1"]) == 1
    assert "start it with `make run`" in capsys.readouterr().err


def test_rows_are_lines_of_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Path
) -> None:
    monkeypatch.setattr(history, "history", lambda home, sql: query(files, sql))
    assert main(["SELECT id, body FROM executions ORDER BY id LIMIT 1"]) == 0
    assert capsys.readouterr().out.startswith('{"id": "exe_1')
    assert main(["SELECT nothing"]) == 1
    assert StateDir().root
