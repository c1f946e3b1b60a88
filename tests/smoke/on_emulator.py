"""The stage `local` on the emulator of the laptop stack: no account, no credentials."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from infra.config import StageConfig
from infra.lifecycle.commands import teardown
from infra.lifecycle.stacks import Stacks
from infra.local.assembly import read_assembly
from infra.local.clients import ACCOUNT, CREDENTIALS, REGION
from infra.local.deploy import deploy
from infra.local.stack import LocalStack
from infra.local.state_dir import LocalStackError
from infra.local.synthesise import assembly
from infra.stages import local_stage
from tests.smoke.stacks import present
from tests.smoke.world import SmokeError


@dataclass(slots=True)
class EmulatorTarget:
    local: LocalStack
    stage: StageConfig = field(default_factory=local_stage)
    emulated: bool = True
    reuses: bool = False
    account: str = ACCOUNT

    def client(self, service: str) -> Any:
        return self.local.client(service)

    def stacks(self) -> list[str]:
        return present(self.client("cloudformation"), self.stage)

    def preflight(self) -> list[str]:
        return []

    def deploy(self) -> None:
        try:
            deploy(read_assembly(assembly(), account=ACCOUNT, region=REGION), self.local.clients)
        except LocalStackError as error:
            raise SmokeError(str(error)) from None

    def deploy_from(self, folder: Path) -> None:
        raise SmokeError("the laptop stack deploys the checkout alone")

    def adopt(self, tables: Mapping[str, str], sweep_from: datetime, topic: str) -> None:
        raise SmokeError("the emulator restores no table")

    def changes(self) -> str:
        """The stacks of the checkout whose template is not the deployed one."""
        stacks = self._stacks()
        differing = [
            artifact.name
            for artifact in read_assembly(assembly(), account=ACCOUNT, region=REGION)
            if stacks.template(artifact.name) != json.loads(artifact.body())
        ]
        return ", ".join(differing)

    def outputs(self) -> Mapping[str, str]:
        return self.local.outputs

    def admin(self, *arguments: str) -> Any:
        try:
            return self.local.admin(*arguments)
        except LocalStackError as error:
            raise SmokeError(str(error)) from None

    def environment(self) -> dict[str, str]:
        """Without proxies, which would take calls of the loopback address elsewhere."""
        own = CREDENTIALS | {"AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": self.local.endpoint}
        return own | {"NO_PROXY": "*", "no_proxy": "*"}

    def teardown(self) -> None:
        teardown(self._stacks(), self.stage, lambda line: None)

    def _stacks(self) -> Stacks:
        (bucket, *_) = {
            asset.bucket
            for artifact in read_assembly(assembly(), account=ACCOUNT, region=REGION)
            for asset in artifact.assets
        }
        client: Callable[[str], Any] = self.local.client
        url = f"{self.local.endpoint}/{{bucket}}/{{key}}"
        return Stacks(client, bucket=bucket, url=url, poll_seconds=0.1)
