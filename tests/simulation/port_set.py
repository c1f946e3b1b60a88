"""The ports of one process, with its faults before and after each call, and what all of its use cases share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ReadTimeoutError

from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.ports.executions import WriteUnknown
from shared.usecases.attempts.guard_start import GuardStart
from shared.usecases.attempts.settle_attempt import SettleAttempt
from shared.usecases.chains.lifecycle import Lifecycle
from shared.usecases.dead_letters.redrive_execution import RedriveExecution
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.outcomes.finalize_execution import FinalizeExecution
from shared.usecases.outcomes.give_up_lost import GiveUpLost
from shared.usecases.outcomes.notify_outcome import NotifyOutcome
from shared.usecases.reading.find_execution import FindExecution
from shared.usecases.reading.find_job import FindJob
from shared.usecases.tenancy.read_tenant import ReadTenant
from tests.simulation import planted
from tests.simulation.calls import PortCalls, ProcessClock
from tests.simulation.hub import SimLoop
from tests.simulation.lanes import QUEUE_URLS
from tests.simulation.process import Process

if TYPE_CHECKING:
    from tests.simulation.world import World


def _no_answer(**_request: Any) -> Any:
    raise ReadTimeoutError(endpoint_url="https://sqs.example.com")


def _undecided(claims: Any, _now_ms: int) -> list[WriteUnknown]:
    return [WriteUnknown("injected") for _ in claims]


class PortSet:
    """The ports of one process. An executor has an event loop of its own."""

    def __init__(self, world: World, process: Process, loop: SimLoop | None = None) -> None:
        self._world, self._process, self._loop = world, process, loop
        self.clock: Any = ProcessClock(process, loop)
        self.store: Any = PortCalls(process, world.store)
        self.jobs: Any = PortCalls(process, world.jobs)
        self.ledger: Any = PortCalls(process, world.ledger)
        self.progress: Any = PortCalls(process, world.progress)
        self.parked_messages: Any = PortCalls(process, world.parked_messages)
        self.run_locks: Any = PortCalls(process, world.run_locks)
        self.one_offs: Any = PortCalls(process, world.one_offs)
        self.redrives: Any = PortCalls(process, world.redrives)
        self.idempotency: Any = PortCalls(process, world.idempotency)
        self.claimer: Any = PortCalls(process, world.claimer, {"claim": _undecided})
        sqs: Any = PortCalls(process, world.lanes, {"send_message_batch": _no_answer})
        self.queue = SqsWakeupQueue(sqs, QUEUE_URLS, world.weights)
        self.limits: Any = PortCalls(process, world.limits)
        self.budgets: Any = PortCalls(process, world.budgets)
        self.file = FileExecution(self.store, self.queue, self.ledger, self.clock)
        successor = FileSuccessor(self.file, self.store, self.jobs, self.clock, world.retention)
        self.file_successor: Any = successor
        if not planted.FROZEN:
            self.file_successor = planted.TodaysCounts(successor, world.plan, self.clock)
        self.find = FindJob(self.store, self.jobs)

    def lifecycle(self) -> Lifecycle:
        """Changes of recurring jobs."""
        world = self._world
        return Lifecycle(
            self.store, self.jobs, self.run_locks, self.file, self.clock, world.plan, world.retention
        )

    def finalize(self) -> FinalizeExecution:
        """What the end of an execution asks for."""
        lifecycle = self.lifecycle()
        return FinalizeExecution(
            self.jobs,
            lifecycle.find_settled,
            lifecycle.pause,
            self._notify(),
            self.clock,
            self._world.retention,
        )

    def _notify(self) -> NotifyOutcome:
        world = self._world
        read_tenant = ReadTenant(world.tenants, self.clock)
        return NotifyOutcome(read_tenant, self.file, self.clock, world.plan, world.retention)

    def _settle_attempt(self) -> SettleAttempt:
        world = self._world
        return SettleAttempt(
            self.store,
            self.file,
            self.finalize(),
            self._notify(),
            self.clock,
            world.entropy,
            world.retention,
        )

    def _guard_start(self) -> GuardStart:
        return GuardStart(
            self.store, self.run_locks, self.file, self.file_successor, self.clock, self._world.retention
        )

    def give_up(self) -> GiveUpLost:
        """The end of what was lost."""
        return GiveUpLost(
            self.store,
            self.file_successor,
            self.finalize(),
            self._notify(),
            self.clock,
            self._world.retention,
        )

    def redrive(self) -> RedriveExecution:
        """POST /v1/executions/{id}/redrive."""
        world = self._world
        return RedriveExecution(
            FindExecution(self.store),
            self.store,
            self.jobs,
            self.file,
            self.clock,
            world.plan,
            world.retention,
        )
