"""The product's own wiring over the emulator, with a clock in our hand and every AWS request counted."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from infra.local.clients import CREDENTIALS, REGION, Clients
from infra.local.emulator import Emulator
from infra.local.state_dir import StateDir
from shared.adapters.aws.errors import AwsError
from shared.adapters.sqs.messages import decode_wakeup
from shared.bootstrap.aws import run
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import MINUTE_MS, ShardRange
from shared.domain.ids import DEFAULT_CELL
from shared.domain.tenancy.tenant import Tenant
from shared.names import EXECUTOR_TIMEOUT_SECONDS, Env, QueueName
from shared.settings import ApiSettings
from shared.usecases.attempts.run_attempts import Delivery
from tests.support.aws_steps import Call, Parsed, around_aws_calls
from tests.support.conformance.tables import create_tables
from tests.support.fakes.budgets import GENEROUS
from tests.support.fakes.clock import VirtualClock
from tests.support.fakes.sender import ScriptedSender

START_MS = 30_000_001 * MINUTE_MS
LAMBDA_BATCH = 10
READS = ("GetItem", "BatchGetItem", "Query", "Scan")
REFUSALS = ("ConditionalCheckFailed", "DuplicateItem")


@dataclass(slots=True)
class Meter:
    """Counts what goes out: DynamoDB's units by operation, and SQS's requests."""

    write_units: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    refused_writes: int = 0
    """Writes whose condition was refused: DynamoDB charges them like the writes that they attempted."""
    wakeups: list[dict[str, Any]] = field(default_factory=list)

    def step(self, service: str, operation: str, params: Parsed, call: Call) -> Parsed:
        """Stand between a client and its transport."""
        if service in ("dynamodb", "sqs"):
            self.requests[operation] += 1
        if operation == "SendMessageBatch":
            self.wakeups += params["Entries"]
        if service != "dynamodb" or operation in READS:
            return call(params)
        try:
            answer = call(params | {"ReturnConsumedCapacity": "TOTAL"})
        except AwsError as error:
            self.refused_writes += _refused_writes(error.response)
            raise
        self.refused_writes += _refused_writes(answer)
        consumed = answer.get("ConsumedCapacity") or []
        for part in consumed if isinstance(consumed, list) else [consumed]:
            self.write_units[operation] += part.get("CapacityUnits", 0)
        return answer


def _refused_writes(parsed: Mapping[str, Any]) -> int:
    """Of a single write, of the members of a transaction, or of the statements of a batch."""
    statements = [each.get("Error", {}) for each in parsed.get("Responses") or [] if isinstance(each, dict)]
    errors = [parsed.get("Error", {}), *(parsed.get("CancellationReasons") or []), *statements]
    return sum(str(error.get("Code")).removesuffix("Exception") in REFUSALS for error in errors)


class World:
    """One deployment's use cases. Messages are handed on by the bench, so that no time has to pass."""

    def __init__(self, clients: Clients) -> None:
        self.clock = VirtualClock(START_MS)
        self.meter = Meter()
        settings = ApiSettings.from_env(environment(clients))
        self.ports = dynamo_ports(settings)
        self.ports.clock = self.clock
        self.sender = ScriptedSender(self.clock)
        self.ports.sender = self.sender
        self.cases = use_cases(self.ports, settings)
        self.watch_buckets = self.cases.ticks.watch_buckets
        self.create_job = self.cases.jobs.create_job
        self.create_jobs = self.cases.jobs.create_jobs
        self.cancel_job = self.cases.core.cancel_job
        self.revise_job = self.cases.jobs.revise_job
        self.lifecycle = self.cases.core.lifecycle
        self.run_attempts = self.cases.attempts.run_attempts(QueueName.STANDARD)

    @cached_property
    def tenant(self) -> Tenant:
        """A tenant to work for."""
        self.cases.tenancy.create_tenant.execute("bench")
        made = self.cases.core.read_tenant.execute("bench")
        assert made is not None
        return made

    def tick(self) -> None:
        """One tick of a watcher for all shards."""
        self.watch_buckets.execute(ShardRange(index=0, of=1))

    def work(self) -> int:
        """Hand on every message that was sent, in batches of ten as Lambda does; how many there were."""
        entries, self.meter.wakeups = self.meter.wakeups, []
        for start in range(0, len(entries), LAMBDA_BATCH):
            batch = [_delivery(entry) for entry in entries[start : start + LAMBDA_BATCH]]
            run(self.run_attempts.execute(batch, self.clock.now_ms() + EXECUTOR_TIMEOUT_SECONDS * 1000))
            # What the event source asks of SQS for a batch: one receive and one batch of deletes.
            self.meter.requests.update(["ReceiveMessage", "DeleteMessageBatch"])
        return len(entries)


@contextmanager
def world() -> Iterator[World]:
    """A world over an emulator of its own, which is stopped at the end."""
    with TemporaryDirectory() as root:
        emulator = Emulator(StateDir(Path(root)))
        emulator.start()
        try:
            os.environ.update(CREDENTIALS, AWS_ENDPOINT_URL=emulator.endpoint)
            made = World(Clients(emulator.endpoint))
            with around_aws_calls(made.meter.step):
                yield made
        finally:
            emulator.stop()


def _delivery(entry: dict[str, Any]) -> Delivery:
    wakeup = decode_wakeup(entry["MessageBody"])
    return Delivery(message_id=entry["Id"], sent_at=wakeup.not_before, receive_count=1, wakeup=wakeup)


def environment(clients: Clients) -> dict[str, str]:
    """Create tables, queues and a key, and return the variables of a function that uses them."""
    tables = create_tables(clients.client("dynamodb"))
    sqs = clients.client("sqs")
    urls = {lane.value: sqs.create_queue(QueueName=f"{lane}-{tables.jobs}")["QueueUrl"] for lane in QueueName}
    key = clients.client("kms").create_key()["KeyMetadata"]["KeyId"]
    plan = [{"from": "2026-01-01T00:00Z", "normal": 4, "quarter": 4, "midnight": 4}]
    return {
        Env.STAGE: "bench",
        Env.REGION: REGION,
        Env.CELL: DEFAULT_CELL,
        Env.EXECUTIONS_TABLE: tables.executions,
        Env.JOBS_TABLE: tables.jobs,
        Env.TENANTS_TABLE: tables.tenants,
        Env.LEASES_TABLE: tables.leases,
        Env.AUDIT_TABLE: tables.audit,
        Env.AUDIT_RETENTION_DAYS: "400",
        Env.AUDIT_ONE_OFFS: "false",
        Env.DEFAULT_QUOTAS: json.dumps(asdict(GENEROUS)),
        Env.LANE_QUEUE_URLS: json.dumps(urls),
        Env.SHARD_PLAN: json.dumps(plan),
        Env.RETENTION_DAYS: "14",
        Env.KMS_KEY_ID: key,
        Env.DIAL_EXCEPTIONS: "127.0.0.0/8",
        Env.API_HOSTS: "api.example",
    }
