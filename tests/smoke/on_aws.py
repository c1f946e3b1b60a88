"""A stage in an account of AWS, by the credentials of the environment."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import boto3
from botocore.config import Config

from infra.config import StageConfig
from infra.deploy.aws_account import AwsAccount
from infra.deploy.cdk import AT_ONCE
from infra.deploy.preflight import problems
from infra.lifecycle.commands import data_stack, service_stack, teardown
from infra.lifecycle.stacks import Stacks
from infra.lifecycle.steps import attach_stage
from infra.local.state_dir import PROJECT_ROOT
from infra.stage_files.read import STAGES_DIR, read_stage
from tests.smoke.probe.stack import status
from tests.smoke.stacks import present
from tests.smoke.world import SmokeError, until

_CONFIG = Config(retries={"mode": "standard", "max_attempts": 8}, read_timeout=130, max_pool_connections=32)
APPROVED = ("--require-approval", "never")
IDLE_SECONDS, IDLE_POLL_SECONDS = 1_200.0, 5.0


def protected(content: str, topic: str, account: str) -> str:
    """The stage file with data that must not be lost, and with the account and the topic that it then needs."""
    given = tomllib.loads(content)
    needed = {"account": f"account = {json.dumps(account)}", "alarms": f"alarms.topic = {json.dumps(topic)}"}
    added = [line for key, line in needed.items() if key not in given]
    lines = [line for line in content.splitlines() if not line.startswith("protected")]
    # Keys without a table come first in TOML.
    return "\n".join(["protected = true", *added, *lines, ""])


@dataclass(slots=True)
class AwsTarget:
    stage: StageConfig
    reuses: bool = False
    emulated: bool = False
    _clients: dict[str, Any] = field(default_factory=dict)
    _account: str = ""

    @property
    def account(self) -> str:
        if not self._account:
            self._account = AwsAccount(self.stage.region).account_id()
        return self._account

    def client(self, service: str) -> Any:
        if service not in self._clients:
            session: Any = boto3.Session(region_name=self.stage.region)
            self._clients[service] = session.client(service, config=_CONFIG)
        return self._clients[service]

    def stacks(self) -> list[str]:
        return present(self.client("cloudformation"), self.stage)

    def preflight(self) -> list[str]:
        return problems(self.stage, AwsAccount(self.stage.region))

    def deploy(self) -> None:
        self._cdk(PROJECT_ROOT, "deploy", "--all", *APPROVED)

    def deploy_from(self, folder: Path) -> None:
        # The file of the stage is the checkout's own: an earlier release may have none of this name.
        self._cdk(folder, "deploy", "--all", *APPROVED, "-c", f"stages={STAGES_DIR}", *AT_ONCE)

    def changes(self) -> str:
        done = self._run(PROJECT_ROOT, "diff", "--fail")
        return done.stderr[-1_500:] if done.returncode else ""

    def outputs(self) -> Mapping[str, str]:
        cloudformation = self.client("cloudformation")
        found: dict[str, str] = {}
        for name in (data_stack(self.stage), service_stack(self.stage)):
            (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
            found |= {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", ())}
        return found

    def admin(self, *arguments: str) -> Any:
        function = self.outputs()["ApiFunctionName"]
        done = subprocess.run(
            [sys.executable, "-m", "functions.admin", "--function", function, *arguments],
            cwd=PROJECT_ROOT,
            env=os.environ | self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SmokeError(f"functions.admin {arguments[0]} failed: {done.stderr[-500:]}")
        return json.loads(done.stdout)

    def environment(self) -> dict[str, str]:
        return {"AWS_REGION": self.stage.region, "AWS_DEFAULT_REGION": self.stage.region}

    def adopt(self, tables: Mapping[str, str], sweep_from: datetime, topic: str) -> None:
        """Protect the stage, attach the tables, and take the protection away again, so that a teardown deletes them."""
        file = f"{self.stage.name}.toml"
        with TemporaryDirectory(prefix="punctual-smoke-") as folder:
            content = protected((STAGES_DIR / file).read_text(encoding="utf-8"), topic, self.account)
            (Path(folder) / file).write_text(content, encoding="utf-8")
            stage = read_stage(self.stage.name, Path(folder))
            context = ("-c", f"stages={folder}")

            def cdk(arguments: Sequence[str]) -> int:
                return self._run(PROJECT_ROOT, *arguments, *context).returncode

            try:
                if cdk(("deploy", "--all", *APPROVED, *AT_ONCE)):
                    raise SmokeError("the protected variant of the stage was not deployed")
                attach_stage(
                    stage,
                    self._stacks(),
                    cdk,
                    tables,
                    sweep_from,
                    assembly=Path(folder) / "cdk.out",
                    report=lambda line: None,
                )
            finally:
                # Also after a failure: a teardown refuses stacks that retain their tables.
                self._cdk(PROJECT_ROOT, "deploy", "--all", *APPROVED, *AT_ONCE)

    def teardown(self) -> None:
        cloudformation = self.client("cloudformation")
        for name in (service_stack(self.stage), data_stack(self.stage)):
            # An interrupted deployment goes on without its command line.
            until(
                lambda name=name: status(cloudformation, name),  # type: ignore[misc]
                lambda found: not found.endswith("IN_PROGRESS"),
                IDLE_SECONDS,
                poll=IDLE_POLL_SECONDS,
            )
        teardown(self._stacks(), self.stage, lambda line: None)

    def _stacks(self) -> Stacks:
        region = self.stage.region
        return Stacks(
            self.client,
            bucket=f"cdk-hnb659fds-assets-{self.account}-{region}",
            url=f"https://{{bucket}}.s3.{region}.amazonaws.com/{{key}}",
        )

    def _cdk(self, folder: Path, *arguments: str) -> None:
        done = self._run(folder, *arguments)
        if done.returncode:
            raise SmokeError(f"cdk {arguments[0]} failed: {done.stderr[-1_500:]}")

    def _run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["cdk", *arguments, "-c", f"stage={self.stage.name}"],
            cwd=folder,
            env=os.environ | self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )


def aws_target(name: str, *, reuses: bool = False) -> AwsTarget:
    """The stage of a file; SmokeError for a stage that must not be torn down. StageFileError for a wrong file."""
    stage = read_stage(name)
    if stage.protect_data:
        raise SmokeError(
            f"the stage {name} is protected, and the smoke suite deletes what it tests: choose a stage with "
            "protected = false, such as smoke"
        )
    return AwsTarget(stage, reuses)
