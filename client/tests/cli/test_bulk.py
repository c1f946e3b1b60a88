"""Changes of many jobs: look, confirm, wait, undo hint."""

import json
from typing import Any

import httpx
import pytest

from client.tests.cli.shell import Shell
from client.tests.sdk.deployment import HOOK, Fate


def with_jobs(count: int, **options: Any) -> Shell:
    shell = Shell(**options)
    for number in range(count):
        shell.ok("create", "--url", HOOK, "--cron", "@daily", "--tag", "t", "--name", f"job {number}")
    shell.deployment.world.world.clock.time_ms += 1_000
    return shell


def states(shell: Shell) -> list[str]:
    terminal, shell.is_terminal = shell.is_terminal, False
    found = [each["state"] for each in shell.json("list", "--all")]
    shell.is_terminal = terminal
    return found


def test_dry_run_counts_and_changes_nothing() -> None:
    shell = with_jobs(3)
    ran = shell.ok("pause", "--tag", "t", "--dry-run")
    assert ran.out.splitlines()[0] == "3 jobs to pause; nothing was changed"
    assert "job 2" in ran.out
    assert states(shell) == ["active"] * 3
    assert shell.json("pause", "--tag", "t", "--dry-run")["count"] == 3


def test_filter_pauses_resumes_and_deletes_with_yes() -> None:
    shell = with_jobs(3)
    ran = shell.ok("pause", "--tag", "t", "--yes", "--reason", "moving", "--json")
    assert (ran.json["state"], ran.json["counts"]["done"]) == ("finished", 3)
    assert f"punctual bulk undo {ran.json['id']}" in ran.err
    assert states(shell) == ["paused"] * 3
    shell.ok("resume", "--state", "paused", "--yes", "--rate", "50")
    assert states(shell) == ["active"] * 3
    shell.ok("delete", "--all", "--yes", "--grace", "0")
    assert not [each for each in states(shell) if each not in ("deleted", "deleting")]


@pytest.mark.parametrize(
    "option", ["--tag", "--set", "--state", "--kind", "--name", "--created-from", "--created-to"]
)
@pytest.mark.parametrize("action", ["pause", "resume", "trigger", "delete"])
def test_empty_filter_changes_nothing(action: str, option: str) -> None:
    shell = Shell()
    for more in ((), ("--all",), ("--tag", "t")):
        ran = shell.run(action, *more, option, "", "--yes")
        assert (ran.code, ran.out, shell.deployment.sent) == (2, "", [])


def test_deletion_with_a_grace_is_not_waited_for_to_its_end() -> None:
    shell = with_jobs(2)
    ran = shell.ok("delete", "--tag", "t", "--yes", "--json")
    assert ran.json["state"] == "waiting"
    assert states(shell) == ["paused"] * 2


def test_jobs_that_are_so_already_are_left_out_of_the_count() -> None:
    shell = with_jobs(3)
    shell.ok("pause", "job 0")
    ran = shell.ok("pause", "--tag", "t", "--yes")
    assert "2 jobs to pause" in ran.err
    assert "1 job already so" in ran.err
    assert "no job to pause" in shell.ok("pause", "--tag", "t", "--yes").err


def test_without_a_terminal_yes_is_required() -> None:
    shell = with_jobs(2)
    ran = shell.run("delete", "--tag", "t")
    assert (ran.code, ran.out) == (2, "")
    assert "--yes" in ran.err
    assert "job 0" in ran.err
    assert states(shell) == ["active"] * 2


def test_count_is_typed_at_a_terminal() -> None:
    shell = with_jobs(7, is_terminal=True, width=100)
    refused = shell.run("pause", "--tag", "t", stdin="y\n")
    assert refused.code == 1
    assert "nothing was changed" in refused.err
    assert "7 jobs to pause" in refused.err
    assert refused.err.count("  job_") == 5
    assert "and 2 more" in refused.err
    assert states(shell) == ["active"] * 7
    assert shell.run("pause", "--tag", "t", stdin="7\n").code == 0
    assert states(shell) == ["paused"] * 7


@pytest.mark.parametrize("answer", ["", "\n", "6\n", "70\n", "seven\n", "7 jobs\n"])
def test_other_answers_change_nothing(answer: str) -> None:
    shell = with_jobs(7, is_terminal=True, width=100)
    assert shell.run("delete", "--tag", "t", stdin=answer).code == 1
    assert states(shell) == ["active"] * 7


def test_hostile_names_are_escaped_in_the_question() -> None:
    shell = Shell(is_terminal=True, width=100)
    shell.ok("create", "--url", HOOK, "--cron", "@daily", "--name", "[red]\u200bx")
    shell.deployment.world.world.clock.time_ms += 1_000
    ran = shell.run("pause", "--all", stdin="1\n")
    assert "[red]\\u200bx" in ran.err


def test_more_than_a_hundred_jobs_are_waited_for() -> None:
    shell = with_jobs(101)
    ran = shell.ok("trigger", "--tag", "t", "--yes", "--json")
    assert (ran.json["state"], ran.json["counts"]["done"]) == ("finished", 101)


def test_no_wait_returns_at_once() -> None:
    shell = with_jobs(2)
    slept = len(shell.deployment.slept)
    shell.ok("pause", "--tag", "t", "--yes", "--no-wait")
    assert len(shell.deployment.slept) == slept


def of_sets() -> Shell:
    """Two jobs of a set, one of another, and one without a set; each is created an hour after the last."""
    shell = Shell()
    with shell.deployment.client() as p:
        for key, set_ in (("a.1", "a"), ("a.2", "a"), ("b.1", "b")):
            p.jobs.put(key, url=HOOK, cron="@daily", set=set_)
            shell.deployment.world.world.clock.time_ms += 3_600_000
        p.jobs.create(url=HOOK, cron="@daily", name="loose")
    shell.deployment.world.world.clock.time_ms += 1_000
    return shell


def by_key(shell: Shell) -> dict[str, str]:
    return {each["key"] or each["name"]: each["state"] for each in shell.json("list", "--all")}


def test_set_is_a_filter_of_every_change_of_many_jobs() -> None:
    shell = of_sets()
    shell.ok("pause", "--set", "a", "--yes")
    assert by_key(shell) == {"a.1": "paused", "a.2": "paused", "b.1": "active", "loose": "active"}
    shell.ok("resume", "--set", "a", "--state", "paused", "--yes")
    shell.ok("bulk", "patch", "--set", "b", "--add-tag", "slow", "--yes")
    assert [each["key"] for each in shell.json("list", "--tag", "slow")] == ["b.1"]
    assert shell.json("trigger", "--set", "a", "--dry-run")["count"] == 2
    shell.ok("delete", "--set", "a", "--grace", "0", "--yes")
    assert set(by_key(shell).values()) == {"deleted", "active"}


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        (("--created-from", "90m"), ["b.1", "loose"]),
        (("--created-to", "90m"), ["a.1", "a.2"]),
        (("--created-from", "150m", "--created-to", "30m"), ["a.2", "b.1"]),
        (("--created-from", "150m", "--set", "a"), ["a.2"]),
    ],
)
def test_times_of_creation_are_filters(options: tuple[str, ...], keys: list[str]) -> None:
    shell = of_sets()
    shell.ok("pause", *options, "--yes")
    assert sorted(key for key, state in by_key(shell).items() if state == "paused") == keys


def test_age_is_the_same_instant_in_the_dry_run_and_in_the_operation() -> None:
    shell = of_sets()

    def late(_: httpx.Request) -> Fate:
        shell.deployment.world.world.clock.time_ms += 1_000
        return Fate.ANSWERED

    shell.deployment.fate = late
    shell.ok("pause", "--created-from", "90m", "--yes")
    posts = [json.loads(each.content) for each in shell.deployment.sent if each.url.path == "/v1/jobs/bulk"]
    assert [each.get("dry_run") for each in posts] == [True, None]
    assert posts[0]["filter"] == posts[1]["filter"]


def test_age_with_an_idempotency_key_is_refused_with_the_instant_to_send() -> None:
    shell = of_sets()
    sent = len(shell.deployment.sent)
    for command in ("pause", "trigger"):
        ran = shell.run(command, "--created-from", "90m", "--idempotency-key", "k", "--yes")
        assert (ran.code, len(shell.deployment.sent)) == (2, sent)
        assert "give an instant, such as --created-from 20" in ran.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--set", "-a"), "/filter/set"),
        (("--set", "a", "--kind", "once", "--grace", "0"), "a one-off job has no set"),
        (("--created-from", "yesterday"), "/filter/created_from"),
        (("--created-from", "1h", "--created-to", "2h"), "must be after created_from"),
    ],
)
def test_filter_that_makes_no_sense_is_refused_with_its_place(options: tuple[str, ...], words: str) -> None:
    shell = of_sets()
    ran = shell.run("delete", *options, "--yes")
    assert ran.code == 6
    assert words in ran.err
    assert set(by_key(shell).values()) == {"active"}
