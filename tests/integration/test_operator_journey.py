"""What a new operator does with a stage, by the documents' own commands, on an emulator: from its file to its teardown.

The commands deploy from a copy of the sources, so that the test can release another version of them.
"""

import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.local.api import Api
from infra.local.calls import Call
from infra.local.clients import ACCOUNT, CREDENTIALS, REGION
from infra.local.emulator import Emulator
from infra.local.receiver import Receiver
from infra.local.state_dir import StateDir
from shared.names import VERSION
from tests.support.sources import ROOT

pytestmark = [pytest.mark.integration, pytest.mark.engines, pytest.mark.journey]

COMMAND_SECONDS = 1_800
"""No command takes longer, however busy the machine is."""
SOURCES = ("infra", "shared", "functions", "stages", "docs/guides", "docs/reference", "docs/runbooks")
FILES = ("Makefile", "cdk.json", "pyproject.toml", "requirements.lock", "requirements-dev.lock")
LANES = "[lanes]\ncritical = 2\nstandard = 4\nbulk = 2\nslow_critical = 2\nslow_standard = 2\nslow_bulk = 2\n"
"""Each executor at work is a process of the emulator."""
NEWER = "0.0.99"


class Operator:
    """A checkout of the sources, a shell in it, and an account on an emulator."""

    def __init__(self, checkout: Path, endpoint: str) -> None:
        self.checkout = checkout
        self._environment = (
            _without_aws()
            | CREDENTIALS
            | {
                "AWS_ENDPOINT_URL": endpoint,
                "AWS_REGION": REGION,
                "AWS_DEFAULT_REGION": REGION,
                "NO_PROXY": "*",
                "no_proxy": "*",
                "PATH": f"{ROOT}/.venv/bin:{ROOT}/.tools/node_modules/.bin:{os.environ['PATH']}",
            }
        )
        self._endpoint = endpoint

    def run(self, *words: str, folder: Path | None = None) -> str:
        """What a command prints on its standard output. It has to succeed."""
        done = subprocess.run(
            words,
            cwd=folder or self.checkout,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-2_000:]}\n{done.stderr[-4_000:]}"
        return done.stdout

    def make(self, *words: str) -> str:
        # The environment of this test has the tools already.
        old = [f"--assume-old={path}" for path in (".venv/.installed", *self._tools())]
        return self.run("make", *old, *words)

    def _tools(self) -> list[str]:
        return [f".tools/{path.name}" for path in (self.checkout / ".tools").glob(".installed-*")]

    def client(self, service: str) -> Any:
        clients: Any = boto3
        return clients.client(
            service,
            region_name=REGION,
            endpoint_url=self._endpoint,
            aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        )

    def outputs(self) -> dict[str, str]:
        """The outputs of both stacks."""
        described = [
            self.client("cloudformation").describe_stacks(StackName=f"punctual-prod-{part}")["Stacks"][0]
            for part in ("data", "service")
        ]
        return {made["OutputKey"]: made["OutputValue"] for stack in described for made in stack["Outputs"]}

    def punctual(self, *words: str) -> Any:
        """The operators' command line."""
        function = self.outputs()["ApiFunctionName"]
        return json.loads(self.run("python", "-m", "functions.admin", "--function", function, *words))

    def api(self, key: str) -> Api:
        host = self.outputs()["ApiUrl"].partition("//")[2].rstrip("/")
        return Api(port=int(self._endpoint.rpartition(":")[2]), host=host.partition(":")[0], key=key)

    def release(self, version: str) -> None:
        """Check out the sources of a version."""
        names = self.checkout / "shared" / "names.py"
        names.write_text(
            re.sub(r'^VERSION = ".*"', f'VERSION = "{version}"', names.read_text(), flags=re.MULTILINE)
        )


def _without_aws() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))}


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    checkout = tmp_path_factory.mktemp("checkout")
    for name in SOURCES:
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy2(ROOT / name, checkout / name)
    for name in (".venv", ".tools"):
        (checkout / name).symlink_to(ROOT / name)
    emulator = Emulator(StateDir(tmp_path_factory.mktemp("account") / "local"))
    emulator.start(fresh=True)
    try:
        yield Operator(checkout, emulator.endpoint)
    finally:
        emulator.stop()


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


@dataclass
class Trickle:
    """Jobs that a client creates all the time, each due two seconds later. A client repeats what is not answered."""

    api: Api
    url: str
    due: dict[str, datetime] = field(default_factory=dict)
    """The instants before which the acknowledged jobs are not due, by the paths of their calls."""

    def __post_init__(self) -> None:
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._create)

    def __enter__(self) -> "Trickle":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _create(self) -> None:
        number = 0
        while not self._ends.wait(0.5):
            number += 1
            path = f"/load/{number}"
            body = {"schedule": {"delay_seconds": 2}, "request": {"url": f"{self.url}{path}"}}
            sent_at = datetime.now(UTC)
            while not self._is_acknowledged(path, body):
                time.sleep(0.5)
            self.due[path] = sent_at + timedelta(seconds=2)

    def _is_acknowledged(self, path: str, body: Any) -> bool:
        try:
            answer = self.api.request("POST", "/v1/jobs", body, {"Idempotency-Key": path}, timeout=60)
        except OSError:
            return False
        return answer.status == 201


def _create(api: Api, url: str, schedule: dict[str, Any]) -> str:
    answer = api.request("POST", "/v1/jobs", {"schedule": schedule, "request": {"url": url}}, timeout=120)
    assert answer.status == 201, answer.body
    return str(answer.json()["id"])


def _copy(dynamodb: Any, source: str, target: str) -> None:
    """What `restore-table-to-point-in-time` makes on AWS. The emulator keeps no earlier states of a table."""
    described = dynamodb.describe_table(TableName=source)["Table"]
    indexes = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        for index in described.get("GlobalSecondaryIndexes", ())
    ]
    dynamodb.create_table(
        TableName=target,
        KeySchema=described["KeySchema"],
        AttributeDefinitions=described["AttributeDefinitions"],
        BillingMode="PAY_PER_REQUEST",
        **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
    )
    for page in dynamodb.get_paginator("scan").paginate(TableName=source, ConsistentRead=True):
        for item in page["Items"]:
            dynamodb.put_item(TableName=target, Item=item)


def _empty(dynamodb: Any, table: str) -> None:
    names = [part["AttributeName"] for part in dynamodb.describe_table(TableName=table)["Table"]["KeySchema"]]
    for page in dynamodb.get_paginator("scan").paginate(TableName=table):
        for item in page["Items"]:
            dynamodb.delete_item(TableName=table, Key={name: item[name] for name in names})


def _version(api: Api) -> str:
    return str(api.request("GET", "/v1/openapi.json", timeout=120).json()["info"]["version"])


def _early(calls: list[Call], due: dict[str, datetime]) -> list[str]:
    return [call.path for call in calls if call.path in due and call.arrived_at < due[call.path]]


def test_operator_deploys_breaks_heals_upgrades_restores_and_tears_down_a_stage(
    operator: Operator, receiver: Receiver
) -> None:
    # Deploy: the stage file, the bootstrap, and both stacks.
    example = (ROOT / "stages" / "prod.toml.example").read_text()
    filled = example.replace("111111111111", ACCOUNT).replace("eu-west-1", REGION)
    (operator.checkout / "stages" / "prod.toml").write_text(filled + LANES)
    # Beside the checkout, where the command needs no synthesis of an application.
    operator.run("cdk", "bootstrap", f"aws://{ACCOUNT}/{REGION}", folder=operator.checkout.parent)
    operator.make("deploy", "STAGE=prod", "ARGS=--yes")

    operator.run("cdk", "diff", "--fail", "--app", "build/cdk.out")

    # The first tenant, and its first job.
    tenant = operator.punctual("create-tenant", "acme")
    receiver.secret = tenant["signing_secret"]
    api = operator.api(tenant["api_key"])
    _create(api, f"{receiver.url}/first", {"delay_seconds": 1})
    (first,) = receiver.wait_for(1, path="/first", timeout=COMMAND_SECONDS)
    assert first.genuine

    # A break: the event source of a lane is off. Its jobs wait, and are called once it is on again.
    source = _source_of(operator, "Standard")
    lambdas = operator.client("lambda")
    lambdas.update_event_source_mapping(UUID=source, Enabled=False)
    _create(api, f"{receiver.url}/waits", {"delay_seconds": 1})
    with pytest.raises(TimeoutError):
        receiver.wait_for(1, path="/waits", timeout=4)
    lambdas.update_event_source_mapping(UUID=source, Enabled=True)
    receiver.wait_for(1, path="/waits", timeout=COMMAND_SECONDS)

    # An upgrade under load, and the way back.
    with Trickle(api, receiver.url) as load:
        operator.release(NEWER)
        operator.make("deploy", "STAGE=prod", "ARGS=--yes")
        assert _version(api) == NEWER
        operator.release(VERSION)
        operator.make("deploy", "STAGE=prod", "ARGS=--yes --at-once")
        assert _version(api) == VERSION
    assert len(load.due) > 10
    for path in load.due:
        receiver.wait_for(1, path=path, timeout=COMMAND_SECONDS)
    called = Counter(call.path for call in receiver.calls() if call.path in load.due)
    assert called == Counter(load.due.keys()), "each acknowledged job is called once"
    assert _early(receiver.calls(), load.due) == []

    # A restore: two tables are damaged, and earlier copies take their place.
    kept = _create(api, f"{receiver.url}/kept", {"delay_seconds": 5})
    _restore(operator)
    api = operator.api(tenant["api_key"])
    receiver.wait_for(1, path="/kept", timeout=COMMAND_SECONDS)
    assert api.request("GET", f"/v1/jobs/{kept}", timeout=120).status == 200

    # The end: the stacks are gone, the tables are not.
    lines = operator.make("teardown", "STAGE=prod", "CONFIRM=prod")
    assert "To attach them: make attach STAGE=prod" in lines
    tables = set(operator.client("dynamodb").list_tables()["TableNames"])
    assert {"prod-executions-restored", "prod-jobs-restored"} <= tables
    statuses = {made["StackName"]: made["StackStatus"] for made in _stacks(operator)}
    assert {"punctual-prod-data", "punctual-prod-service"} & statuses.keys() == set()


def _restore(operator: Operator) -> None:
    dynamodb, outputs = operator.client("dynamodb"), operator.outputs()
    since = datetime.now(UTC) - timedelta(minutes=10)
    for name in ("Executions", "Jobs"):
        _copy(dynamodb, outputs[f"{name}TableName"], f"prod-{name.lower()}-restored")
        _empty(dynamodb, outputs[f"{name}TableName"])
    operator.make(
        "attach",
        "STAGE=prod",
        f"SWEEP_FROM={since:%Y-%m-%dT%H:%MZ}",
        "TABLES=executions=prod-executions-restored jobs=prod-jobs-restored",
    )


def _source_of(operator: Operator, queue: str) -> str:
    """The id of the event source that reads a queue."""
    name = operator.outputs()[f"{queue}QueueUrl"].rpartition("/")[2]
    pages = operator.client("lambda").get_paginator("list_event_source_mappings").paginate()
    (found,) = (
        made["UUID"]
        for page in pages
        for made in page["EventSourceMappings"]
        if made["EventSourceArn"].rpartition(":")[2] == name
    )
    return str(found)


def _stacks(operator: Operator) -> list[dict[str, Any]]:
    listed = operator.client("cloudformation").describe_stacks()["Stacks"]
    return [made for made in listed if made["StackStatus"] != "DELETE_COMPLETE"]
