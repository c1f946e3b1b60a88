"""One deployment on emulators: the handlers of API, executor and ticks, with a clock that runs."""

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from infra.local.clients import CREDENTIALS, REGION, Clients
from infra.local.dynamodb_local import DynamoDbLocal
from infra.local.emulator import Emulator
from infra.local.state_dir import StateDir
from shared.adapters import group_commit
from shared.adapters.aws.sender import PooledSend
from shared.adapters.clock import SystemClock
from shared.adapters.greenlets import run
from shared.domain.bucket import LOOK_AHEAD_MS
from shared.domain.ids import DEFAULT_CELL
from shared.names import EXECUTOR_TIMEOUT_SECONDS, Env, QueueName
from tests.bench.meter import Bill, Meter
from tests.bench.receiver import receiving
from tests.support.api.api_world import Request
from tests.support.aws_steps import around_aws_calls
from tests.support.conformance.tables import create_tables
from tests.support.fakes.budgets import GENEROUS

TENANTS = 50
BATCH = 10
"""Messages that an event source hands to an executor."""
PATIENCE_SECONDS = 60.0
"""How long a request waits for the emulator: a slow machine must not count calls that AWS would not see."""
EVERY_SHARD = {"range": {"index": 0, "of": 1}}
CONTEXT: Any = SimpleNamespace(
    function_name="bench",
    memory_limit_in_mb=512,
    invoked_function_arn="arn:aws:lambda:us-east-1:000000000000:function:bench",
    aws_request_id="bench",
    get_remaining_time_in_millis=lambda: EXECUTOR_TIMEOUT_SECONDS * 1000,
)
Entry = Mapping[str, Any]


class AheadClock:
    """The system's clock, which goes on from a later time after each skip, so that no round waits."""

    def __init__(self) -> None:
        self._ahead_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self._ahead_ms

    def skip(self, duration_ms: int) -> None:
        self._ahead_ms += duration_ms

    def skip_to(self, instant: int) -> None:
        """Stay where that is past."""
        self.skip(max(0, instant - self.now_ms()))


class Cell:
    """The handlers, and everything between them that AWS would do."""

    def __init__(self, url: str, clock: AheadClock, meter: Meter, log: int) -> None:
        # Imported here: the handlers read their settings from the environment.
        from functions.api.handler import cases
        from functions.api.handler import handler as api
        from functions.executor.handler import handler as executor
        from functions.executor.handler import ports
        from functions.sweeper.handler import handler as sweeper
        from functions.watcher.handler import handler as watcher

        self.url, self.clock, self.meter = url, clock, meter
        self.cases: Any = cases
        self.ports = ports
        self._api, self._executor, self._watcher, self._sweeper = api, executor, watcher, sweeper
        self._log = log
        self._keys = [cases.tenancy.create_tenant.execute(f"bench-{n}").api_key for n in range(TENANTS)]

    def bill(self) -> Bill:
        """Everything so far."""
        sys.stdout.flush()
        self.meter.counted["log_bytes"] = os.fstat(self._log).st_size
        return self.meter.bill()

    def headers(self, tenant: int = 0) -> dict[str, str]:
        return {"authorization": f"Bearer {self._keys[tenant]}", "content-type": "application/json"}

    def call(
        self,
        method: str,
        path: str,
        body: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        tenant: int = 0,
    ) -> dict[str, Any]:
        """The body of a successful answer of the API."""
        own = self.headers(tenant) | dict(headers or {})
        text = self.respond(
            Request(method=method, path=path, body=body, headers=own, query=dict(query or {}))
        )
        found: dict[str, Any] = json.loads(text) if text else {}
        return found

    def respond(self, request: Request) -> str:
        """The text of a successful answer of the API."""
        answer = self.answer(request.event())
        assert 200 <= answer["statusCode"] < 300, answer["body"]
        text: str = answer["body"]
        return text

    def answer(self, event: dict[str, Any]) -> dict[str, Any]:
        """What the API's function returns for an event of the gateway."""
        found: dict[str, Any] = self._api(event, CONTEXT)
        return found

    def take(self) -> list[Entry]:
        """The messages that were sent since the last time."""
        sent, self.meter.sent = self.meter.sent, []
        return list(sent)

    def execute(self, entries: Sequence[Entry], batch: int = BATCH) -> int:
        """Hand messages to the executor, in batches; how many there were."""
        for start in range(0, len(entries), batch):
            answer = self._executor(event_of(entries[start : start + batch], self.clock.now_ms()), CONTEXT)
            assert answer == {"batchItemFailures": []}, answer
            # What the event source asks of SQS for a batch: one receive and one batch of deletes.
            self.meter.counted["sqs"] += 2
        return len(entries)

    def work(self, batch: int = BATCH) -> int:
        """Hand on every message that was sent."""
        return self.execute(self.take(), batch)

    def watch(self) -> int:
        """One tick of a watcher for all shards; the rows that it found."""
        found: int = self._watcher(EVERY_SHARD, CONTEXT)["found"]
        return found

    def sweep(self) -> dict[str, int]:
        """One tick of a sweeper for all shards."""
        swept: dict[str, int] = self._sweeper(EVERY_SHARD, CONTEXT)
        return swept

    def skip_to_tick(self, due_at: int) -> None:
        """Go to an instant at which a watcher finds what is due then."""
        self.clock.skip_to(due_at + 1_000 - LOOK_AHEAD_MS)


def event_of(entries: Sequence[Entry], now_ms: int) -> dict[str, Any]:
    """What the event source of a queue gives to an executor."""
    attributes = {
        "SentTimestamp": str(now_ms),
        "ApproximateReceiveCount": "1",
        "ApproximateFirstReceiveTimestamp": str(now_ms),
    }
    return {
        "Records": [
            {
                "messageId": uuid4().hex,
                "receiptHandle": "r",
                "body": entry["MessageBody"],
                "attributes": attributes | {"MessageGroupId": entry["MessageGroupId"]},
                "messageAttributes": {},
            }
            for entry in entries
        ]
    }


def instant(at: int) -> str:
    """The second of an instant, as the API takes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at // 1000))


@contextmanager
def cell(*, counts_units: bool, archive_days: int = 0) -> Iterator[Cell]:
    """A cell over emulators and a receiver of its own, which are stopped at the end.

    With `counts_units`, DynamoDB Local holds the tables: ministack answers faster, and counts other read units.
    """
    with TemporaryDirectory() as root, receiving() as url, _output() as log:
        emulator = Emulator(StateDir(Path(root)))
        engine = DynamoDbLocal() if counts_units else None
        emulator.start()
        try:
            os.environ.update(CREDENTIALS, AWS_ENDPOINT_URL=emulator.endpoint, AWS_DEFAULT_REGION=REGION)
            tables = Clients(emulator.endpoint)
            if engine is not None:
                engine.start()
                os.environ["AWS_ENDPOINT_URL_DYNAMODB"] = engine.endpoint
                tables = Clients(engine.endpoint)
            os.environ.update(environment(Clients(emulator.endpoint), tables))
            os.environ.update({Env.LANE: QueueName.STANDARD, "POWERTOOLS_SERVICE_NAME": "bench"})
            os.environ[Env.ARCHIVE_DAYS] = str(archive_days)
            clock, meter = AheadClock(), Meter(tables.client("dynamodb"))
            with (
                patch.object(SystemClock, "now_ms", lambda _: clock.now_ms()),
                patch.object(group_commit, "ANSWER_SECONDS", PATIENCE_SECONDS),
                patch.object(PooledSend.__init__, "__defaults__", (PATIENCE_SECONDS,)),
            ):
                made = Cell(url, clock, meter, log)
                with around_aws_calls(meter.step if counts_units else meter.note):
                    yield made
                sender: Any = made.ports.sender
                run(sender.close())
        finally:
            os.environ.pop("AWS_ENDPOINT_URL_DYNAMODB", None)
            emulator.stop()
            if engine is not None:
                engine.stop()


@contextmanager
def _output() -> Iterator[int]:
    """Handlers write logs and metrics to the descriptor of the standard output: a file, meanwhile."""
    with TemporaryFile() as file:
        standard = os.dup(1)
        sys.stdout.flush()
        os.dup2(file.fileno(), 1)
        try:
            yield file.fileno()
        finally:
            sys.stdout.flush()
            os.dup2(standard, 1)
            os.close(standard)


def environment(clients: Clients, tables_of: Clients) -> dict[str, str]:
    """Create tables, queues and a key, and return the variables of a function that uses them."""
    tables = create_tables(tables_of.client("dynamodb"))
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
        Env.HISTORY_TABLE: tables.history,
        Env.ARCHIVE_DAYS: "0",
        Env.DEFAULT_QUOTAS: json.dumps(asdict(GENEROUS)),
        Env.LANE_QUEUE_URLS: json.dumps(urls),
        Env.SHARD_PLAN: json.dumps(plan),
        Env.RETENTION_DAYS: "14",
        Env.KMS_KEY_ID: key,
        Env.DIAL_EXCEPTIONS: "127.0.0.0/8",
        Env.API_HOSTS: "api.example",
        Env.TARGET_ROLES: "arn:aws:iam::*:role/punctual/*",
    }
