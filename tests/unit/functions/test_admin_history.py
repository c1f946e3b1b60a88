"""The operators' command that copies archived executions to a file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from functions.admin import __main__ as admin
from shared.domain.archive.row import ArchivedOutcome, ArchivedRange, ArchiveRow, row_of
from shared.domain.executions.states import State
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import Tenant
from tests.support.builders import DUE_AT, TENANT, in_state, one_off, with_changes
from tests.support.usecases.archived import archive
from tests.support.usecases.world import World

HOUR_MS = 3_600_000


class Archived:
    """Ten executions of ten hours, one of another tenant beside each, and the command."""

    def __init__(self, folder: Path) -> None:
        self.world = World(DUE_AT + 30 * 24 * HOUR_MS)
        self.file = folder / "restored.jsonl"
        self.rows = [self._row(number, TENANT) for number in range(10)]
        others = [self._row(100 + number, "globex") for number in range(10)]
        archive(self.world.archive_reader, self.world.history, [*self.rows, *others])

    def _row(self, number: int, tenant: str) -> ArchiveRow:
        due_at = DUE_AT + number % 100 * HOUR_MS
        execution = in_state(one_off(number, due_at=due_at, name="import"), State.SUCCEEDED)
        return row_of(with_changes(execution, tenant_id=tenant))

    def restore(self, *arguments: str) -> int:
        return admin.main(["restore-history", TENANT, "--file", str(self.file), *arguments])

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.file.read_text().splitlines()]


@pytest.fixture
def archived(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Archived:
    made = Archived(tmp_path)
    monkeypatch.setattr(admin, "use_cases_from", lambda _: made.world.cases)
    monkeypatch.setenv("TENANTS_TABLE", "tenants")
    return made


def test_all_rows_of_the_tenant_are_in_the_file_and_no_others(
    archived: Archived, capsys: pytest.CaptureFixture[str]
) -> None:
    assert archived.restore() == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": str(archived.file),
        "rows": 10,
        "files": 10,
        "missing": 0,
    }
    assert [line["id"] for line in archived.lines()] == [row.id for row in archived.rows]
    assert archived.file.stat().st_mode & 0o777 == 0o600, "responses are in it in plain text"


def test_line_has_the_columns_with_instants_as_text_and_the_opened_response(archived: Archived) -> None:
    tenant = archived.world.tenants.get(TENANT)
    assert isinstance(tenant, Tenant)
    plain = archived.rows[0]
    full = replace(
        plain,
        body=archived.world.vault.seal(tenant, plain.id, b"no such invoice"),
        tags=("eu",),
        missed=ArchivedRange(count=2, first_at=DUE_AT, last_at=DUE_AT + 1),
        outcomes=(
            ArchivedOutcome(attempt=1, started_at=DUE_AT, duration_ms=5, status=500, reason="http_status"),
        ),
    )
    archive(
        archived.world.archive_reader,
        archived.world.history,
        [full, replace(archived.rows[1], body=b"noise")],
    )
    assert archived.restore() == 0
    first, second, *_ = archived.lines()
    assert (first["last_response_body"], second["last_response_body"]) == ("no such invoice", None)
    assert first["due_at"] == first["missed"]["first_at"] == format_instant(DUE_AT)
    assert first["outcomes"][0]["started_at"] == format_instant(DUE_AT)
    assert (first["tags"], first["ended_at"], first["attempts"]) == (["eu"], None, plain.attempts)
    assert "body" not in first


def test_range_has_its_first_instant_and_not_its_last(archived: Archived) -> None:
    from_at, until_at = format_instant(archived.rows[3].due_at), format_instant(archived.rows[6].due_at)
    assert archived.restore("--from", from_at, "--to", until_at) == 0
    assert [line["id"] for line in archived.lines()] == [row.id for row in archived.rows[3:6]]


def test_executions_that_no_file_has_are_counted_with_exit_status_1(
    archived: Archived, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = next(iter(archived.world.archive_reader.rows))
    del archived.world.archive_reader.rows[lost]
    assert archived.restore() == 1
    assert json.loads(capsys.readouterr().out)["missing"] == 1


def test_existing_file_is_left_alone(archived: Archived, capsys: pytest.CaptureFixture[str]) -> None:
    archived.file.write_text("precious")
    assert archived.restore() == 1
    assert "--file" in capsys.readouterr().err
    assert archived.file.read_text() == "precious"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "yesterday"], "--from is an instant"),
        (["--from", "2026-01-02T00:00:00Z", "--to", "2026-01-01T00:00:00Z"], "--from is before --to"),
    ],
)
def test_hostile_range_is_refused_before_a_file_is_made(
    archived: Archived, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert archived.restore(*arguments) == 1
    assert said in capsys.readouterr().err
    assert not archived.file.exists()


def test_unknown_tenant_is_refused(archived: Archived, capsys: pytest.CaptureFixture[str]) -> None:
    assert admin.main(["restore-history", "nobody", "--file", str(archived.file)]) == 1
    assert "tenant" in capsys.readouterr().err
