"""One deployment in a simulation: the product's use cases, unchanged, over fakes, on a virtual clock."""

import hashlib
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from functions.executor.records import batch_response, deliveries
from shared.adapters.sqs.messages import decode_wakeup
from shared.domain.bucket import MINUTE_MS, ShardCounts, ShardEpoch, ShardPlan, ShardRange, bucket_of
from shared.domain.errors import UnavailableError
from shared.domain.execution import Execution
from shared.domain.retention import Retention
from shared.domain.tenant import Tenant
from shared.names import Lane
from shared.ports.claims import Undecided
from shared.ports.executions import ScanPage
from shared.usecases.cancel_job import CancelJob
from shared.usecases.compose_callback import ComposeCallback
from shared.usecases.create_job import CreateJob
from shared.usecases.create_tenant import CreateTenant
from shared.usecases.delete_recurring_job import DeleteRecurringJob
from shared.usecases.file_execution import FileExecution
from shared.usecases.file_successor import FileSuccessor
from shared.usecases.find_head import FindHead
from shared.usecases.find_job import FindJob
from shared.usecases.list_executions import ListExecutions
from shared.usecases.make_attempt import MakeAttempt
from shared.usecases.open_request import OpenRequest
from shared.usecases.read_tenant import ReadTenant
from shared.usecases.reconcile import Reconcile, ReconcileReport
from shared.usecases.rescue_dead_letters import DeadMessage, RescueDeadLetters
from shared.usecases.run_attempts import RunAttempts
from shared.usecases.settle_refusal import SettleRefusal
from shared.usecases.sweep_buckets import SweepBuckets
from shared.usecases.watch_buckets import WatchBuckets
from tests.fakes.accepted_log import FakeAcceptedLog
from tests.fakes.boards import FakeParkingLot, FakeProgressBoard
from tests.fakes.claimer import FakeClaimer
from tests.fakes.clock import SeededEntropy, VirtualClock
from tests.fakes.execution_store import FakeExecutionStore
from tests.fakes.idempotency_store import FakeIdempotencyStore
from tests.fakes.job_store import FakeJobStore
from tests.fakes.ledger import FakeShardLedger
from tests.fakes.table import FakeTable
from tests.fakes.tenant_store import FakeTenantStore
from tests.fakes.vault import FakeVault
from tests.simulation.faults import FaultMix, draw_mix
from tests.simulation.hub import Hub, SimLoop
from tests.simulation.lanes import Message, SimLanes
from tests.simulation.process import GreenletOffload, PortCalls, Process, ProcessClock
from tests.simulation.receiver import SimReceiver

START_MS = 30_000_000 * MINUTE_MS + 7_000
TENANTS = ("acme", "globex")
COUNTS = ShardCounts(normal=2, quarter=3, midnight=4)
GROWN = ShardCounts(normal=5, quarter=6, midnight=6)
GROWS_AT_MS = START_MS + 4 * MINUTE_MS
STALE_MS = 0
"""How far scans may lag behind; anything but 0 is a fault to be found."""
FROZEN = True
"""Whether a job keeps the shard counts of its revision; anything else is a fault to be found."""
WATCHERS = 2


class CutPages(FakeExecutionStore):
    """A store whose pages end anywhere, as DynamoDB's may."""

    def __init__(self, table: FakeTable, rng: random.Random, hub: Hub) -> None:
        super().__init__(table)
        self._rng = rng
        self._hub = hub

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        """See the port."""
        page = super().scan(bucket, shard, after=after, limit=self._rng.choice((1, 2, 3, limit)))
        if not STALE_MS:
            return page
        seen = (row for row in page.rows if row.created_at + STALE_MS <= self._hub.now_ms)
        return replace(page, rows=tuple(seen))


class World:
    """Everything that one seed runs with."""

    def __init__(self, seed: int, mix: FaultMix | None = None) -> None:
        self.rng = random.Random(seed)
        self.mix = draw_mix(self.rng) if mix is None else mix
        self.hub = Hub(START_MS)
        self.trace: list[str] = []
        self.table = FakeTable()
        self.store, self.claimer = CutPages(self.table, self.rng, self.hub), FakeClaimer(self.table)
        self.jobs, self.ledger = FakeJobStore(self.table), FakeShardLedger()
        self.idempotency, self.tenants = FakeIdempotencyStore(), FakeTenantStore()
        self.progress, self.parking = FakeProgressBoard(), FakeParkingLot()
        self.entropy = SeededEntropy(seed)
        self.vault = FakeVault(self.entropy)
        self.retention = Retention(14)
        grown = ShardEpoch(from_bucket=bucket_of(GROWS_AT_MS), counts=GROWN)
        self.plan = ShardPlan((ShardEpoch(from_bucket=0, counts=COUNTS), grown))
        self.receiver = SimReceiver(self.hub, self.rng, lambda: self.mix)
        self.lanes = SimLanes(self.hub, self.rng, lambda: self.mix, self._execute, self._rescue)
        self._processes = 0
        create = CreateTenant(self.tenants, self.vault, VirtualClock(START_MS), self.entropy)
        for name in TENANTS:
            create(name)

    def tenant(self, name: str) -> Tenant:
        """A tenant, read without faults."""
        tenant = self.tenants.get(name)
        assert tenant is not None
        return tenant

    def note(self, line: str) -> None:
        """Add to the trace."""
        self.trace.append(f"{self.hub.now_ms - START_MS:>9} {line}")

    def trace_hash(self) -> str:
        """Tells two runs apart that differ anywhere."""
        return hashlib.sha256("\n".join(self.trace).encode()).hexdigest()[:16]

    def reconcile(self, accepted: FakeAcceptedLog) -> ReconcileReport:
        """One run of the reconciler, in a world without faults."""
        clock = VirtualClock(self.hub.now_ms)
        file = FileExecution(self.store, self.lanes, self.ledger, clock)
        successor = FileSuccessor(file, self.store, self.jobs, clock, self.retention)
        head = FindHead(self.store)
        run = Reconcile(self.store, self.jobs, accepted, self.ledger, head, file, successor, clock, self.plan)
        return run()

    def process(self, kind: str) -> Process:
        """A new sandbox."""
        self._processes += 1
        return Process(f"{kind}{self._processes}", self.hub, self.rng, lambda: self.mix, self.note)

    def start_ticks(self, until_ms: Callable[[], int]) -> None:
        """EventBridge: a tick a minute for each watcher's part and for the sweeper; some missed, some doubled."""
        for index in range(WATCHERS):
            part = ShardRange(index=index, of=WATCHERS)
            self._tick_on(self.rng.randint(0, 59_999), until_ms, lambda part=part: self._watch(part))
        self._tick_on(self.rng.randint(0, 59_999), until_ms, self._sweep)

    def _tick_on(self, offset_ms: int, until_ms: Callable[[], int], run: Callable[[], None]) -> None:
        def tick() -> None:
            if self.rng.random() >= self.mix.miss_tick:
                run()
            if self.rng.random() < self.mix.double_tick:
                run()
            if self.hub.now_ms < until_ms():
                self.hub.spawn(tick, self.hub.now_ms + MINUTE_MS)

        self.hub.spawn(tick, START_MS + offset_ms)

    def _watch(self, part: ShardRange) -> None:
        process = self.process("watcher")
        ports = Ports(self, process)
        watch = WatchBuckets(ports.store, ports.queue, ports.ledger, ports.clock, self.plan)
        process.spawn(lambda: _tolerantly(lambda: watch(part)))

    def _sweep(self) -> None:
        process = self.process("sweeper")
        ports = Ports(self, process)
        sweep = SweepBuckets(
            ports.store,
            ports.queue,
            ports.ledger,
            ports.progress,
            ports.file_successor,
            ports.clock,
            self.plan,
            self.retention,
        )
        process.spawn(lambda: _tolerantly(sweep))

    def _execute(self, lane: Lane, batch: list[Message]) -> None:
        process = self.process("executor")

        def run() -> None:
            loop = SimLoop(self.hub)
            ports = Ports(self, process, loop)
            records = [_record(message) for message in batch]
            try:
                report = loop.run_until_complete(ports.run_attempts(lane)(deliveries(records)))
            finally:
                loop.close()
            failed = {failure["itemIdentifier"] for failure in batch_response(report)["batchItemFailures"]}
            waits = {item.delivery.message_id: item.visible_after_seconds for item in report.returned()}
            for message in batch:
                if message.id in failed:
                    self.lanes.put_back(message, waits[message.id] * 1000)
                else:
                    self.lanes.delete(message)

        process.spawn(run)

    def _rescue(self, lane: Lane, batch: list[Message]) -> None:
        process = self.process("rescuer")
        ports = Ports(self, process)
        rescue = RescueDeadLetters(
            ports.store, ports.file, ports.file_successor, ports.parking, ports.clock, self.retention
        )
        dead = [
            DeadMessage(
                message_id=message.id, lane=lane, body=message.body, wakeup=decode_wakeup(message.body)
            )
            for message in batch
        ]

        def run() -> None:
            report = rescue(dead)
            for message in batch:
                if message.id not in report.returned:
                    self.lanes.delete(message)

        process.spawn(run)


class Ports:
    """The ports of one process, and the use cases that it runs."""

    def __init__(self, world: World, process: Process, loop: SimLoop | None = None) -> None:
        self._world, self._process, self._loop = world, process, loop
        self.clock: Any = ProcessClock(process, loop)
        self.store: Any = PortCalls(process, world.store)
        self.jobs: Any = PortCalls(process, world.jobs)
        self.ledger: Any = PortCalls(process, world.ledger)
        self.progress: Any = PortCalls(process, world.progress)
        self.parking: Any = PortCalls(process, world.parking)
        self.idempotency: Any = PortCalls(process, world.idempotency)
        self.queue: Any = PortCalls(process, world.lanes, {"send": lambda wakeups, _: list(wakeups)})
        undecided = {"claim": lambda claims, _: [Undecided("injected") for _ in claims]}
        self.claimer: Any = PortCalls(process, world.claimer, undecided)
        self.file = FileExecution(self.store, self.queue, self.ledger, self.clock)
        self.file_successor: Any = FileSuccessor(
            self.file, self.store, self.jobs, self.clock, world.retention
        )
        if not FROZEN:
            self.file_successor = TodaysCounts(self.file_successor, world.plan, self.clock)
        self.find = FindJob(self.store, self.jobs)

    def create_job(self) -> CreateJob:
        """POST /v1/jobs."""
        world = self._world
        return CreateJob(
            self.file,
            self.jobs,
            self.idempotency,
            world.vault,
            self.clock,
            world.entropy,
            world.plan,
            allow_http=True,
        )

    def cancel_job(self) -> CancelJob:
        """DELETE /v1/jobs/{id}."""
        retention = self._world.retention
        delete = DeleteRecurringJob(self.store, self.jobs, self.clock, retention)
        return CancelJob(self.find, self.store, self.jobs, delete, self.clock, retention)

    def list_executions(self) -> ListExecutions:
        """GET /v1/jobs/{id}/executions."""
        return ListExecutions(self.find, self.store, self.clock)

    def run_attempts(self, lane: Lane) -> RunAttempts:
        """EXECUTE."""
        world, process, loop = self._world, self._process, self._loop
        assert loop is not None
        offload = GreenletOffload(process, loop)
        read_tenant = ReadTenant(world.tenants, self.clock)
        compose = ComposeCallback(read_tenant, OpenRequest(self.jobs, world.vault), world.vault)
        make_attempt = MakeAttempt(
            self.store,
            self.jobs,
            self.file,
            self.file_successor,
            compose,
            world.receiver.sender(process, self.clock),
            self.clock,
            world.entropy,
            offload,
            world.retention,
        )
        settle = SettleRefusal(self.store, self.file, self.file_successor, self.clock, world.retention)
        return RunAttempts(
            lane,
            self.claimer,
            make_attempt,
            settle,
            self.progress,
            self.clock,
            world.entropy,
            offload,
        )


class TodaysCounts:
    """The fault of computing a successor's shard from today's configuration."""

    def __init__(self, file_successor: FileSuccessor, plan: ShardPlan, clock: ProcessClock) -> None:
        self._file_successor, self._plan, self._clock = file_successor, plan, clock

    def __call__(self, execution: Execution) -> None:
        """File it where today's count says."""
        if execution.recurrence is not None:
            counts = self._plan.counts_at(bucket_of(self._clock.now_ms()))
            execution = replace(execution, recurrence=replace(execution.recurrence, counts=counts))
        self._file_successor(execution)


def _record(message: Message) -> dict[str, Any]:
    attributes = {"SentTimestamp": str(message.sent_at), "ApproximateReceiveCount": str(message.receives)}
    return {"messageId": message.id, "body": message.body, "attributes": attributes}


def _tolerantly(run: Callable[[], Any]) -> None:
    """A tick that fails is a failed invocation, which is logged and made good by the next one."""
    try:
        run()
    except UnavailableError:
        return
