"""What the steps of the smoke suite share: one deployed stage, its probe and the tenants of this run."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from infra.config import StageConfig
from infra.local.calls import Call
from tests.smoke.http_client import Site
from tests.smoke.receivers import Calls

T = TypeVar("T")
POLL_SECONDS = 0.5


class DeploymentTarget(Protocol):
    """Where the stage is deployed: an account of AWS, or the emulator."""

    @property
    def emulated(self) -> bool: ...

    @property
    def stage(self) -> StageConfig: ...

    @property
    def account(self) -> str: ...

    @property
    def reuses(self) -> bool:
        """Whether the stage existed before the run: its stacks then outlive the run."""
        ...

    def client(self, service: str) -> Any:
        """A client of boto3."""
        ...

    def stacks(self) -> list[str]:
        """The stacks of the stage and of its probe that exist."""
        ...

    def preflight(self) -> list[str]:
        """A sentence for each reason against a deployment."""
        ...

    def deploy(self) -> None:
        """Deploy both stacks of the checkout; SmokeError with the cause."""
        ...

    def deploy_from(self, folder: Path) -> None:
        """Deploy another checkout at once, as a rollback does; SmokeError with the cause."""
        ...

    def adopt(self, tables: Mapping[str, str], sweep_from: datetime, topic: str) -> None:
        """Let restored tables take the place of the present ones, and make them part of the unprotected stage."""
        ...

    def changes(self) -> str:
        """What a second deployment would change; empty for nothing."""
        ...

    def outputs(self) -> Mapping[str, str]: ...

    def admin(self, *arguments: str) -> Any:
        """Run a command of the operators, and return its output."""
        ...

    def environment(self) -> dict[str, str]:
        """The variables with which a process uses the same account."""
        ...

    def teardown(self) -> None:
        """Delete both stacks, once no deployment is at work."""
        ...


class SmokeError(Exception):
    """A step cannot go on. The message is for the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much the steps do: all that is asked of AWS, or as much as shows that they work."""

    spread_jobs: int = 300
    spread_seconds: int = 180
    burst_jobs: int = 1_000
    burst_tenants: int = 200
    retries: int = 20
    load_per_second: int = 20
    fair_backlog: int = 400


SMALL = Size(
    spread_jobs=12,
    spread_seconds=6,
    burst_jobs=20,
    burst_tenants=3,
    retries=4,
    load_per_second=2,
    fair_backlog=40,
)


@dataclass(slots=True)
class World:
    target: DeploymentTarget
    receiver: Calls
    probe: Mapping[str, str]
    """The outputs of the probe's stack."""
    size: Size = field(default_factory=Size)
    run: str = field(default_factory=lambda: uuid4().hex[:8])
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    _outputs: dict[str, str] = field(default_factory=dict)

    @property
    def outputs(self) -> Mapping[str, str]:
        if not self._outputs:
            self._outputs = dict(self.target.outputs())
        return self._outputs

    def site(self, key: str | None = None) -> Site:
        return Site(self.outputs["ApiUrl"].rstrip("/"), key)

    def tenant(self, name: str) -> "Tenant":
        """A new tenant, whose name is unique to this run."""
        name = f"smoke-{self.run}-{name}"
        made = self.target.admin("create-tenant", name, "--scopes", "read,write,admin")
        return Tenant(self, name, self.site(made["api_key"]), made["signing_secret"])

    def path(self, name: str) -> str:
        """A path of the receiver that no other step uses; settings such as `/status-503` may follow."""
        return f"/{self.run}/{name}"

    def invoke(self, output: str, event: Any) -> Any:
        """Invoke the live version of the function that an output names."""
        answer = self.target.client("lambda").invoke(
            FunctionName=f"{self.outputs[output]}:live", Payload=json.dumps(event).encode()
        )
        payload = json.loads(answer["Payload"].read() or b"null")
        if "FunctionError" in answer:
            raise SmokeError(f"{output} failed: {str(payload)[:400]}")
        return payload

    def function_names(self) -> dict[str, str]:
        return {
            output.removesuffix("FunctionName"): name
            for output, name in self.outputs.items()
            if output.endswith("FunctionName")
        }


@dataclass(frozen=True, slots=True)
class Tenant:
    world: World
    id: str
    site: Site
    signing_secret: str

    def create(self, schedule: dict[str, Any], path: str, **more: Any) -> dict[str, Any]:
        """A job that calls the receiver."""
        job = self.job(schedule, path, **more)
        made: dict[str, Any] = self.site.asked("POST", "/v1/jobs", job, status=201)
        return made

    def job(self, schedule: dict[str, Any], path: str, **more: Any) -> dict[str, Any]:
        request = {"url": f"{self.world.receiver.url}{path}", "json": {}}
        return {"schedule": schedule, "request": request, **more}

    def create_many(self, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The jobs as they were created; SmokeError if any was refused."""
        made: list[dict[str, Any]] = []
        for first in range(0, len(jobs), 100):
            answer = self.site.asked("POST", "/v1/jobs/batch", {"jobs": jobs[first : first + 100]})
            refused = [result for result in answer["results"] if result["status"] != 201]
            if refused:
                raise SmokeError(f"{len(refused)} jobs were refused, first {refused[0]}")
            made += [result["job"] for result in answer["results"]]
        return made

    def job_of(self, made: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.site.asked("GET", f"/v1/jobs/{made['id']}")
        return found

    def executions(self, made: Mapping[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.site.asked("GET", f"/v1/jobs/{made['id']}/executions?limit=100")[
            "executions"
        ]
        return found


def until(
    ask: Callable[[], T], is_so: Callable[[T], bool], seconds: float, *, poll: float = POLL_SECONDS
) -> T:
    """The first answer that is so, or the last one when the time is over."""
    ends = time.monotonic() + seconds
    while not is_so(found := ask()) and time.monotonic() < ends:
        time.sleep(poll)
    return found


def arrived(world: World, path: str, count: int, seconds: float) -> list[Call]:
    """The calls of a path, once there are as many, or those that came in time."""
    return until(lambda: world.receiver.calls(path), lambda calls: len(calls) >= count, seconds)


def instant(seconds: float) -> str:
    """The instant in so many seconds, as the API takes it."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
