"""Every command of the page with the sixteen tasks does its task, against the API in memory."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from client.tests.cli.shell import Ran, Shell
from client.tests.cli.test_replay import dead_letter
from client.tests.support.calls import NEW
from punctual import Punctual
from shared.domain.delivery.callback import CallbackResponse as Reply
from shared.domain.delivery.callback import Reason
from tests.support.api.request_factory import ALL_SCOPES
from tests.support.documents.blocks import blocks_of
from tests.support.sources import ROOT

PAGE = ROOT / "docs" / "guides" / "tasks.md"
ROW = re.compile(r"^\|\s*([0-9]*)\s*\| [^|]+ \| `(punctual .+)` \|$", re.MULTILINE)
COMMANDS = {int(number): command for number, command in ROW.findall(PAGE.read_text(encoding="utf-8"))}
TENANT = "shop"


class World:
    """A tenant with a job, a failure, a stored call and schedules of EventBridge; and an operator."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shell = Shell(
            environ={
                "XDG_CONFIG_HOME": str(folder),
                "PUNCTUAL_SIGNING_SECRET": NEW,
                "SLACK_URL": "https://hooks.slack.com/services/T0/B0/x",
            }
        )
        world = self.shell.deployment.world.world
        self.operator = str(world.create_tenant.operator().api_key)
        self.key = str(world.create_tenant.execute(TENANT, ALL_SCOPES).api_key)
        self.shell.key = self.key
        self.dead = dead_letter(self.shell).id
        self.running = self._running()
        self.client.jobs.create(
            name="nightly", tags=["billing"], url="https://example.com/hooks/report", cron="30 2 * * *"
        )
        schedule = (
            '{"GroupName": "default", "Name": "report", "ScheduleExpression": "cron(0 9 ? * MON-FRI *)",'
            ' "ScheduleExpressionTimezone": "Europe/Berlin", "State": "ENABLED", "Target": {"Arn": "a"}}'
        )
        (folder / "schedules.json").write_text(schedule)
        [steps] = [each for each in blocks_of(PAGE) if each.language == "json tasks"]
        (folder / "steps.json").write_text(steps.text)

    def _running(self) -> str:
        """An execution whose receiver has answered 202, with the token of its call in the environment."""
        sender = self.shell.deployment.world.world.sender
        sender.answer_to = lambda _: Reply(reason=Reason.OK, duration_ms=5, status=202, async_accepted=True)
        job = self.client.jobs.create(url="https://example.com/hooks/long", delay_seconds=0)
        self.shell.deployment.sleep(30)
        headers = dict(sender.calls[-1].callback.headers)
        self.shell.environ["PUNCTUAL_CALLBACK_TOKEN"] = headers["X-Callback-Token"]
        return job.id.replace("job_", "exe_")

    @property
    def client(self) -> Punctual:
        return self.shell.deployment.client(self.key)

    def run(self, command: str) -> Ran:
        """Run a command of the page."""
        words = shlex.split(command.replace("acme", TENANT).replace("exe_…", self.running))[1:]
        self.shell.key = self.operator if words[0] == "admin" else self.key
        ran = self.shell.ok(*words)
        self.shell.deployment.sleep(180)
        return ran


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.chdir(tmp_path)
    yield World(tmp_path)


def workflow(world: World) -> Any:
    [found] = world.client.workflows.iterate()
    return world.client.workflows.get(found)


def job(world: World, name: str) -> object:
    [found] = [each for each in world.client.jobs.iterate(q=name) if each.name == name]
    return found


def verified(world: World, ran: Ran) -> bool:
    """Whether the secret was written alone, and signs the sample, which is genuine for the old secret, too."""
    world.shell.environ["PUNCTUAL_SIGNING_SECRET"] = ran.out.strip()
    by_new = world.shell.run("verify", "request.http", "--tolerance", "600")
    world.shell.environ["PUNCTUAL_SIGNING_SECRET"] = NEW
    by_old = world.shell.run("verify", "request.http", "--tolerance", "600")
    said = (
        "request.http: genuine by the new secret\nrequest.http is signed by PUNCTUAL_SIGNING_SECRET as well\n"
    )
    return ran.out.startswith("whsec_") and said in ran.err and (by_new.code, by_old.code) == (0, 0)


def is_deleted(world: World, ran: Ran) -> bool:
    """Whether the tenant is suspended, and its deletion is under way."""
    with world.shell.deployment.client(world.operator) as operator:
        tenant, deletion = operator.admin.tenants.get(TENANT), operator.admin.tenants.deletion(TENANT)
    return tenant.state == "suspended" and deletion.asked_by == "ticket-17" and "waiting" in ran.out


CHECKS: dict[int, Callable[[World, Ran], bool]] = {
    1: lambda world, ran: "pending" in ran.out,
    2: lambda world, ran: job(world, "standup").schedule.cron == "0 9 * * 1-5",  # type: ignore[attr-defined]
    3: lambda world, ran: "payroll" in ran.out and "DE business day -1" in ran.out,
    4: lambda world, ran: job(world, "poll").schedule.rate_seconds == 5,  # type: ignore[attr-defined]
    5: lambda world, ran: job(world, "nightly").state in ("pausing", "paused"),  # type: ignore[attr-defined]
    6: lambda world, ran: len(ran.out.splitlines()) >= 1,
    7: lambda world, ran: ran.out.count("02:30:00") == 10,
    8: lambda world, ran: world.client.executions.get(world.dead).state == "failed" and "running" in ran.out,
    9: verified,
    10: lambda world, ran: world.client.executions.get(world.running).state == "succeeded",
    11: lambda world, ran: [each.after for each in workflow(world).tasks] == [(), ("a",)],
    12: lambda world, ran: "lambda-url" in ran.out,
    13: lambda world, ran: world.client.jobs.get(job(world, "nightly")).alerts is not None,  # type: ignore[arg-type]
    14: is_deleted,
    15: lambda world, ran: (
        [each.key for each in world.client.jobs.iterate(set="eventbridge")] == ["eventbridge.default:report"]
        and "same: default:report" in ran.err
    ),
    16: lambda world, ran: "failed" in ran.out,
}
"""What is true after the command of a task."""


def test_page_has_one_command_for_each_of_sixteen_tasks() -> None:
    rows = re.findall(r"^\| *([0-9]*) *\|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == ["", *map(str, range(1, 17))]
    assert list(COMMANDS) == list(range(1, 17))
    assert not [command for command in COMMANDS.values() if re.search("[|;&>]", command)]


@pytest.mark.parametrize("number", CHECKS)
def test_command_of_a_task_does_it(world: World, number: int) -> None:
    ran = world.run(COMMANDS[number])
    assert CHECKS[number](world, ran), ran
