"""Every command of the page with the sixteen tasks does its task, against the API in memory."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.tests.cli.shell import Ran, Shell
from client.tests.cli.test_replay import dead_letter
from client.tests.support.calls import NEW, headers_of
from punctual import Punctual
from shared.domain.delivery.callback import CallbackResponse as Reply
from shared.domain.delivery.callback import Reason
from tests.support.api.request_factory import ALL_SCOPES
from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "guides" / "tasks.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\|\s*([0-9]*)\s*\| [^|]+ \| `(punctual .+)` \|$", re.MULTILINE)
COMMANDS: list[tuple[int, str]] = []
for number, command in ROW.findall(PAGE):
    COMMANDS.append((int(number) if number else COMMANDS[-1][0], command))
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
        headers = headers_of(b"{}", at=int(self.shell.deployment.runtime.now().timestamp()))
        lines = ["POST /hooks HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", "{}"]
        (folder / "request.http").write_text("\n".join(lines))
        schedule = (
            '{"GroupName": "default", "Name": "report", "ScheduleExpression": "cron(0 9 ? * MON-FRI *)",'
            ' "ScheduleExpressionTimezone": "Europe/Berlin", "State": "ENABLED", "Target": {"Arn": "a"}}'
        )
        (folder / "schedules.json").write_text(schedule)

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
        """Run a command of the page; what goes to a file goes into the folder."""
        words = shlex.split(command.replace("acme", TENANT).replace("exe_…", self.running))[1:]
        self.shell.key = self.operator if words[0] == "admin" else self.key
        target = words[words.index(">") + 1] if ">" in words else None
        ran = self.shell.ok(*(words[: words.index(">")] if target else words))
        self.shell.deployment.sleep(180)
        if target:
            (self.folder / target).write_text(ran.out)
        return ran


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.chdir(tmp_path)
    yield World(tmp_path)


def job(world: World, name: str) -> object:
    [found] = [each for each in world.client.jobs.iterate(q=name) if each.name == name]
    return found


CHECKS: dict[int, Callable[[World, list[Ran]], bool]] = {
    1: lambda world, ran: "pending" in ran[0].out,
    2: lambda world, ran: job(world, "standup").schedule.cron == "0 9 * * 1-5",  # type: ignore[attr-defined]
    3: lambda world, ran: "payroll" in ran[0].out and "DE business day -1" in ran[0].out,
    4: lambda world, ran: job(world, "poll").schedule.rate_seconds == 5,  # type: ignore[attr-defined]
    5: lambda world, ran: job(world, "nightly").state in ("pausing", "paused"),  # type: ignore[attr-defined]
    6: lambda world, ran: len(ran[0].out.splitlines()) >= 1,
    7: lambda world, ran: ran[0].out.count("02:30:00") == 10,
    8: lambda world, ran: (
        world.client.executions.get(world.dead).state == "failed" and "running" in ran[0].out
    ),
    9: lambda world, ran: ran[0].out.startswith("whsec_") and ran[1].out.startswith("genuine"),
    10: lambda world, ran: world.client.executions.get(world.running).state == "succeeded",
    11: lambda world, ran: "on_success" in ran[0].out or "next" in ran[0].out,
    12: lambda world, ran: "lambda-url" in ran[0].out,
    13: lambda world, ran: world.client.jobs.get(job(world, "nightly")).alerts is not None,  # type: ignore[arg-type]
    14: lambda world, ran: "ticket-17" in ran[-1].out,
    15: lambda world, ran: [each.key for each in world.client.jobs.iterate(set="eventbridge")] != [],
    16: lambda world, ran: "failed" in ran[0].out,
}
"""What is true after the commands of a task."""


def test_page_has_sixteen_tasks() -> None:
    assert sorted({number for number, _ in COMMANDS}) == list(range(1, 17))


@pytest.mark.parametrize("number", CHECKS)
def test_commands_of_a_task_do_it(world: World, number: int) -> None:
    ran = [world.run(command) for task, command in COMMANDS if task == number]
    assert CHECKS[number](world, ran), ran
