"""`--idempotency-key`: each command whose request has a key takes it, and the same command takes effect once."""

import re
from typing import Any

import pytest

from client.tests.cli.commands import commands
from client.tests.cli.shell import Shell
from client.tests.cli.test_contract import REACHED
from client.tests.cli.worlds import create, failed
from client.tests.sdk.deployment import Deployment, Fate
from punctual import _operations
from punctual._operation import Operation, Repeat
from punctual.cli.exits import Exit

DAY = ("--since", "2025-02-01T00:00:00Z", "--until", "2025-12-01T00:00:00Z")
KEYED = sorted(
    each.id
    for each in vars(_operations).values()
    if isinstance(each, Operation) and each.repeat is Repeat.KEY
)
"""The operations that take an Idempotency-Key."""
OPTION = "--idempotency-key"


def world() -> tuple[Shell, str]:
    """A deployment with dead letters and a recurring job, whose id is returned as well."""
    shell, _ = failed(2, tags=["t"])
    job = create(shell, cron="@hourly", tags=["t"])
    shell.deployment.sleep(3 * 86_400)
    return shell, job.id


def lost(deployment: Deployment) -> None:
    """From now on no request that takes effect is answered."""
    deployment.fate = lambda request: (
        Fate.ANSWER_LOST
        if request.method == "POST" and b'"dry_run":true' not in request.content
        else Fate.ANSWERED
    )


@pytest.mark.parametrize("operation", KEYED)
def test_command_of_each_operation_with_a_key_has_the_option(operation: str) -> None:
    words = REACHED[operation].split()
    [command] = [each for each in commands() if list(each.names) == words[: len(each.names)]]
    assert OPTION in command.flags


COMMANDS = [
    "dead redrive --since 7d --yes",
    "searches create --since 90d",
    "backfill {job} --from 1d --to 1h",
    "pause --tag t --yes --no-wait",
    "bulk patch --tag t --lane bulk --yes --no-wait",
    "trigger --tag t --yes --no-wait",
    "delete --tag t --kind cron --yes --no-wait",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_command_whose_answer_was_lost_is_repeated_by_the_options_that_are_shown(line: str) -> None:
    shell, job = world()
    words = line.format(job=job).split()
    lost(shell.deployment)
    ran = shell.run(*words)
    assert ran.code == Exit.UNAVAILABLE
    [options] = re.findall(r"the same command takes effect once: (.+)\n", ran.err)
    acted = shell.deployment.sent[-1].headers["idempotency-key"]
    assert options.split()[-2:] == [OPTION, acted]
    shell.deployment.fate = lambda _: Fate.ANSWERED
    before = listed(shell)
    # The clock has gone on, and the options stand for the instants that were sent.
    first, second = (shell.json(*words, *options.split())["id"] for _ in range(2))
    assert (first, listed(shell)) == (second, before)


def listed(shell: Shell) -> tuple[Any, ...]:
    """The ids of all that the commands create."""
    shell.deployment.sleep(1)
    redriven = [each["redriven_by"] for each in shell.json("dead", "list")]
    lists = (shell.json(*words) for words in (("list",), ("bulk", "list"), ("searches", "list")))
    return (*redriven, *([each["id"] for each in found] for found in lists))


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("dead redrive --since 24h --yes", "--since 20"),
        ("dead redrive --until 1h --yes", "--until 20"),
        ("searches create --since 90d", "--since 20"),
        ("backfill {job} --from 7d --to 2025-02-20T00:00:00Z", "--from 20"),
        ("backfill {job} --from 2025-02-20T00:00:00Z --to 1h", "--to 20"),
    ],
)
def test_time_ago_beside_a_key_is_refused_with_an_instant_to_give(line: str, hint: str) -> None:
    shell, job = world()
    ran = shell.run(*line.format(job=job).split(), OPTION, "k")
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert f"give an instant, such as {hint}" in ran.err
    assert not [
        each for each in shell.deployment.sent[-1:] if each.method == "POST" and "redrive" in each.url.path
    ]


@pytest.mark.parametrize(
    "line",
    [
        ("dead", "redrive", *DAY, "--rate", "5", "--yes"),
        ("dead", "redrive", "--yes"),
        ("searches", "create", *DAY[:2]),
        ("pause", "--tag", "t", "--yes"),
        ("trigger", "--tag", "t", "--yes"),
    ],
)
def test_same_command_with_the_same_key_has_the_same_result(line: tuple[str, ...]) -> None:
    shell, _ = world()
    first = shell.json(*line, OPTION, "k")["id"]
    before = listed(shell)
    assert (shell.json(*line, OPTION, "k")["id"], listed(shell)) == (first, before)
    other = shell.run(*line, OPTION, "other", "--json")
    assert other.code == Exit.OK and other.json["id"] != first


def test_same_key_for_another_command_is_a_conflict() -> None:
    shell, _ = world()
    shell.ok("pause", "--tag", "t", "--yes", OPTION, "k")
    ran = shell.run("resume", "--tag", "t", "--yes", OPTION, "k")
    assert (ran.code, "use another key" in ran.err) == (Exit.CONFLICT, True)


def test_redrive_of_nothing_makes_no_task_with_a_key_either() -> None:
    shell = Shell()
    assert shell.ok("dead", "redrive", "--yes", OPTION, "k").err == "there is nothing to redrive\n"
    assert shell.deployment.paths == ["POST /v1/dead-letters/redrive"]


@pytest.mark.parametrize("action", ["pause", "resume", "delete"])
def test_key_for_jobs_that_are_named_is_refused(action: str) -> None:
    shell = Shell()
    ran = shell.run(action, "nightly", OPTION, "k")
    assert (ran.code, shell.deployment.sent) == (Exit.USAGE, [])
    assert "--idempotency-key is for many jobs, chosen by a filter" in ran.err
