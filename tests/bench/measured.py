"""Processor time of the product's handlers beside that of raw boto3 loops, measured in one run on the emulator.

Only this process is measured: the emulator and the receiver have processes of their own. Each figure is the
median of rounds in which product and baselines take turns, so that ratios hold on a busy machine; the times
themselves do not.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from infra.local.clients import CREDENTIALS, REGION, Clients
from infra.local.emulator import Emulator
from infra.local.state_dir import StateDir
from shared.adapters.clock import SystemClock
from shared.adapters.greenlets import run
from shared.domain.bucket import LOOK_AHEAD_MS, MINUTE_MS
from shared.names import EXECUTOR_TIMEOUT_SECONDS, Env, QueueName
from tests.bench.baselines.create import create, create_batch
from tests.bench.baselines.dispatch import dispatch, dispatch_in_packs
from tests.bench.baselines.execute import BATCH, Executor
from tests.bench.baselines.table import Plain
from tests.bench.receiver import receiving
from tests.bench.world import environment
from tests.support.api.api_world import Request
from tests.support.aws_steps import Call, Parsed, around_aws_calls

ROUNDS = 5
CREATED = 40
IN_BATCH = 100
CALLED = 50
TENANTS = 50
DUE = 1_000
PAYLOAD = {"kind": "nightly", "account": "1234567890", "parts": ["a", "b", "c"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Microseconds of processor time for each job, and how many times as much the baselines take."""

    name: str
    product_us: float
    first_us: float
    best_us: float | None

    @property
    def of_first(self) -> float:
        """Against the loop that a good engineer writes first."""
        return self.first_us / self.product_us

    @property
    def of_best(self) -> float | None:
        """Against the best batched loop."""
        return None if self.best_us is None else self.best_us / self.product_us


Step = Callable[[], object]
Prepare = Callable[[], tuple[Step, ...]]
"""Makes what a round needs, outside of the measured time: the product's step, the first loop's, the best loop's."""


def measure(name: str, prepare: Prepare, jobs: int, rounds: int = ROUNDS) -> Measured:
    """Medians over rounds, after a round that is not counted."""
    taken: list[list[float]] = []
    for _ in range(rounds + 1):
        times = []
        for step in prepare():
            began = time.process_time()
            step()
            times.append((time.process_time() - began) * 1e6 / jobs)
        taken.append(times)
    product, first, *best = (statistics.median(each) for each in zip(*taken[1:], strict=True))
    return Measured(name=name, product_us=product, first_us=first, best_us=best[0] if best else None)


class AheadClock:
    """The system's clock, which goes on from a later time after each skip, so that no round waits."""

    def __init__(self) -> None:
        self._ahead_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self._ahead_ms

    def skip(self, duration_ms: int) -> None:
        self._ahead_ms += duration_ms


class Bench:
    """Handlers and baselines over one emulator, with clocks that run."""

    def __init__(self, url: str, clock: "AheadClock") -> None:
        # Imported here: the handlers read their settings from the environment.
        from functions.api.handler import cases
        from functions.api.handler import handler as api
        from functions.executor.handler import handler as executor
        from functions.executor.handler import ports
        from functions.watcher.handler import handler as watcher

        self._api, self._executor, self._watcher = api, executor, watcher
        self._sender: Any = ports.sender
        self._url = url
        self._clock = clock
        self._entries: list[dict[str, Any]] = []
        self._plain = Plain.create()
        self._loops = Executor(self._plain)
        self._keys = [cases.tenancy.create_tenant.execute(f"bench-{n}").api_key for n in range(TENANTS)]

    def run(self) -> Iterator[Measured]:
        """Every row of the table, one after another."""
        yield measure("create", self._creations, CREATED)
        yield measure("create with Idempotency-Key", lambda: self._creations(keyed=True), CREATED)
        yield measure("create in a batch of 100", self._batches, IN_BATCH)
        yield measure("executor, one-off", self._one_offs, CALLED)
        yield measure("executor, occurrence", self._occurrences, CALLED)
        yield measure("dispatch, 50 tenants", self._dispatches, DUE)
        yield measure("dispatch, packs", lambda: self._dispatches(tenants=1), DUE)

    def close(self) -> None:
        """Close the connections to the receiver."""
        run(self._sender.close())

    def cold_starts(self) -> Iterator[Measured]:
        """Every function that a start delays, from its process to the end of its first event."""
        # Imported here: the module measures with what this one defines.
        from tests.bench.cold import ROUNDS as STARTS
        from tests.bench.cold import cold_start

        own = {"BENCH_TABLE": self._plain.table, "BENCH_QUEUE": self._plain.queue, "BENCH_URL": self._url}
        self._entries.clear()
        for _ in range(STARTS + 1):
            self._post("/v1/jobs", json.dumps(self._job({"delay_seconds": 0})))
        due = [_event([entry], self._clock.now_ms()) for entry in self._entries]
        yield cold_start("executor", due, own)
        yield cold_start("watcher", [{"range": {"index": 0, "of": 1}}] * (STARTS + 1), own)
        headers = {"authorization": f"Bearer {self._keys[0]}", "content-type": "application/json"}
        body = json.dumps(self._job({"delay_seconds": 3_600}))
        event = Request(method="POST", path="/v1/jobs", body=body, headers=headers).event()
        yield cold_start("api", [event] * (STARTS + 1), own)

    def step(self, service: str, operation: str, params: Parsed, call: Call) -> Parsed:
        """Keep the messages that are sent."""
        if operation == "SendMessageBatch":
            self._entries += params["Entries"]
        return call(params)

    def _creations(self, *, keyed: bool = False) -> tuple[Step, ...]:
        body = json.dumps(self._job({"delay_seconds": 3_600}))
        plain_body = json.dumps({"after_seconds": 3_600, "request": {"url": self._url, "json_": PAYLOAD}})

        def product() -> None:
            for _ in range(CREATED):
                self._post("/v1/jobs", body, {"idempotency-key": uuid4().hex} if keyed else {})

        def first() -> None:
            for _ in range(CREATED):
                create(self._plain, plain_body)

        return product, first

    def _batches(self) -> tuple[Step, ...]:
        body = json.dumps({"jobs": [self._job({"delay_seconds": 3_600})] * IN_BATCH})
        plain_body = json.dumps({"after_seconds": 3_600, "request": {"url": self._url, "json_": PAYLOAD}})

        def first() -> None:
            for _ in range(IN_BATCH):
                create(self._plain, plain_body)

        return (
            lambda: self._post("/v1/jobs/batch", body),
            first,
            lambda: create_batch(self._plain, [plain_body] * IN_BATCH),
        )

    def _one_offs(self) -> tuple[Step, ...]:
        return self._calls({"delay_seconds": 1})

    def _occurrences(self) -> tuple[Step, ...]:
        return self._calls({"rate_seconds": 60, "start_at": _instant(self._clock.now_ms() + 4_000)})

    def _calls(self, schedule: dict[str, Any]) -> tuple[Step, ...]:
        """Jobs that are due so soon that the API sends them, one message each."""
        self._entries.clear()
        for _ in range(CALLED):
            self._post("/v1/jobs", json.dumps(self._job(schedule)))
        entries = [*self._entries]
        assert len(entries) == CALLED
        self._clock.skip(5_000)
        batches = [entries[start : start + BATCH] for start in range(0, len(entries), BATCH)]
        pks = [uuid4().hex, uuid4().hex]
        rows = [self._plain.fill(pk, CALLED, self._url, json.dumps(PAYLOAD).encode()) for pk in pks]

        def product() -> None:
            for batch in batches:
                assert self._executor(_event(batch, self._clock.now_ms()), CONTEXT) == {
                    "batchItemFailures": []
                }

        def first() -> None:
            for start in range(0, CALLED, BATCH):
                self._loops.run(pks[0], rows[0][start : start + BATCH])

        def best() -> None:
            for start in range(0, CALLED, BATCH):
                self._loops.run_batched(pks[1], rows[1][start : start + BATCH])

        return product, first, best

    def _dispatches(self, tenants: int = TENANTS) -> tuple[Step, ...]:
        # A minute that no watcher scans before every job is there.
        at = (self._clock.now_ms() + LOOK_AHEAD_MS) // MINUTE_MS * MINUTE_MS + 2 * MINUTE_MS
        instant = _instant(at)
        for number in range(DUE // IN_BATCH):
            body = json.dumps({"jobs": [self._job({"at": instant})] * IN_BATCH})
            self._post("/v1/jobs/batch", body, tenant=number % tenants)
        pk = uuid4().hex
        self._plain.fill(pk, DUE, self._url, json.dumps(PAYLOAD).encode())
        self._clock.skip(at + 1_000 - LOOK_AHEAD_MS - self._clock.now_ms())
        self._entries.clear()

        def product() -> None:
            found = self._watcher({"range": {"index": 0, "of": 1}}, CONTEXT)["found"]
            assert found == DUE, f"{found} of {DUE} are found"

        return product, lambda: dispatch(self._plain, pk), lambda: dispatch_in_packs(self._plain, pk)

    def _job(self, schedule: dict[str, Any]) -> dict[str, Any]:
        return {"schedule": schedule, "request": {"url": self._url, "json": PAYLOAD}}

    def _post(self, path: str, body: str, headers: dict[str, str] | None = None, tenant: int = 0) -> None:
        own = {"authorization": f"Bearer {self._keys[tenant]}", "content-type": "application/json"}
        event = Request(method="POST", path=path, body=body, headers=own | (headers or {})).event()
        response = self._api(event, CONTEXT)
        assert response["statusCode"] in (200, 201), response["body"]


CONTEXT: Any = SimpleNamespace(
    function_name="bench",
    memory_limit_in_mb=512,
    invoked_function_arn="arn:aws:lambda:us-east-1:000000000000:function:bench",
    aws_request_id="bench",
    get_remaining_time_in_millis=lambda: EXECUTOR_TIMEOUT_SECONDS * 1000,
)


def _instant(at: int) -> str:
    """The second of an instant, as the API takes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at // 1000))


def _event(entries: list[dict[str, Any]], now_ms: int) -> dict[str, Any]:
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


@contextmanager
def _without_output() -> Iterator[None]:
    """Handlers write logs and metrics to the descriptor of the standard output, which is nowhere meanwhile."""
    nowhere, standard = os.open(os.devnull, os.O_WRONLY), os.dup(1)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(standard, 1)
        os.close(nowhere)
        os.close(standard)


@contextmanager
def bench() -> Iterator[Bench]:
    """A bench over an emulator and a receiver of its own, which are stopped at the end."""
    with TemporaryDirectory() as root, receiving() as url:
        emulator = Emulator(StateDir(Path(root)))
        emulator.start()
        try:
            os.environ.update(CREDENTIALS, AWS_ENDPOINT_URL=emulator.endpoint, AWS_DEFAULT_REGION=REGION)
            os.environ.update(environment(Clients(emulator.endpoint)))
            os.environ.update({Env.LANE: QueueName.STANDARD, "POWERTOOLS_SERVICE_NAME": "bench"})
            clock = AheadClock()
            with (
                patch.object(SystemClock, "now_ms", lambda _: clock.now_ms()),
                _without_output(),
            ):
                made = Bench(url, clock)
                with around_aws_calls(made.step):
                    yield made
                made.close()
        finally:
            emulator.stop()
