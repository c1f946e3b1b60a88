"""`punctual bulk patch`: one change of all jobs that match a filter."""

from typing import Any

import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.test_bulk import with_jobs
from punctual.cli.bulk_patch import PATCHED
from punctual.cli.job_members import PARTS
from punctual.models import BulkPatchIn

EVERY_OPTION = (
    ("--jitter", "30s"),
    ("--lane", "bulk"),
    ("--timeout", "10s"),
    ("--overlap", "skip"),
    ("--catch-up", "all"),
    ("--catch-up-limit", "3"),
    ("--catch-up-window", "2h"),
    ("--late-tolerance", "2m"),
    ("--on-success", "https://example.com/done"),
    ("--on-failure", "env:FAILED_URL"),
    ("--async-deadline", "2h"),
    ("--heartbeat", "30s"),
    ("--max-attempts", "3"),
    ("--alerts-url", "https://example.com/alerts"),
)


def jobs(shell: Shell) -> list[Any]:
    client = shell.deployment.client()
    return [client.jobs.get(each) for each in client.jobs.iterate(tag="t")]


def test_options_of_a_bulk_patch_are_its_members() -> None:
    members = {each.part if each.part in PARTS else each.member for each in PATCHED}
    assert members | {"add_tags", "remove_tags"} == set(BulkPatchIn.__struct_fields__)


def test_every_member_is_changed_in_all_jobs_of_the_filter_and_undone() -> None:
    shell = with_jobs(2, environ={"FAILED_URL": "https://example.com/failed"})
    shell.ok("create", "--url", "https://example.com/other", "--cron", "@daily", "--name", "other")
    before = jobs(shell)
    shell.deployment.world.world.clock.time_ms += 1_000
    words = [word for option in EVERY_OPTION for word in option]
    ran = shell.ok("bulk", "patch", "--tag", "t", "--add-tag", "moved", *words, "--yes", "--json")
    assert (ran.json["state"], ran.json["counts"]["done"]) == ("finished", 2)
    for job in jobs(shell):
        assert sorted(job.tags) == ["moved", "t"]
        assert (job.schedule.jitter_seconds, job.lane, job.timeout_seconds) == (30, "bulk", 10)
        assert (job.overlap_policy, job.catch_up, job.catch_up_limit) == ("skip", "all", 3)
        assert (job.catch_up_window_seconds, job.late_tolerance_seconds) == (7_200, 120)
        assert (job.on_success, job.on_failure) == ("https://example.com/done", "https://example.com/failed")
        assert (job.async_deadline_seconds, job.heartbeat_seconds) == (7_200, 30)
        assert (job.retry.max_attempts, job.alerts.url) == (3, "https://example.com/alerts")
    [other] = shell.deployment.client().jobs.iterate(q="other")
    assert other.lane == "standard"
    shell.ok("bulk", "undo", ran.json["id"])
    shell.deployment.sleep(600)
    assert [(each.tags, each.lane, each.retry, each.alerts) for each in jobs(shell)] == [
        (each.tags, each.lane, each.retry, each.alerts) for each in before
    ]


def test_clear_restores_defaults_and_remove_tag_removes() -> None:
    shell = with_jobs(2)
    shell.ok(
        "bulk", "patch", "--tag", "t", "--add-tag", "old", "--timeout", "5s", "--max-attempts", "2", "--yes"
    )
    shell.ok(
        "bulk",
        "patch",
        "--tag",
        "t",
        "--remove-tag",
        "old",
        "--clear",
        "timeout",
        "--clear",
        "retry",
        "--yes",
    )
    assert {(each.timeout_seconds, each.retry.max_attempts, *each.tags) for each in jobs(shell)} == {
        (30, 5, "t")
    }


def test_dry_run_of_a_patch_changes_nothing() -> None:
    shell = with_jobs(2)
    ran = shell.ok("bulk", "patch", "--all", "--lane", "bulk", "--dry-run")
    assert ran.out.splitlines()[0] == "2 jobs to patch; nothing was changed"
    assert {each.lane for each in jobs(shell)} == {"standard"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--lane bulk", "which jobs? Give a filter"),
        ("--tag t", "nothing to change"),
        ("--tag t --clear tag", "'tag' is nothing that many jobs can have"),
        ("--tag t --clear max-attempts", "give one of"),
        ("--tag t --lane bulk --clear lane", "contradicts another option"),
        ("--tag t --max-attempts 2 --clear retry", "contradicts another option"),
        ("--tag t --timeout soon", "is no duration"),
        ("--tag t --add-tag= --yes", "empty"),
        ("--tag t --cron @daily", "No such option"),
    ],
)
def test_patch_that_cannot_be_meant_sends_nothing(words: str, said: str) -> None:
    shell = Shell()
    ran = shell.run("bulk", "patch", *words.split())
    assert (ran.code, ran.out, shell.deployment.sent) == (2, "", [])
    assert said in ran.err


def test_refused_patch_shows_the_member() -> None:
    shell = with_jobs(1)
    ran = shell.run("bulk", "patch", "--tag", "t", "--timeout", "10m", "--yes")
    assert ran.code == 6
    assert "/patch/timeout_seconds" in ran.err
