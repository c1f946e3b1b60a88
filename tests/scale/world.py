"""A slice of a stage: production's use cases on virtual machines, over charged fakes."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.dynamo_ports import AT_ONCE
from shared.bootstrap.ports import Ports
from shared.bootstrap.use_cases import UseCases
from shared.bootstrap.use_cases import use_cases as compose
from shared.domain.bucket import MINUTE_MS
from shared.domain.executions.retention import Retention
from shared.domain.tenancy.quota import Quotas
from shared.usecases.tenancy.create_tenant import CreateTenant
from shared.usecases.tenancy.tenant_weights import TenantWeights
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
from tests.scale.executors import Executors
from tests.scale.machines import Machine, MachineClock, MachineSpread
from tests.scale.meters import Meters
from tests.scale.queues import QUEUE_URLS, ChargedSqs, ScaleSqs
from tests.scale.receivers import Receivers
from tests.scale.stage import START_MS, Slice
from tests.scale.stores import ScaleExecutionStore, ScaleTable
from tests.scale.ticks import Ticks
from tests.scale.vaults import MachineVault
from tests.simulation.hub import Hub
from tests.support.fakes.alert_windows import FakeAlertWindows
from tests.support.fakes.budgets import FakeBudgetStore
from tests.support.fakes.claimer import FakeClaimer
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.fakes.idempotency_store import FakeIdempotencyStore
from tests.support.fakes.job_health_store import FakeJobHealthStore
from tests.support.fakes.job_store import FakeJobStore
from tests.support.fakes.lane_stores import FakeLaneProgressStore
from tests.support.fakes.ledger import FakeShardLedger
from tests.support.fakes.limit_store import FakeLimitStore
from tests.support.fakes.live_items import FakeLiveItems
from tests.support.fakes.one_off_batches import FakeOneOffBatches
from tests.support.fakes.run_lock_store import FakeRunLockStore
from tests.support.fakes.shard_counts import FakeShardCountStore
from tests.support.fakes.tenant_store import FakeTenantStore
from tests.support.fakes.vault import FakeVault
from tests.support.settings import settings_of


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
        self.job_health = FakeJobHealthStore()
        self.alert_windows = FakeAlertWindows()
        self.entropy = SeededEntropy(seed)
        self.vault = FakeVault(self.entropy)
        self.receivers = Receivers(Random(f"receivers {seed}"), long_for_ms)
        self.settings = settings_of(part.plan, Retention(14), default_quotas=defaults)
        self.samples: dict[str, list[float]] = defaultdict(list)
        """What should not grow, once a minute since the measurement began."""
        self.executors = Executors(self)
        self.sqs = ScaleSqs(self.hub, self.meters, part, self.executors.consume)
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
        ports.pause = machine.pause
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
        ports.run_locks, ports.recurring_jobs = self.run_locks, FakeLiveItems(self.table)
        ports.job_health = self.job_health
        ports.alert_windows = self.alert_windows
        ports.idempotency = FakeIdempotencyStore()
        client: Any = ChargedSqs(self.sqs, machine, self.meters)
        weights = TenantWeights(ports.tenants, ports.clock)
        ports.spread = MachineSpread(machine, AT_ONCE)
        ports.queue = SqsWakeupQueue(client, QUEUE_URLS, weights, ports.spread)
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

    def close(self) -> None:
        """End all machines, so that nothing of this run stays in memory."""
        self.hub.close()
        self.executors.close()

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
