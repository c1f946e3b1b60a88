"""The laptop stack as a value: everything that a script or a test needs to drive the deployed handlers."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.api import Api
from infra.local.assembly import read_assembly
from infra.local.clients import ACCOUNT, CREDENTIALS, REGION, Clients
from infra.local.deploy import Deployment, deploy, describe, exists
from infra.local.emulator import START_SECONDS, Emulator
from infra.local.prewarm import tick, warm
from infra.local.state_dir import PROJECT_ROOT, LocalStackError, StateDir
from infra.local.synthesise import assembly


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A tenant and the secrets that are shown once."""

    name: str
    api_key: str
    signing_secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalStack:
    """A running laptop stack."""

    emulator: Emulator
    clients: Clients
    deployment: Deployment

    @property
    def endpoint(self) -> str:
        """The URL of every AWS service."""
        return self.emulator.endpoint

    @property
    def outputs(self) -> Mapping[str, str]:
        """The stacks' outputs: `ExecutionsTableName`, `StandardQueueUrl`, `KmsKeyId` and so on."""
        return self.deployment.outputs

    @property
    def functions(self) -> dict[str, str]:
        """Function names by service: `api`, `watcher`, `sweeper`, `executor-standard`, `dead-letter` and so on."""
        return {
            re.sub(r"(?<!^)(?=[A-Z])", "-", output.removesuffix("FunctionName")).lower(): name
            for output, name in self.outputs.items()
            if output.endswith("FunctionName")
        }

    @property
    def api_url(self) -> str:
        """The API by the host name that the emulator gave it, as `http://<id>.execute-api.localhost:<port>`."""
        return self.outputs["ApiUrl"].rstrip("/")

    def api(self, key: str | None = None) -> Api:
        """A client of the API with a tenant's key, or with none."""
        host = self.api_url.partition("//")[2]
        return Api(port=self.emulator.port, host=host, key=key)

    def client(self, service: str) -> Any:
        """A boto3 client of the emulator."""
        return self.clients.client(service)

    def invoke(self, function: str, event: Any) -> Any:
        """Invoke a function, named by service or by its own name, and wait; LocalStackError if it failed."""
        name = self.functions.get(function, function)
        response = self.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event).encode())
        payload = json.loads(response["Payload"].read() or b"null")
        if "FunctionError" in response:
            raise LocalStackError(f"function {name} failed: {json.dumps(payload)[:2000]}")
        return payload

    def tick(self) -> None:
        """One tick of every watcher and of the sweeper, now."""
        tick(self.clients, self.invoke)

    def worker_pids(self, service: str) -> list[int]:
        """The processes that serve a function, idle ones included."""
        return self.emulator.workers(self.functions[service])

    def executor_pids(self, lane: str = "standard") -> list[int]:
        """The processes that make the callbacks of a lane."""
        return self.worker_pids(f"executor-{lane}")

    def environment(self, service: str = "api") -> dict[str, str]:
        """The environment in which a function's code works against this stack from outside."""
        name = self.functions[service]
        configuration = self.client("lambda").get_function_configuration(FunctionName=name)
        variables: dict[str, str] = configuration["Environment"]["Variables"]
        return variables | CREDENTIALS | {"AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": self.endpoint}

    def create_tenant(self, name: str) -> Tenant:
        """A new tenant."""
        output = self.admin("create-tenant", name)
        return Tenant(name=name, api_key=output["api_key"], signing_secret=output["signing_secret"])

    def admin(self, *arguments: str) -> Any:
        """What an operator's command shows, run with the settings of the api function; LocalStackError if refused."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
        result = subprocess.run(  # noqa: S603 - nothing in it comes from outside
            [sys.executable, "-m", "functions.admin", *arguments],
            cwd=PROJECT_ROOT,
            env=inherited | self.environment() | {"NO_PROXY": "*", "no_proxy": "*"},
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode:
            raise LocalStackError(f"{' '.join(arguments)} did not work: {result.stderr[-2000:]}")
        return json.loads(result.stdout)


@contextmanager
def local_stack(
    root: Path | None = None, *, fresh: bool = False, port: int | None = None, warm_up: bool = True
) -> Iterator[LocalStack]:
    """Start the emulator over a state directory, deploy what is not deployed, warm up; stop it all at the end.

    What an earlier run left in the directory is found again unless `fresh`. Raises LocalStackError.
    """
    home = StateDir(root) if root is not None else StateDir()
    emulator = Emulator(home, port=port)
    emulator.start(fresh=fresh)
    try:
        clients = Clients(emulator.endpoint)
        stack = LocalStack(emulator=emulator, clients=clients, deployment=_ensure_deployed(home, clients))
        if warm_up:
            warm(
                clients, stack.invoke, lambda: stack.api().request("GET", "/v1/health", timeout=START_SECONDS)
            )
        yield stack
    finally:
        emulator.stop()


def _ensure_deployed(home: StateDir, clients: Clients) -> Deployment:
    """Deploy unless just this assembly is deployed in the state that was restored."""
    directory = assembly()
    stacks = read_assembly(directory, account=ACCOUNT, region=REGION)
    names = [stack.name for stack in stacks]
    deployed = all(exists(name, clients) for name in names)
    if not deployed or home.read("deployed.json").get("assembly") != directory.name:
        deploy(stacks, clients)
        home.write("deployed.json", {"assembly": directory.name})
    return describe(names, clients)
