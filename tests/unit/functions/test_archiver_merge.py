"""The command that merges a restored table into the archive: arguments, report, and the tables that it takes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.archiver import __main__ as command
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.restored_table import restored_executions
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import InvalidValueError, UnavailableError
from shared.domain.executions.states import State
from shared.domain.schedules.schedule import format_instant
from shared.names import Env, Transport
from shared.settings import ArchiverSettings
from shared.usecases.archive.merge_table import MergedUnit, MergeEnd
from tests.support.api.environment import ENVIRONMENT
from tests.support.builders import EXPIRES_AT_S, in_state, one_off
from tests.support.conformance.dynamo_lab import REGION
from tests.support.conformance.tables import TableNames, create_tables
from tests.support.usecases.archive import END, HOUR, UNIT

FROM, TO = format_instant(UNIT.start_ms), format_instant(END)
ARGUMENTS = ["--function", "archiver", "--table", "restored", "--from", FROM, "--to", TO]


class Merge:
    """Answers with these units, and notes what was asked."""

    def __init__(self, *units: MergedUnit) -> None:
        self._units = units
        self.asked: list[tuple[range, bool]] = []

    def execute(self, hours: range, *, dry_run: bool) -> Iterator[MergedUnit]:
        self.asked.append((hours, dry_run))
        return iter(self._units)


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], merge: Merge, *more: str
) -> tuple[int, Any, str]:
    monkeypatch.setattr(command, "merge_table_of", lambda function, table: merge)
    status = command.main([*ARGUMENTS, *more])
    captured = capsys.readouterr()
    return status, json.loads(captured.out) if captured.out else None, captured.err


def test_merged_files_are_counted_and_named_as_they_are_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    merge = Merge(
        MergedUnit(unit=UNIT, end=MergeEnd.MERGED, rows=5, restored=3, unended_when_restored=1),
        MergedUnit(unit=ArchiveUnit(hour=HOUR, group=1), end=MergeEnd.MERGED),
    )
    status, document, progress = run(monkeypatch, capsys, merge)
    assert status == 0
    assert merge.asked == [(range(HOUR, HOUR + 1), False)]
    assert (document["dry_run"], document["files"], document["rows"], document["restored"]) == (
        False,
        2,
        5,
        3,
    )
    assert document["unended_when_restored"] == 1
    assert "added" not in document
    assert progress == f"{FROM} group 0: merged, 5 rows\n"


def test_dry_run_shows_what_would_be_added(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    merge = Merge(MergedUnit(unit=UNIT, end=MergeEnd.WOULD_MERGE, rows=5, restored=3, added=2))
    status, document, _ = run(monkeypatch, capsys, merge, "--dry-run")
    assert (status, document["added"], document["dry_run"]) == (0, 2, True)
    assert merge.asked[0][1]


@pytest.mark.parametrize(
    ("unit", "counted"),
    [
        (MergedUnit(unit=UNIT, end=MergeEnd.LEFT), "left"),
        (MergedUnit(unit=UNIT, end=MergeEnd.DAMAGED), "damaged"),
        (MergedUnit(unit=UNIT, end=MergeEnd.MERGED, unreadable=("1#0/row",)), "unreadable"),
    ],
)
def test_file_or_row_that_is_not_merged_is_counted_with_exit_status_1(
    unit: MergedUnit, counted: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, document, _ = run(monkeypatch, capsys, Merge(unit))
    assert (status, document[counted]) == (1, 1)


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("--from", "yesterday", "--from is an instant"),
        ("--to", "2026-11-22T08:30:00Z", "--to is the beginning of an hour"),
    ],
)
def test_instant_that_begins_no_hour_is_refused(
    option: str, text: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, document, error = run(monkeypatch, capsys, Merge(), option, text)
    assert (status, document) == (1, None)
    assert says in error


def test_service_that_does_not_respond_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Down(Merge):
        def execute(self, hours: range, *, dry_run: bool) -> Iterator[MergedUnit]:
            raise UnavailableError("no answer")

    assert run(monkeypatch, capsys, Down()) == (1, None, "no answer\n")


class Tables:
    """The tables of a stage in moto, with one execution that is in a restored table alone."""

    def __init__(self) -> None:
        self.client: Any = boto3.client("dynamodb", region_name=REGION)
        self.names: TableNames = create_tables(self.client)
        self.variables = ENVIRONMENT | {
            Env.REGION: REGION,
            Env.TRANSPORT: Transport.BOTO3,
            Env.EXECUTIONS_TABLE: self.names.executions,
            Env.JOBS_TABLE: self.names.jobs,
        }
        self.settings = ArchiverSettings.from_env(self.variables)
        self.lost = in_state(one_off(1), State.SUCCEEDED)
        dynamo_ports(self.settings).executions.put_if_absent(self.lost, expires_at_s=EXPIRES_AT_S)
        self.client.restore_table_to_point_in_time(
            SourceTableName=self.names.executions, TargetTableName="restored", UseLatestRestorableTime=True
        )
        for item in self.client.scan(TableName=self.names.executions)["Items"]:
            key = {name: item[name] for name in ("pk", "sk")}
            self.client.delete_item(TableName=self.names.executions, Key=key)


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tables]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        yield Tables()


def test_executions_of_a_restored_table_are_read_and_the_table_of_the_stage_is_another_one(
    tables: Tables,
) -> None:
    bucket, shard = tables.lost.id.bucket, tables.lost.id.shard
    restored = restored_executions(tables.settings, "restored")
    found = restored.read_shard(bucket, shard, after=None, limit=10).executions
    assert [each.id for each in found] == [tables.lost.id]
    own = dynamo_ports(tables.settings).executions
    assert own.read_shard(bucket, shard, after=None, limit=10).executions == ()


def test_table_that_is_missing_or_was_restored_from_another_one_is_refused(tables: Tables) -> None:
    with pytest.raises(InvalidValueError, match="no table nowhere"):
        restored_executions(tables.settings, "nowhere")
    for name in (tables.names.executions, tables.names.jobs):
        with pytest.raises(InvalidValueError, match="was not restored from"):
            restored_executions(tables.settings, name)
    other = replace(tables.settings, executions_table=tables.names.jobs)
    with pytest.raises(InvalidValueError, match="was not restored from"):
        restored_executions(other, "restored")


def test_command_reads_the_settings_of_the_named_archiver(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def environment(function: str, region: str | None) -> dict[str, str]:
        asked.append(function)
        return tables.variables

    monkeypatch.setattr(command, "function_environment", environment)
    merge = command.merge_table_of("archiver-of-prod", "restored")
    assert asked == ["archiver-of-prod"]
    assert merge.pass_unit.read.restored is not None
