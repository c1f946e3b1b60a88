"""All use cases of one process: those of the API, and here those that ticks and messages start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.names import QueueName
from shared.usecases.attempts.call_receiver import CallReceiver
from shared.usecases.attempts.compose_callback import ComposeCallback
from shared.usecases.attempts.make_attempt import MakeAttempt
from shared.usecases.attempts.run_attempts import RunAttempts
from shared.usecases.attempts.settle_refusal import SettleRefusal
from shared.usecases.dead_letters.handle_dead_messages import HandleDeadMessages
from shared.usecases.dead_letters.process_bulk_redrives import ProcessBulkRedrives
from shared.usecases.limits.apply_backpressure import ApplyBackpressure
from shared.usecases.limits.defer_keys import DeferKeys
from shared.usecases.limits.throttle_batch import ThrottleBatch
from shared.usecases.outcomes.repair_notifications import RepairNotifications
from shared.usecases.reading.find_head import FindHead
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.ticks.reconcile import Reconcile
from shared.usecases.ticks.sweep_buckets import SweepBuckets
from shared.usecases.ticks.watch_buckets import WatchBuckets
from tests.simulation.api_ports import ApiPorts
from tests.simulation.calls import GreenletOffload, PortCalls
from tests.simulation.lanes import Backlog
from tests.simulation.memory import Memory

if TYPE_CHECKING:
    pass


class Ports(ApiPorts):
    """What a function may run."""

    def process_bulk_redrives(self) -> ProcessBulkRedrives:
        """What the sweeper does of bulk redrives."""
        return ProcessBulkRedrives(
            self.redrives,
            self.list_dead_letters(),
            self.redrive(),
            self.store,
            self.finalize(),
            self.clock,
            self._world.retention,
        )

    def watch_buckets(self) -> WatchBuckets:
        """WATCH."""
        return WatchBuckets(self.store, self.queue, self.ledger, self.clock, self._world.plan)

    def sweep_buckets(self) -> SweepBuckets:
        """SWEEP."""
        world = self._world
        return SweepBuckets(
            self.store,
            self.queue,
            self.ledger,
            self.progress,
            Backlog(PortCalls(self._process, world.lanes)),
            self.limits,
            self.give_up(),
            RepairNotifications(self.store, self.finalize()),
            self.clock,
            world.plan,
            world.retention,
        )

    def reconcile(self) -> Reconcile:
        """RECONCILE."""
        accepted: Any = PortCalls(self._process, self._world.accepted)
        head = FindHead(self.store)
        return Reconcile(
            self.store,
            self.jobs,
            accepted,
            self.ledger,
            head,
            self.file,
            self.file_successor,
            self.clock,
            self._world.plan,
            self.lifecycle().settle,
        )

    def handle_dead_messages(self) -> HandleDeadMessages:
        """The handler of a dead-letter queue."""
        retention = self._world.retention
        return HandleDeadMessages(
            self.store,
            self.file,
            self.file_successor,
            self.parked_messages,
            self.clock,
            retention,
            self.give_up(),
            self.finalize(),
        )

    def gate_calls(self, queue: QueueName, memory: Memory) -> ThrottleBatch:
        """The gate of the executor's process, with what this sandbox has learned before."""
        world = self._world
        memory.resume(self.limits, self.budgets, self.clock)
        admit = memory.admit(ReadTenant(world.tenants, self.clock), world.quotas)
        return ThrottleBatch(
            queue,
            ApplyBackpressure(self.progress, self.clock, world.entropy),
            admit,
            memory.settle_limits,
            DeferKeys(self.queue, self.clock),
        )

    def run_attempts(self, lane: QueueName, memory: Memory) -> RunAttempts:
        """EXECUTE."""
        world, process, loop = self._world, self._process, self._loop
        assert loop is not None
        offload = GreenletOffload(process, loop)
        read_tenant = ReadTenant(world.tenants, self.clock)
        compose = ComposeCallback(read_tenant, OpenRequest(self.jobs, world.vault, self.store), world.vault)
        sender = world.receiver.sender(process, self.clock)
        make_attempt = MakeAttempt(
            CallReceiver(self.store, self.jobs, compose, sender, self.clock, offload),
            self._settle_attempt(),
            self.file_successor,
            offload,
        )
        settle = SettleRefusal(self.file, self.file_successor, self.give_up(), self.finalize(), self.clock)
        return RunAttempts(
            lane,
            self.claimer,
            self.gate_calls(lane, memory),
            make_attempt,
            settle,
            self._guard_start(),
            self.progress,
            self.clock,
            world.entropy,
            offload,
        )
