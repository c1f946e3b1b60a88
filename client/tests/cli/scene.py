"""A deployment in which every kind of object exists; one is made when its id is asked for."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from client.tests.cli.shell import Shell
from client.tests.sdk.deployment import HOOK
from shared.domain.dead_letters.parked_message import park
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.schedules.own_calendar import SHARED_OWNER, OwnCalendar
from shared.domain.triggers.event_source import EventRoute, EventSource
from shared.names import QueueName
from tests.support.api.request_factory import ALL_SCOPES
from tests.support.usecases.reports import async_accepted

GONE = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
RECURRING = ("create", "--url", HOOK, "--every", "1h", "--start-at", "2025-02-01T00:00:00Z", "--tag", "t")
DIAMOND: dict[str, Any] = {
    "name": "a diamond",
    "tasks": [
        {"key": key, "after": after, "request": {"url": HOOK}}
        for key, after in (("top", []), ("left", ["top"]), ("right", ["top"]), ("join", ["left", "right"]))
    ],
}


@dataclass
class Scene:
    """Its properties are the words in braces of a command line, such as `get {job}`."""

    shell: Shell = field(default_factory=Shell)

    @property
    def hook(self) -> str:
        """The URL of a receiver."""
        return HOOK

    @cached_property
    def job(self) -> Any:
        """A recurring job that anyone can change; commands with a filter find it by its tag `t`."""
        job = self.shell.json(*RECURRING, "--name", "a name")["id"]
        self.shell.deployment.world.world.clock.time_ms += 1_000
        return job

    @cached_property
    def key(self) -> str:
        """The key of a job."""
        self.shell.ok(*RECURRING, "--key", "a.key")
        return "a.key"

    @cached_property
    def calendar(self) -> str:
        """A calendar that no job names."""
        self.shell.ok("calendars", "put", "plant", "--out", "2030-12-24")
        return "plant"

    @cached_property
    def account(self) -> str:
        """An account of AWS whose events are for the tenant."""
        routes = (EventRoute(source_prefix="shop.", tenant_id="acme"),)
        source = EventSource(account="111122223333", version=0, changed_at=0, routes=routes)
        self.shell.deployment.world.world.cases.triggers.event_sources.put(source)
        return source.account

    @cached_property
    def shared(self) -> str:
        """A calendar of the operators."""
        calendars = self.shell.deployment.world.world.cases.tenancy.calendars
        calendars.put(SHARED_OWNER, OwnCalendar(name="deployments", version=0, changed_at=0))
        return "deployments"

    @cached_property
    def trigger(self) -> str:
        """A trigger of the source `shop`."""
        self.shell.ok("triggers", "put", "orders", "--job", self.job, "--pattern", '{"source": ["shop"]}')
        return "orders"

    @cached_property
    def parked(self) -> str:
        """A message that could not be handled."""
        world = self.shell.deployment.world.world
        message = park("message-1", QueueName.STANDARD, "?", "no JSON", world.clock.time_ms)
        world.parked_messages.park(message)
        return message.id

    @cached_property
    def accepted(self) -> str:
        """An execution whose receiver has answered 202 and reports; the token is in the environment."""
        sender = self.shell.deployment.world.world.sender
        sender.answer_to = async_accepted
        self.shell.ok("create", "--url", HOOK, "--delay", "0")
        self.shell.deployment.sleep(2)
        headers = dict(sender.calls[0].callback.headers)
        self.shell.environ["PUNCTUAL_CALLBACK_TOKEN"] = headers["X-Callback-Token"]
        return headers["webhook-id"]

    @cached_property
    def run(self) -> Any:
        """An execution that has succeeded."""
        return self.shell.json("trigger", self.job, "--wait")[0]["id"]

    @cached_property
    def dead(self) -> Any:
        """An execution that has failed for good."""
        sender = self.shell.deployment.world.world.sender
        before, sender.answer_to = sender.answer_to, lambda _: GONE
        ran = self.shell.run("trigger", self.job, "--wait", "--json")
        sender.answer_to = before
        return ran.json[0]["id"]

    @cached_property
    def once(self) -> Any:
        """A one-off job that has not started."""
        return self.shell.json("create", "--url", HOOK, "--delay", "1d")["id"]

    @cached_property
    def waiting(self) -> Any:
        """The redrive of an execution, which has not started."""
        return self.shell.json("run", "redrive", self.dead)["id"]

    @cached_property
    def redrive(self) -> Any:
        """A bulk redrive."""
        assert self.dead
        return self.shell.json("dead", "redrive", "--yes")["id"]

    @cached_property
    def workflow(self) -> str:
        """A workflow with four tasks."""
        return str(self.shell.json("workflows", "create", "-", stdin=json.dumps(DIAMOND))["id"])

    @property
    def workflow_key(self) -> str:
        """The key of a workflow."""
        return str(self.shell.json("workflows", "put", "shop.order", "-", stdin=json.dumps(DIAMOND))["key"])

    @cached_property
    def workflow_run(self) -> str:
        """A run of it that has begun."""
        return str(self.shell.json("workflows", "start", self.workflow)["id"])

    @cached_property
    def cancelled_run(self) -> str:
        """A run of it that was cancelled."""
        self.shell.ok("run", "cancel", self.workflow_run)
        return self.workflow_run

    @cached_property
    def search(self) -> Any:
        """A search of executions."""
        return self.shell.json("searches", "create", "--since", "24h")["id"]

    @cached_property
    def other_key(self) -> Any:
        """A key that an administrator has made."""
        return self.shell.json("keys", "create", "--scope", "read")["id"]

    @cached_property
    def secret(self) -> Any:
        """A signing secret beside which there is a new one."""
        [old] = self.shell.json("secrets", "list")
        self.shell.ok("secrets", "rotate")
        return old["id"]

    @cached_property
    def tenant_key(self) -> Any:
        """A key of a tenant that an operator has made."""
        return self.shell.json("admin", "keys", "create", "acme", "--scope", "read")["id"]

    @cached_property
    def tenant_secret(self) -> Any:
        """A signing secret of a tenant beside which there is a new one."""
        [old] = self.shell.json("admin", "secrets", "list", "acme")
        self.shell.ok("admin", "secrets", "rotate", "acme")
        return old["id"]

    @cached_property
    def suspended(self) -> str:
        """A tenant that can be deleted."""
        self.shell.ok("admin", "tenants", "create", "third")
        self.shell.ok("admin", "tenants", "change", "third", "--state", "suspended")
        self.shell.deployment.world.world.clock.time_ms += 600_000
        return "third"

    @cached_property
    def deleted(self) -> str:
        """A tenant whose deletion was asked for."""
        line = ("admin", "tenants", "delete", self.suspended, "--asked-by", "TICKET-1")
        self.shell.ok(*line, "--confirm", self.suspended)
        return self.suspended

    @cached_property
    def task(self) -> Any:
        """A deletion in bulk that can be cancelled and undone."""
        assert self.job
        return self.shell.json("delete", "--tag", "t", "--yes")["id"]

    def administer(self) -> None:
        """Let the commands use a key with every scope."""
        world = self.shell.deployment.world.world
        self.shell.key = world.create_tenant.execute("second", ALL_SCOPES).api_key

    def operate(self) -> None:
        """Let the commands use an operator's key."""
        self.shell.key = self.shell.deployment.world.world.create_tenant.operator().api_key

    def line(self, text: str) -> list[str]:
        """The words of a command line, with ids in the place of braces."""
        return [
            str(getattr(self, word[1:-1])) if word.startswith("{") and word.endswith("}") else word
            for word in text.split()
        ]
