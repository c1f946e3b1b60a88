"""The local stack: starts it, and gives scripts and tests access to the deployed functions."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.components.function_specs import LIVE
from infra.local.api import Api
from infra.local.assembly import read_assembly
from infra.local.clients import ACCOUNT, CREDENTIALS, REGION, Clients
from infra.local.clock_offset import clock_variables
from infra.local.deploy import Deployment, deploy, describe, exists
from infra.local.emulator import START_SECONDS, Emulator
from infra.local.faults import Faults
from infra.local.front_door import FrontDoor
from infra.local.prewarm import tick, warm
from infra.local.progress import Report, silent
from infra.local.state_dir import PROJECT_ROOT, LocalStackError, StateDir
from infra.local.synthesise import assembly
from shared.names import Env


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A tenant and its secrets, which the API shows only once."""

    name: str
    api_key: str
    signing_secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalStack:
    emulator: Emulator
    clients: Clients
    deployment: Deployment
    front_door: FrontDoor

    @property
    def endpoint(self) -> str:
        return self.emulator.endpoint

    @property
    def clock_offset(self) -> int:
        """The seconds by which the stack's clock is ahead of this machine's; negative if it is behind."""
        return self.emulator.clock_offset

    @property
    def outputs(self) -> Mapping[str, str]:
        """The stacks' outputs: `ExecutionsTableName`, `StandardQueueUrl`, `KmsKeyId` and so on."""
        return self.deployment.outputs

    @property
    def functions(self) -> dict[str, str]:
        """Function names by service, such as `api`, `watcher`, `executor-standard` and `dead-letter`."""
        return {
            re.sub(r"(?<!^)(?=[A-Z])", "-", output.removesuffix("FunctionName")).lower(): name
            for output, name in self.outputs.items()
            if output.endswith("FunctionName")
        }

    @property
    def api_url(self) -> str:
        """The API's URL for every client: the front door."""
        return self.front_door.url

    def api(self, key: str | None = None) -> Api:
        """Return a client of the API, with a tenant's key or unauthenticated."""
        return Api(port=self.emulator.port, host=_api_host(self.deployment), key=key)

    def client(self, service: str) -> Any:
        return self.clients.client(service)

    def invoke(self, function: str, event: Any) -> Any:
        """Invoke a function by service, name or ARN, and wait; LocalStackError if it fails."""
        name = f"{self.functions[function]}:{LIVE}" if function in self.functions else function
        response = self.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event).encode())
        payload = json.loads(response["Payload"].read() or b"null")
        if "FunctionError" in response:
            raise LocalStackError(f"function {name} failed: {json.dumps(payload)[:2000]}")
        return payload

    def tick(self) -> None:
        """Run one tick of all scheduled functions now."""
        tick(self.clients, self.invoke)

    def worker_pids(self, service: str) -> list[int]:
        """Return the processes of a function, including idle processes."""
        return self.emulator.workers(self.functions[service])

    def kill_workers(self, service: str) -> None:
        """Kill the processes of a function, as a crash would."""
        for pid in self.worker_pids(service):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def executor_pids(self, lane: str = "standard") -> list[int]:
        return self.worker_pids(f"executor-{lane}")

    def environment(self, service: str = "api") -> dict[str, str]:
        """Return the environment to run a function's code outside the emulator, against this stack."""
        name = self.functions[service]
        configuration = self.client("lambda").get_function_configuration(FunctionName=name)
        variables: dict[str, str] = configuration["Environment"]["Variables"]
        aws = CREDENTIALS | {"AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": self.endpoint}
        return variables | aws | clock_variables(self.clock_offset) | _run_variables(self.front_door)

    def create_tenant(self, name: str, *, scopes: str = "read,write") -> Tenant:
        output = self.admin("create-tenant", name, "--scopes", scopes)
        return Tenant(name=name, api_key=output["api_key"], signing_secret=output["signing_secret"])

    def admin(self, *arguments: str) -> Any:
        """Run an operator command with the api function's settings and return its output.

        LocalStackError on failure.
        """
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
        result = subprocess.run(  # noqa: S603 - no external input
            [sys.executable, "-m", "functions.admin", *arguments],
            cwd=PROJECT_ROOT,
            env=inherited | self.environment() | {"NO_PROXY": "*", "no_proxy": "*"},
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode:
            raise LocalStackError(f"{' '.join(arguments)} failed: {result.stderr[-2000:]}")
        return json.loads(result.stdout)


@contextmanager
def local_stack(
    root: Path | None = None,
    *,
    fresh: bool = False,
    emulator_port: int | None = None,
    api_port: int = 0,
    faults: Faults | None = None,
    clock_offset: int = 0,
    warm_up: bool = True,
    report: Report = silent,
) -> Iterator[LocalStack]:
    """Start the emulator with a state directory, deploy the stacks if necessary, and warm up.

    Stop at the end. Reuses the state of an earlier run, and its emulator's port, unless `fresh`. `api_port` is
    the port of the front door, 0 for a free one; `faults` happen to requests there; `clock_offset` seconds are
    added to the clock of the emulator and the functions; `report` is told of each phase. Raises LocalStackError.
    """
    home = StateDir(root) if root is not None else StateDir()
    with FrontDoor(port=api_port, faults=faults, clock_offset=clock_offset) as front_door:
        variables = _run_variables(front_door)
        emulator = Emulator(home, port=emulator_port, clock_offset=clock_offset, variables=variables)
        try:
            report("starting the AWS emulator")
            emulator.start(fresh=fresh)
            clients = Clients(emulator.endpoint)
            deployment = _ensure_deployed(home, clients, report)
            stack = LocalStack(
                emulator=emulator, clients=clients, deployment=deployment, front_door=front_door
            )
            front_door.open(
                port=emulator.port, host=_api_host(deployment), kill_worker=lambda: stack.kill_workers("api")
            )
            if warm_up:
                report("starting the functions and running the ticks that were missed")
                warm(clients, stack.invoke, lambda: _await_health(stack))
            yield stack
        finally:
            emulator.stop()


def _run_variables(front_door: FrontDoor) -> dict[str, str]:
    """The functions' variables that may differ between two runs of one deployment: the port of the front door does."""
    return {Env.CONSOLE_ORIGIN: front_door.url, Env.TOKEN_ISSUER: front_door.url}


def _await_health(stack: LocalStack) -> None:
    stack.api().request("GET", "/v1/health", timeout=START_SECONDS)


def _api_host(deployment: Deployment) -> str:
    """Return the emulator's name of the API: `<id>.execute-api.localhost:<port>`."""
    return deployment.outputs["ApiUrl"].rstrip("/").partition("//")[2]


def _ensure_deployed(home: StateDir, clients: Clients, report: Report) -> Deployment:
    """Deploy the current assembly unless the restored state already contains it."""
    directory = assembly(report)
    stacks = read_assembly(directory, account=ACCOUNT, region=REGION)
    names = [stack.name for stack in stacks]
    deployed = all(exists(name, clients) for name in names)
    if not deployed or home.read("deployed.json").get("assembly") != directory.name:
        deploy(stacks, clients, report)
        home.write("deployed.json", {"assembly": directory.name})
    return describe(names, clients)
