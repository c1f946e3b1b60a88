"""Processor time of the product's handlers beside that of raw boto3 loops, measured in one run on the emulator.

Only this process is measured: the emulator and the receiver have processes of their own. Each figure is the
median of rounds in which product and baselines take turns, so that ratios hold on a busy machine; the times
themselves do not.
"""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

from shared.domain.bucket import MINUTE_MS
from tests.bench.baselines.create import create, create_batch
from tests.bench.baselines.dispatch import dispatch, dispatch_in_packs
from tests.bench.baselines.execute import Executor
from tests.bench.baselines.table import Plain
from tests.bench.cell import BATCH, EVERY_SHARD, TENANTS, Cell, event_of, instant
from tests.bench.cold import STARTS, cold_start
from tests.support.api.api_world import Request

ROUNDS = 5
CREATED = 40
IN_BATCH = 100
CALLED = 50
FEW_DUE, MANY_DUE = 1_000, 10_000
DISPATCH_ROUNDS = 3
PAGE_JOBS = 500
PAGED_TENANT = TENANTS - 1
PAGES = 20
PAGE_QUERIES = (
    {"limit": "10"},
    {"limit": "100"},
    {"limit": "10", "tag": "all"},
    {"limit": "10", "tag": "none"},
    {"limit": "10", "state": "cancelled"},
)
A_DAY = 86_400
LATER = {"delay_seconds": A_DAY}
"""Due after the end of the run, whose clock skips minutes: no tick of a dispatch may find what was created before."""
PAYLOAD = {"kind": "nightly", "account": "1234567890", "parts": ["a", "b", "c"]}


@dataclass(frozen=True, slots=True)
class Measured:
    """Microseconds of processor time for each job, and how many times as much the baselines take."""

    name: str
    product_us: float
    first_us: float | None = None
    """The loop that a good engineer writes first."""
    best_us: float | None = None
    """The best batched loop."""

    @property
    def of_first(self) -> float | None:
        return None if self.first_us is None else self.first_us / self.product_us

    @property
    def of_best(self) -> float | None:
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
    product, *others = (statistics.median(each) for each in zip(*taken[1:], strict=True))
    return Measured(name, product, *others)


def _alone(step: Step) -> tuple[Step, ...]:
    """Without baselines."""
    return (step,)


class Bench:
    """Handlers and baselines over one emulator, with clocks that run."""

    def __init__(self, cell: Cell, *, has_loops: bool = True) -> None:
        """Without loops, the first step of each scenario is the only one."""
        self._cell = cell
        self._has_loops = has_loops
        self._plain = Plain.create()
        self._loops = Executor(self._plain)

    def run(self) -> Iterator[Measured]:
        """Every row of the table, one after another."""
        yield measure("create", self._creations, CREATED)
        yield measure("create with Idempotency-Key", self._keyed_creations, CREATED)
        yield measure("create in a batch of 100", self._batches, IN_BATCH)
        yield measure("executor, one-off", self._one_offs, CALLED)
        yield measure("executor, occurrence of a recurring job", self._occurrences, CALLED)
        for due, tenants, whose in (
            (FEW_DUE, TENANTS, f"{TENANTS} tenants"),
            (MANY_DUE, TENANTS, f"{TENANTS} tenants"),
            (MANY_DUE, 1, "one tenant"),
        ):
            prepare = partial(self._dispatches, due, tenants)
            yield measure(f"dispatch of {due:,}, {whose}", prepare, due, DISPATCH_ROUNDS)

    def scenarios(self) -> Iterator[tuple[str, Prepare]]:
        """The steps whose time is profiled: one for each kind of work."""
        yield "create", self._creations
        yield "with key", self._keyed_creations
        yield "batch of 100", self._batches
        yield "one-off", self._one_offs
        yield "occurrence", self._occurrences
        yield "dispatch", partial(self._dispatches, MANY_DUE, TENANTS)

    def pages(self) -> Iterator[Measured]:
        """Pages of `GET /v1/jobs` of a tenant with 500 one-off jobs."""
        job = self._job(LATER) | {"tags": ["all"]}
        for _ in range(PAGE_JOBS // IN_BATCH):
            self._post("/v1/jobs/batch", json.dumps({"jobs": [job] * IN_BATCH}), tenant=PAGED_TENANT)
        for query in PAGE_QUERIES:
            request = Request(
                method="GET", path="/v1/jobs", query=query, headers=self._cell.headers(PAGED_TENANT)
            )

            step = partial(self._show_pages, request)
            name = "&".join(f"{name}={value}" for name, value in query.items())
            yield measure(f"GET /v1/jobs?{name}", partial(_alone, step), PAGES, 1)

    def _show_pages(self, request: Request) -> None:
        for _ in range(PAGES):
            self._cell.respond(request)

    def cold_starts(self) -> Iterator[Measured]:
        """Every function that a start delays, from its process to the end of its first event."""
        url = self._cell.url
        own = {"BENCH_TABLE": self._plain.table, "BENCH_QUEUE": self._plain.queue, "BENCH_URL": url}
        for function, events in self.first_events(STARTS):
            name = f"cold start, {function.replace('api', 'API')}"
            yield Measured(name, *cold_start(function, events, own))

    def first_events(self, starts: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The functions whose start delays something, each with the events of so many processes."""
        self._cell.take()
        for _ in range(starts):
            self._post("/v1/jobs", json.dumps(self._job({"delay_seconds": 0})))
        yield "executor", [event_of([entry], self._cell.clock.now_ms()) for entry in self._cell.take()]
        yield "watcher", [EVERY_SHARD] * starts
        body = json.dumps(self._job(LATER))
        request = Request(method="POST", path="/v1/jobs", body=body, headers=self._cell.headers())
        yield "api", [request.event()] * starts

    def _keyed_creations(self) -> tuple[Step, ...]:
        return self._creations(keyed=True)

    def _creations(self, *, keyed: bool = False) -> tuple[Step, ...]:
        body = json.dumps(self._job(LATER))
        plain_body = json.dumps(
            {"after_seconds": A_DAY, "request": {"url": self._cell.url, "json_": PAYLOAD}}
        )

        def product() -> None:
            for _ in range(CREATED):
                self._post("/v1/jobs", body, {"idempotency-key": uuid4().hex} if keyed else {})

        def first() -> None:
            for _ in range(CREATED):
                create(self._plain, plain_body)

        return product, first

    def _batches(self) -> tuple[Step, ...]:
        body = json.dumps({"jobs": [self._job(LATER)] * IN_BATCH})
        plain_body = json.dumps(
            {"after_seconds": A_DAY, "request": {"url": self._cell.url, "json_": PAYLOAD}}
        )

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
        # A slow machine has half a minute to create the jobs before they are due.
        return self._calls(
            {"rate_seconds": 60, "start_at": instant(self._cell.clock.now_ms() + 30_000)}, due_in_ms=30_000
        )

    def _calls(self, schedule: dict[str, Any], due_in_ms: int = 0) -> tuple[Step, ...]:
        """Jobs that are due so soon that the API sends them, one message each."""
        due_at = self._cell.clock.now_ms() + due_in_ms
        self._cell.take()
        for _ in range(CALLED):
            self._post("/v1/jobs", json.dumps(self._job(schedule)))
        entries = self._cell.take()
        assert len(entries) == CALLED
        self._cell.clock.skip_to(due_at)
        self._cell.clock.skip(1_500)

        def product() -> None:
            self._cell.execute(entries)

        if not self._has_loops:
            return (product,)
        pks = [uuid4().hex, uuid4().hex]
        url, payload = self._cell.url, json.dumps(PAYLOAD).encode()
        rows = [self._plain.fill(pk, CALLED, url, payload) for pk in pks]

        def first() -> None:
            for start in range(0, CALLED, BATCH):
                self._loops.run(pks[0], rows[0][start : start + BATCH])

        def best() -> None:
            for start in range(0, CALLED, BATCH):
                self._loops.run_batched(pks[1], rows[1][start : start + BATCH])

        return product, first, best

    def _dispatches(self, due: int, tenants: int) -> tuple[Step, ...]:
        # A minute that no watcher scans before every job is there.
        at = self._cell.clock.now_ms() // MINUTE_MS * MINUTE_MS + 10 * MINUTE_MS
        for number in range(due // IN_BATCH):
            body = json.dumps({"jobs": [self._job({"at": instant(at)})] * IN_BATCH})
            self._post("/v1/jobs/batch", body, tenant=number % tenants)
        pk = uuid4().hex
        if self._has_loops:
            self._plain.fill(pk, due, self._cell.url, json.dumps(PAYLOAD).encode())
        self._cell.skip_to_tick(at)
        self._cell.take()

        def product() -> None:
            found = self._cell.watch()
            assert found == due, f"{found} of {due} are found"

        return product, lambda: dispatch(self._plain, pk), lambda: dispatch_in_packs(self._plain, pk)

    def _job(self, schedule: dict[str, Any]) -> dict[str, Any]:
        return {"schedule": schedule, "request": {"url": self._cell.url, "json": PAYLOAD}}

    def _post(self, path: str, body: str, headers: dict[str, str] | None = None, tenant: int = 0) -> None:
        own = self._cell.headers(tenant) | (headers or {})
        self._cell.respond(Request(method="POST", path=path, body=body, headers=own))
