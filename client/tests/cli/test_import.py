"""`punctual import`: what it prints where, its exit codes, and that the key is in neither output."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import NoRegionError

from client.tests.cli.shell import Ran, Shell
from client.tests.importers.engine import NOW
from client.tests.sdk.deployment import Deployment, Fate
from punctual.applyfile import read_apply_file

MAPS = ["--map", "backup=https://example.com/backup"]
ZONE = ["--timezone", "Europe/Berlin"]


def shell() -> Shell:
    """A shell at the time that the tests of the importers have."""
    deployment = Deployment()
    deployment.world.world.clock.time_ms = NOW * 1000
    return Shell(deployment)


def imported(*arguments: str, stdin: bytes = b"", around: Shell | None = None) -> Ran:
    return (around or shell()).run("import", *arguments, stdin=stdin)


def test_apply_file_goes_to_stdout_and_the_report_to_stderr(tmp_path: Path) -> None:
    crontab = tmp_path / "crontab"
    crontab.write_text("30 2 1 * * backup\n0,30 2 * 3 0 backup --twice\n")
    around = shell()
    ran = imported("crontab", str(crontab), *MAPS, *ZONE, "--set", "ops", around=around)
    assert ran.code == 1
    file = read_apply_file(ran.out.encode())
    assert file.set == "ops"
    assert [job.members["cron"] for job in file.jobs] == ["30 2 1 * *"]
    assert "same: backup-" in ran.err
    assert "  2026-03-29 03:00:00 +02:00: source 2, Punctual 1\n" in ran.err
    assert ran.err.endswith("2 jobs: 1 same, 1 differs\n")
    assert around.deployment.key not in ran.out + ran.err


def test_jobs_that_differ_are_written_when_asked_for_and_misfits_never() -> None:
    ran = imported(
        "crontab",
        "-",
        *MAPS,
        *ZONE,
        "--with-differences",
        stdin=b"0,30 2 * 3 0 backup\n@reboot backup\n",
    )
    assert (ran.code, len(read_apply_file(ran.out.encode()).jobs)) == (1, 1)


def test_same_jobs_end_with_0_and_every_source_is_read() -> None:
    cronjob = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "backup"},
        "spec": {"schedule": "30 12 1 * *"},
    }
    schedule = {"Name": "backup", "ScheduleExpression": "cron(0 9 1 * ? *)", "Target": {"Arn": "a"}}
    sources: dict[str, bytes] = {
        "crontab": b"30 12 1 * * backup\n",
        "k8s": json.dumps(cronjob).encode(),
        "qstash": json.dumps({"cron": "30 12 1 * *", "destination": "backup", "retries": 1}).encode(),
        "eventbridge": json.dumps(schedule).encode(),
    }
    for source, data in sources.items():
        ran = imported(source, "-", *MAPS, *ZONE, stdin=data)
        assert ran.code == 0, ran
        assert len(read_apply_file(ran.out.encode()).jobs) == 1


def test_imported_file_can_be_applied() -> None:
    around = shell()
    ran = imported("crontab", "-", *MAPS, *ZONE, stdin=b"30 12 1 * * backup\n", around=around)
    applied = around.run("apply", "-f", "-", stdin=ran.out)
    assert applied.code == 0, applied
    assert around.json("list", "--set", "crontab")[0]["key"].startswith("crontab.backup-")


class Scheduler:
    """The client of boto3 for one schedule of an account."""

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


def test_live_schedules_are_read_from_the_api_of_eventbridge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", SimpleNamespace(client=lambda _: Scheduler()))
    ran = imported("eventbridge", "--live", "--map", "a=https://example.com/")
    assert ran.code == 0, ran
    assert ran.out.startswith("# Imported from the API of EventBridge Scheduler.\n")


def test_live_schedules_need_boto3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    ran = imported("eventbridge", "--live")
    assert ran.code == 2
    assert "pip install boto3" in ran.err


def test_live_schedules_need_a_region_and_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    def client(_: str) -> None:
        raise NoRegionError

    monkeypatch.setitem(sys.modules, "boto3", SimpleNamespace(client=client))
    ran = imported("eventbridge", "--live")
    assert ran.code == 2
    assert "EventBridge Scheduler: You must specify a region." in ran.err
    assert "AWS_REGION" in ran.err


def test_comparison_can_be_left_out_and_then_no_client_is_made() -> None:
    around = shell()
    ran = imported("crontab", "-", *MAPS, *ZONE, "--no-compare", stdin=b"30 12 1 * * backup\n", around=around)
    assert (ran.code, around.opened) == (0, [])
    assert "1 job: 1 not compared" in ran.err


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
        (["fcron", "-"], "fcron"),
    ],
)
def test_wrong_usage_ends_with_2_and_writes_no_file(arguments: list[str], words: str) -> None:
    ran = imported(*arguments, stdin=b"{")
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_refused_key_and_silent_api_have_exit_codes_of_their_own() -> None:
    line, around = b"30 12 1 * * backup\n", shell()
    around.key = "pk_wrong_key"
    assert imported("crontab", "-", *MAPS, *ZONE, stdin=line, around=around).code == 4
    around = shell()
    around.deployment.fate = lambda _: Fate.UNCONNECTED
    ran = imported("crontab", "-", *MAPS, *ZONE, stdin=line, around=around)
    assert (ran.code, ran.out) == (8, "")


LINES = b"".join(b"%d 3 1 * * backup --part %d\n" % (minute, minute) for minute in range(50))
DIFFERS = b"0,30 2 * 3 0 backup\n"
APPLY = ("crontab", "-", *MAPS, *ZONE, "--set", "ops", "--apply")


def live(around: Shell) -> list[str]:
    return [each["key"] for each in around.json("list", "--set", "ops", "--all")]


def test_applied_import_creates_its_jobs_after_the_report() -> None:
    around = shell()
    ran = imported(*APPLY, "--yes", stdin=LINES, around=around)
    assert (ran.code, len(live(around))) == (0, 50)
    assert ran.out.splitlines()[-1] == "50 to create"
    assert ran.err.index("50 jobs: 50 same\n") < ran.err.index("50 jobs to create or change:\n")
    assert ran.err.endswith("50 created\n")
    again = imported(*APPLY, "--yes", stdin=LINES, around=around)
    assert (again.code, again.out, len(live(around))) == (0, "50 unchanged\n", 50)


def test_applied_import_asks_for_the_number_of_jobs(tmp_path: Path) -> None:
    around = shell()
    around.is_terminal = True
    crontab = tmp_path / "crontab"
    crontab.write_bytes(LINES)
    words = ("crontab", str(crontab), *MAPS, *ZONE, "--set", "ops", "--apply")
    for answer in ("", "y\n", "49\n"):
        refused = around.run("import", *words, stdin=answer)
        assert (refused.code, "nothing was changed" in refused.err) == (1, True)
    around.is_terminal = False
    assert live(around) == []
    around.is_terminal = True
    assert around.run("import", *words, stdin="50\n").code == 0


def test_applied_import_without_a_terminal_and_without_yes_creates_nothing() -> None:
    around = shell()
    ran = imported(*APPLY, stdin=LINES, around=around)
    assert (ran.code, live(around)) == (2, [])
    assert "give --yes" in ran.err


def test_applied_import_leaves_out_jobs_that_differ_and_ends_with_1() -> None:
    around = shell()
    ran = imported(*APPLY, "--yes", stdin=LINES + DIFFERS + b"@reboot backup\n", around=around)
    assert (ran.code, len(live(around))) == (1, 50)
    assert "52 jobs: 50 same, 1 differs, 1 not expressible\n" in ran.err
    ran = imported(*APPLY, "--yes", "--with-differences", stdin=DIFFERS, around=around)
    assert (ran.code, len(live(around))) == (1, 51)


def test_applied_import_in_which_nothing_can_be_expressed_creates_nothing() -> None:
    around = shell()
    ran = imported(*APPLY, "--yes", stdin=DIFFERS, around=around)
    assert (ran.code, ran.out, live(around)) == (1, "no jobs\n", [])


def test_applied_import_needs_the_variables_of_its_secret_headers() -> None:
    around = shell()
    schedule = {
        "scheduleId": "s",
        "cron": "0 3 1 * *",
        "destination": "https://example.com/backup",
        "header": {"Upstash-Forward-X-Token": ["s3cret"]},
    }
    words = ("qstash", "-", "--apply", "--yes")
    ran = imported(*words, stdin=json.dumps(schedule).encode(), around=around)
    assert (ran.code, around.json("list")) == (2, [])
    assert "environment variables that are not set, or empty: S_X_TOKEN" in ran.err
    around.environ["S_X_TOKEN"] = "s3cret"
    ran = imported(*words, stdin=json.dumps(schedule).encode(), around=around)
    assert (ran.code, "s3cret" in ran.out + ran.err) == (0, False)


def test_applied_import_of_a_key_of_another_set_is_a_conflict_and_creates_nothing() -> None:
    around = shell()
    imported(*APPLY, "--yes", stdin=LINES, around=around)
    [first, *_] = live(around)
    with around.deployment.client() as p:
        p.jobs.put(first, set="other", url="https://example.com/", cron="@daily")
    ran = imported(*APPLY, "--yes", stdin=LINES, around=around)
    assert ran.code == 5
    assert f"{first} is a job of the set other" in ran.err


def test_yes_without_apply_is_refused() -> None:
    around = shell()
    ran = imported(*APPLY[:-1], "--yes", stdin=LINES, around=around)
    assert (ran.code, ran.out, around.deployment.sent) == (2, "", [])
