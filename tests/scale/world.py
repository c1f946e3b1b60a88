"""A slice of a stage: production's use cases on virtual machines, over charged fakes."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable
from random import Random
from typing import Any

from functions.executor.records import batch_response, deliveries
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.dynamo_ports import SPREAD_THREADS
from shared.bootstrap.ports import Ports
from shared.bootstrap.use_cases import UseCases
from shared.bootstrap.use_cases import use_cases as compose
from shared.domain.bucket import MINUTE_MS, ShardRange, bucket_end_ms
from shared.domain.executions.retention import Retention
from shared.domain.tenancy.quota import Quotas
from shared.names import EXECUTOR_TIMEOUT_SECONDS, QueueName
from shared.usecases.attempts.settle_attempt import AttemptEnd
from shared.usecases.tenancy.create_tenant import CreateTenant
from shared.usecases.tenancy.tenant_weights import TenantWeights
from tests.scale import costs
from tests.scale.charges import (
    Biller,
    BudgetPrices,
    Charged,
    ChargedBatches,
    ChargedClaimer,
    ExecutionPrices,
    JobPrices,
    LedgerPrices,
    LimitPrices,
    ProgressPrices,
    ShardCountPrices,
    TenantPrices,
)
from tests.scale.machines import Machine, MachineClock, MachineLoop, MachineOffload, MachineSpread
from tests.scale.meters import Meters
from tests.scale.queues import BATCH, QUEUE_URLS, ChargedSqs, Message, ScaleSqs
from tests.scale.receivers import MachineSender, Receivers
from tests.scale.stage import START_MS, Slice
from tests.scale.stores import ScaleExecutionStore, ScaleTable
from tests.scale.vaults import MachineVault
from tests.simulation.hub import Hub
from tests.support.fakes.budgets import FakeBudgetStore, FakeRecurringJobs
from tests.support.fakes.claimer import FakeClaimer
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.fakes.idempotency_store import FakeIdempotencyStore
from tests.support.fakes.job_store import FakeJobStore
from tests.support.fakes.lane_stores import FakeLaneProgressStore
from tests.support.fakes.ledger import FakeShardLedger
from tests.support.fakes.limit_store import FakeLimitStore
from tests.support.fakes.one_off_batches import FakeOneOffBatches
from tests.support.fakes.run_lock_store import FakeRunLockStore
from tests.support.fakes.shard_counts import FakeShardCountStore
from tests.support.fakes.tenant_store import FakeTenantStore
from tests.support.fakes.vault import FakeVault
from tests.support.settings import settings_of

SWEEPER_STOP_MS = 100_000
"""`STOP_BEFORE_END_MS` before the timeout of the sweeper."""


class ScaleWorld:
    """All that machines share."""

    def __init__(self, part: Slice, seed: int, defaults: Quotas, long_for_ms: float) -> None:
        self.slice, self.seed = part, seed
        self.measured_from_s = 0
        self.rng = Random(seed)
        self.hub = Hub(START_MS)
        self.meters = Meters(part.key_scales)
        self.table = ScaleTable()
        self.store = ScaleExecutionStore(self.table)
        self.claimer, self.batches = FakeClaimer(self.table), FakeOneOffBatches(self.table)
        self.jobs, self.ledger = FakeJobStore(self.table), FakeShardLedger()
        self.shard_counts, self.tenants = FakeShardCountStore(), FakeTenantStore()
        self.progress, self.limits = FakeLaneProgressStore(), FakeLimitStore()
        self.budgets, self.run_locks = FakeBudgetStore(), FakeRunLockStore()
        self.entropy = SeededEntropy(seed)
        self.vault = FakeVault(self.entropy)
        self.receivers = Receivers(Random(f"receivers {seed}"), long_for_ms)
        self.settings = settings_of(part.plan, Retention(14), default_quotas=defaults)
        self.samples: dict[str, list[float]] = defaultdict(list)
        """What should not grow, once a minute since the measurement began."""
        self.executors = Executors(self)
        self.sqs = ScaleSqs(self.hub, self.meters, part.stage.lanes, part.factor, self.executors.consume)
        self.ticks = Ticks(self)
        self.names = [f"tenant{number:05d}" for number in range(part.stage.tenants)]
        create = CreateTenant(self.tenants, self.vault, VirtualClock(START_MS), self.entropy)
        for name in self.names:
            create.execute(name)

    def machine(self, memory_mb: int) -> Machine:
        return Machine(self.hub, memory_mb)

    def ports(self, machine: Machine, jobs_per_second: float = 10) -> Ports:
        """The ports of one machine without an event loop."""
        bill, ports = Biller(self, machine), Ports()
        ports.clock, ports.entropy = MachineClock(self.hub), self.entropy
        ports.pause = machine.hub.sleep
        ports.executions = Charged(ExecutionPrices(bill), self.store)
        ports.claimer = ChargedClaimer(bill, self.claimer)
        ports.one_off_batches = ChargedBatches(bill, self.batches)
        ports.jobs = Charged(JobPrices(bill), self.jobs)
        prices = LedgerPrices(bill, self.slice.factor, self.slice.sweeper_factor)
        ports.ledger = Charged(prices, self.ledger)
        ports.limits = Charged(LimitPrices(bill), self.limits)
        ports.tenants = Charged(TenantPrices(bill), self.tenants)
        ports.progress = Charged(ProgressPrices(bill), self.progress)
        ports.shard_counts = Charged(ShardCountPrices(bill), self.shard_counts)
        ports.budgets = Charged(BudgetPrices(bill), self.budgets)
        ports.run_locks, ports.recurring_jobs = self.run_locks, FakeRecurringJobs(self.table)
        ports.idempotency = FakeIdempotencyStore()
        client: Any = ChargedSqs(self.sqs, machine, self.meters)
        weights = TenantWeights(ports.tenants, ports.clock)
        ports.queue = SqsWakeupQueue(client, QUEUE_URLS, weights, MachineSpread(machine, SPREAD_THREADS))
        ports.backlog = client
        vault: Any = MachineVault(self, machine, self.rng, jobs_per_second)
        ports.vault = vault
        return ports

    def use_cases(self, machine: Machine) -> UseCases:
        return compose(self.ports(machine), self.settings)

    def begin(self) -> None:
        """The warm-up is over: measure from now on."""
        self.meters.begin()
        self.sqs.begin()
        self.executors.begin()
        self.ticks.begin()
        self.receivers.is_measured = True
        self.measured_from_s = int(self.hub.now_ms) // 1000
        self._sample()

    def _sample(self) -> None:
        """Once a minute: whatever might grow."""
        now_ms = self.hub.now_ms
        rows = [row.execution for row in self.table.executions.values()]
        overdue = [run for run in rows if not run.state.is_terminal and run.not_before < now_ms]
        long_runs = sum(run.progress.async_until is not None for run in overdue)
        found = {
            "open shards": len(self.ledger.rows),
            "long runs": long_runs,
            "open rows that are due": len(overdue) - long_runs,
            "visible messages": sum(lane.visible for lane in self.sqs.lanes.values()),
            "messages in flight": sum(lane.in_flight for lane in self.sqs.lanes.values()),
        }
        for name, count in found.items():
            self.samples[name].append(count)
        self.hub.spawn(self._sample, int(now_ms) + MINUTE_MS)


class Sandbox:
    """An executor's machine, whose caches outlive a batch."""

    def __init__(self, world: ScaleWorld, queue: QueueName) -> None:
        self.machine = world.machine(world.slice.stage.executor_mb)
        self.loop = MachineLoop(world.hub)
        ports = world.ports(self.machine)
        ports.clock = MachineClock(world.hub, self.loop)
        ports.offload = MachineOffload(self.machine, self.loop)
        ports.sender = MachineSender(world.receivers, self.machine, self.loop)
        self.run = compose(ports, world.settings).attempts.run_attempts(queue)


class Executors:
    """Lambda hands a batch to the idle sandbox that was used last, or starts a new one."""

    def __init__(self, world: ScaleWorld) -> None:
        self._world = world
        self._idle: dict[QueueName, list[Sandbox]] = {queue: [] for queue in QueueName}
        self.made: Counter[QueueName] = Counter()
        self.ends: Counter[AttemptEnd] = Counter()
        self.batches = 0
        self.keys = 0
        self.batch_ms = 0.0
        self.cpu_ms = 0.0
        self.full_ms: dict[QueueName, list[float]] = defaultdict(list)
        """How long full batches lasted."""
        self.deferred = 0
        self.undecided = 0
        self.is_warm = True
        """Whether a new sandbox is one that existed before the run."""

    def begin(self) -> None:
        self.ends.clear()
        self.batches = self.keys = self.deferred = self.undecided = 0
        self.batch_ms = self.cpu_ms = 0
        self.full_ms.clear()
        self.is_warm = False

    def consume(self, queue: QueueName, batch: list[Message]) -> None:
        self._world.hub.spawn(lambda: self._run(queue, batch))

    def _run(self, queue: QueueName, batch: list[Message]) -> None:
        hub, started_ms = self._world.hub, self._world.hub.now_ms
        hub.sleep(int(costs.latency("invoke")))
        if self._idle[queue]:
            sandbox = self._idle[queue].pop()
        else:
            sandbox = Sandbox(self._world, queue)
            self.made[queue] += 1
            if not self.is_warm:
                hub.sleep(int(costs.latency("cold_start")))
        cpu_ms = sandbox.machine.cpu_ms
        sandbox.machine.spend(len(batch) * costs.cpu("decode"))
        deadline_at = int(hub.now_ms) + EXECUTOR_TIMEOUT_SECONDS * 1000
        received = deliveries([_record(message) for message in batch])
        asyncio.set_event_loop(None)
        report = sandbox.loop.run_until_complete(sandbox.run.execute(received, deadline_at))
        failed = {failure["itemIdentifier"] for failure in batch_response(report)["batchItemFailures"]}
        waits = {item.delivery.message_id: item.visible_after_seconds for item in report.returned()}
        self.batches += 1
        self.keys += len(report.attempts)
        self.batch_ms += hub.now_ms - started_ms
        self.cpu_ms += sandbox.machine.cpu_ms - cpu_ms
        if len(batch) == BATCH:
            self.full_ms[queue].append(hub.now_ms - started_ms)
        self.deferred += len(report.deferred)
        self.undecided += len(report.undecided)
        self.ends.update(attempt.end for attempt in report.attempts)
        self._idle[queue].append(sandbox)
        self._world.sqs.finished(queue, batch, {key: wait for key, wait in waits.items() if key in failed})


def _record(message: Message) -> dict[str, Any]:
    return {
        "messageId": message.id,
        "body": message.body,
        "attributes": {
            "SentTimestamp": str(message.sent_at),
            "ApproximateReceiveCount": str(message.receives),
            "ApproximateFirstReceiveTimestamp": str(message.first_received_at),
        },
    }


class Ticks:
    """Watchers and sweepers, a tick a minute for each range."""

    def __init__(self, world: ScaleWorld) -> None:
        self._world = world
        self.runs: dict[str, list[float]] = {"watcher": [], "sweeper": []}
        """Milliseconds of each run since the measurement began, with all shards of its range."""
        self.reports: list[Any] = []
        self.first_passes: dict[tuple[int, int], float] = {}
        """Milliseconds from the end of a bucket to the end of a shard's first pass."""
        self._is_measured = False
        self._measured_from = 1 << 60

    def begin(self) -> None:
        self._is_measured = True
        self._measured_from = int(self._world.hub.now_ms) // MINUTE_MS

    def start(self) -> None:
        part = self._world.slice
        for index in range(part.watchers):
            self._start(
                "watcher", part.stage.watcher_mb, self._watch, ShardRange(index=index, of=part.watchers)
            )
        for index in range(part.sweepers):
            self._start(
                "sweeper", part.stage.sweeper_mb, self._sweep, ShardRange(index=index, of=part.sweepers)
            )

    def _start(
        self, kind: str, memory_mb: int, run: Callable[[UseCases, ShardRange], None], part: ShardRange
    ) -> None:
        world = self._world
        factor = world.slice.watcher_factor if kind == "watcher" else world.slice.sweeper_factor
        offset_ms = world.rng.randint(0, MINUTE_MS - 1)
        idle: list[tuple[Machine, UseCases]] = []

        def invoke() -> None:
            if idle:
                machine, cases = idle.pop()
            else:
                machine = world.machine(memory_mb)
                cases = world.use_cases(machine)
            began_ms, fixed_ms = world.hub.now_ms, machine.fixed_ms
            is_measured = self._is_measured
            run(cases, part)
            if is_measured:
                fixed_ms = machine.fixed_ms - fixed_ms
                self.runs[kind].append(fixed_ms + (world.hub.now_ms - began_ms - fixed_ms) * factor)
            idle.append((machine, cases))

        def tick() -> None:
            world.hub.spawn(invoke)
            world.hub.spawn(tick, world.hub.now_ms + MINUTE_MS)

        world.hub.spawn(tick, START_MS + offset_ms)

    def _watch(self, cases: UseCases, part: ShardRange) -> None:
        self.reports.append(cases.ticks.watch_buckets.execute(part))

    def _sweep(self, cases: UseCases, part: ShardRange) -> None:
        hub, until_ms = self._world.hub, self._world.hub.now_ms + SWEEPER_STOP_MS
        self.reports.append(cases.ticks.sweep_buckets.execute(lambda: hub.now_ms < until_ms, part))

    def note_passes(self) -> None:
        """Look at the ledger each second: which shards have had their first pass."""
        world = self._world

        def look() -> None:
            now_ms = world.hub.now_ms
            ended = int(now_ms) // MINUTE_MS
            for bucket in range(max(ended - 6, self._measured_from), ended):
                for shard in range(world.slice.shards):
                    row = world.ledger.rows.get((bucket, shard))
                    if (bucket, shard) not in self.first_passes and (row is None or row.passes):
                        self.first_passes[bucket, shard] = now_ms - bucket_end_ms(bucket)
            world.hub.spawn(look, now_ms + 1000)

        world.hub.spawn(look)
