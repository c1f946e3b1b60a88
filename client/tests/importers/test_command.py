"""The command: what it prints where, its exit codes, and that the key is in neither output."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client.tests.importers.engine import NOW
from client.tests.sdk.deployment import Deployment, Fate
from punctual.applyfile import read_apply_file
from punctual.client import Punctual
from punctual.errors import ConfigurationError
from punctual.importers.command import DONE, MISFITS, REFUSED_KEY, UNAVAILABLE, USAGE, Surroundings, run
from punctual.importers.eventbridge import SchedulerClient

MAPS = ["--map", "backup=https://example.com/backup"]
ZONE = ["--timezone", "Europe/Berlin"]


class Process:
    """The process of a command, with the API in memory."""

    def __init__(self, stdin: bytes = b"", client: Callable[[], Punctual] | None = None) -> None:
        self.deployment = Deployment()
        self.deployment.world.world.clock.time_ms = NOW * 1000
        self.stdout, self.stderr = io.StringIO(), io.StringIO()
        self.stdin = stdin
        self.client = client or self.deployment.client

    def run(self, *arguments: str) -> int:
        return run(
            arguments,
            Surroundings(
                stdin=lambda: self.stdin,
                stdout=self.stdout,
                stderr=self.stderr,
                now=lambda: NOW,
                client=self.client,
                scheduler=self.scheduler,
            ),
        )

    def scheduler(self) -> SchedulerClient:
        return self

    def get_paginator(self, operation_name: str) -> Any:
        return self

    def paginate(self) -> list[dict[str, Any]]:
        return [{"Schedules": [{"GroupName": "default", "Name": "job"}]}]

    def get_schedule(self, **arguments: str) -> dict[str, Any]:
        return {
            "Name": "job",
            "ScheduleExpression": "rate(20 days)",
            "CreationDate": NOW,
            "Target": {"Arn": "a"},
        }

    @property
    def printed(self) -> str:
        return self.stdout.getvalue() + self.stderr.getvalue()


def test_apply_file_goes_to_stdout_and_the_report_to_stderr(tmp_path: Path) -> None:
    crontab = tmp_path / "crontab"
    crontab.write_text("30 2 1 * * backup\n0,30 2 * 3 0 backup --twice\n")
    process = Process()
    assert process.run("crontab", str(crontab), *MAPS, *ZONE, "--set", "ops") == MISFITS
    file = read_apply_file(process.stdout.getvalue().encode())
    assert file.set == "ops"
    assert [job.members["cron"] for job in file.jobs] == ["30 2 1 * *"]
    report = process.stderr.getvalue()
    assert "same: backup-" in report
    assert "  2026-03-29 03:00:00 +02:00: source 2, Punctual 1\n" in report
    assert report.endswith("2 jobs: 1 same, 1 differs\n")
    assert process.deployment.key not in process.printed


def test_jobs_that_differ_are_written_when_asked_for_and_misfits_never() -> None:
    process = Process(b"0,30 2 * 3 0 backup\n@reboot backup\n")
    assert process.run("crontab", "-", *MAPS, *ZONE, "--with-differences") == MISFITS
    assert len(read_apply_file(process.stdout.getvalue().encode()).jobs) == 1


def test_same_jobs_end_with_0_and_every_source_is_read() -> None:
    sources: dict[str, bytes] = {
        "crontab": b"30 12 1 * * backup\n",
        "k8s": json.dumps(
            {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "metadata": {"name": "backup"},
                "spec": {"schedule": "30 12 1 * *"},
            }
        ).encode(),
        "qstash": json.dumps({"cron": "30 12 1 * *", "destination": "backup", "retries": 1}).encode(),
        "eventbridge": json.dumps(
            {"Name": "backup", "ScheduleExpression": "cron(0 9 1 * ? *)", "Target": {"Arn": "a"}}
        ).encode(),
    }
    for source, data in sources.items():
        process = Process(data)
        assert process.run(source, "-", *MAPS, *ZONE) == DONE, process.printed
        assert len(read_apply_file(process.stdout.getvalue().encode()).jobs) == 1


def test_live_schedules_are_read_from_the_api_of_eventbridge() -> None:
    process = Process()
    assert process.run("eventbridge", "--live", "--map", "a=https://example.com/") == DONE
    assert process.stdout.getvalue().startswith("# Imported from the API of EventBridge Scheduler.\n")


def test_comparison_can_be_left_out_and_then_no_client_is_made() -> None:
    def refuse() -> Punctual:
        raise AssertionError("no client is needed")

    process = Process(b"30 12 1 * * backup\n", refuse)
    assert process.run("crontab", "-", *MAPS, *ZONE, "--no-compare") == DONE
    assert "1 jobs: 1 not compared" in process.stderr.getvalue()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crontab"], "no files"),
        (["crontab", "/nowhere/at/all"], "No such file"),
        (["crontab", "-", "--timezone", "Berlin"], "unknown time zone"),
        (["crontab", "-", "--set", "A B"], "--set needs"),
        (["crontab", "-", "--map", "x"], "--map needs"),
        (["crontab", "-", "--map-file", "/nowhere"], "No such file"),
        (["crontab", "--live"], "--live reads"),
        (["eventbridge", "-"], "not JSON"),
    ],
)
def test_wrong_usage_ends_with_2_and_writes_no_file(arguments: list[str], words: str) -> None:
    process = Process(b"{")
    assert process.run(*arguments) == USAGE
    assert words in process.stderr.getvalue()
    assert process.stdout.getvalue() == ""


def test_unknown_options_end_with_2_and_help_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert Process().run("fcron", "-") == USAGE
    assert Process().run("--help") == DONE
    assert "TARGET=URL" in capsys.readouterr().out


def test_missing_configuration_refused_key_and_silent_api_have_exit_codes_of_their_own() -> None:
    def unconfigured() -> Punctual:
        raise ConfigurationError("no URL")

    line = b"30 12 1 * * backup\n"
    assert Process(line, unconfigured).run("crontab", "-", *MAPS, *ZONE) == USAGE
    process = Process(line)
    process.client = lambda: process.deployment.client("pk_wrong_key")
    assert process.run("crontab", "-", *MAPS, *ZONE) == REFUSED_KEY
    process = Process(line)
    process.deployment.fate = lambda _: Fate.UNCONNECTED
    assert process.run("crontab", "-", *MAPS, *ZONE) == UNAVAILABLE
    assert process.stdout.getvalue() == ""
