"""The ports of one process, with its faults before and after each call, and the use cases that it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ReadTimeoutError

from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.domain.execution import Execution
from shared.domain.job import Job
from shared.domain.new_job import NewJob
from shared.domain.target_policy import TargetPolicy
from shared.domain.tenant import Tenant
from shared.names import QueueName
from shared.ports.claims import Undecided
from shared.usecases.backfill_job import BackfillJob
from shared.usecases.call_receiver import CallReceiver
from shared.usecases.cancel_job import CancelJob
from shared.usecases.cancel_redrive import CancelRedrive
from shared.usecases.check_token import CheckToken
from shared.usecases.compose_callback import ComposeCallback
from shared.usecases.conclude_execution import ConcludeExecution
from shared.usecases.create_job import CreateJob
from shared.usecases.create_jobs import CreateJobs
from shared.usecases.create_recurring import CreateRecurring
from shared.usecases.defer_keys import DeferKeys
from shared.usecases.draft_job import DraftJob
from shared.usecases.file_batch import FileBatch
from shared.usecases.file_execution import FileExecution
from shared.usecases.file_successor import FileSuccessor
from shared.usecases.find_execution import FindExecution
from shared.usecases.find_head import FindHead
from shared.usecases.find_job import FindJob
from shared.usecases.gate_calls import GateCalls
from shared.usecases.give_up_lost import GiveUpLost
from shared.usecases.give_way import GiveWay
from shared.usecases.guard_start import GuardStart
from shared.usecases.heal_notifications import HealNotifications
from shared.usecases.heartbeat_execution import HeartbeatExecution
from shared.usecases.job_history import WalkHistory
from shared.usecases.lifecycle import Lifecycle
from shared.usecases.list_dead_letters import ListDeadLetters
from shared.usecases.list_executions import ListExecutions
from shared.usecases.make_attempt import MakeAttempt
from shared.usecases.notify_outcome import NotifyOutcome
from shared.usecases.open_request import OpenRequest
from shared.usecases.read_tenant import ReadTenant
from shared.usecases.reconcile import Reconcile
from shared.usecases.record_dropped import RecordDropped
from shared.usecases.redrive_execution import RedriveExecution
from shared.usecases.report_outcome import ReportOutcome
from shared.usecases.rescue_dead_letters import RescueDeadLetters
from shared.usecases.revise_job import ReviseJob
from shared.usecases.run_attempts import RunAttempts
from shared.usecases.settle_attempt import SettleAttempt
from shared.usecases.settle_refusal import SettleRefusal
from shared.usecases.start_redrive import StartRedrive
from shared.usecases.sweep_buckets import SweepBuckets
from shared.usecases.trigger_job import TriggerJob
from shared.usecases.undo_redrive import UndoRedrive
from shared.usecases.update_one_off import UpdateOneOff
from shared.usecases.watch_buckets import WatchBuckets
from shared.usecases.work_off_redrives import WorkOffRedrives
from tests.fakes.budgets import generous
from tests.simulation import planted
from tests.simulation.calls import GreenletOffload, PortCalls, ProcessClock
from tests.simulation.hub import SimLoop
from tests.simulation.lanes import QUEUE_URLS, Backlog
from tests.simulation.memory import Memory
from tests.simulation.process import Process

if TYPE_CHECKING:
    from tests.simulation.world import World


def _no_answer(**_request: Any) -> Any:
    raise ReadTimeoutError(endpoint_url="https://sqs.example.com")


def _undecided(claims: Any, _now_ms: int) -> list[Undecided]:
    return [Undecided("injected") for _ in claims]


class Ports:
    """The ports of one process. An executor has an event loop of its own."""

    def __init__(self, world: World, process: Process, loop: SimLoop | None = None) -> None:
        self._world, self._process, self._loop = world, process, loop
        self.clock: Any = ProcessClock(process, loop)
        self.store: Any = PortCalls(process, world.store)
        self.jobs: Any = PortCalls(process, world.jobs)
        self.ledger: Any = PortCalls(process, world.ledger)
        self.progress: Any = PortCalls(process, world.progress)
        self.parking: Any = PortCalls(process, world.parking)
        self.turns: Any = PortCalls(process, world.turns)
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

    def create_job(self) -> CreateJob:
        """POST /v1/jobs."""
        world = self._world
        return CreateJob(
            DraftJob(self.jobs, world.vault, world.entropy, world.plan, TargetPolicy()),
            self.file,
            CreateRecurring(self.file, self.jobs, RecordDropped(self.store, self.clock, world.retention)),
            self.idempotency,
            generous(world.table, self.clock),
            self.clock,
        )

    def create_jobs(self) -> CreateJobs:
        """POST /v1/jobs/batch."""
        one = self.create_job()
        batches: Any = PortCalls(self._process, self._world.one_off_batches)
        file_batch = FileBatch(self.file, batches)
        return CreateJobs(
            one.draft, file_batch, one.create_recurring, self.idempotency, one.check_quota, self.clock
        )

    def cancel_job(self) -> CancelJob:
        """DELETE /v1/jobs/{id}."""
        world = self._world
        return CancelJob(
            self.find, self.store, self.conclude(), self.lifecycle().delete, self.clock, world.retention
        )

    def lifecycle(self) -> Lifecycle:
        """Changes of recurring jobs."""
        world = self._world
        return Lifecycle(
            self.store, self.jobs, self.turns, self.file, self.clock, world.plan, world.retention
        )

    def revise(self, tenant: Tenant, job: Execution | Job, new: NewJob) -> Execution | Job:
        """PATCH /v1/jobs/{id}, of the job as its client saw it."""
        world = self._world
        update_one_off = UpdateOneOff(
            self.one_offs, self.store, self.file, self.clock, world.entropy, world.plan, world.retention
        )
        revise_job = ReviseJob(
            self.jobs,
            self.lifecycle().update,
            update_one_off,
            world.vault,
            self.clock,
            world.entropy,
            policy=TargetPolicy(),
        )
        present = OpenRequest(self.jobs, world.vault, self.store)(tenant, job)
        return revise_job(tenant, job, present, new, revision=job.revision)

    def version_of(self, tenant_id: str, job: Execution | Job) -> int:
        """The number in the body that a job shows."""
        return int(
            OpenRequest(self.jobs, self._world.vault, self.store)(self._world.tenant(tenant_id), job).body
        )

    def trigger_job(self) -> TriggerJob:
        """POST /v1/jobs/{id}/trigger."""
        world = self._world
        return TriggerJob(
            self.store,
            self.jobs,
            self.lifecycle().find_settled,
            self.idempotency,
            self.file,
            world.vault,
            self.clock,
            world.entropy,
            world.plan,
            world.retention,
        )

    def backfill_job(self) -> BackfillJob:
        """POST /v1/jobs/{id}/backfill."""
        world = self._world
        return BackfillJob(
            self.jobs,
            self.lifecycle().find_settled,
            self.lifecycle().send_head,
            self.idempotency,
            generous(world.table, self.clock),
            OpenRequest(self.jobs, world.vault, self.store),
            self.file,
            world.vault,
            self.clock,
            world.entropy,
            world.plan,
            world.retention,
        )

    def conclude(self) -> ConcludeExecution:
        """What the end of an execution asks for."""
        lifecycle = self.lifecycle()
        return ConcludeExecution(
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

    def heartbeat(self) -> HeartbeatExecution:
        """POST /v1/executions/{id}/heartbeat."""
        return HeartbeatExecution(self._check_token(), self.store, self.clock)

    def report_outcome(self) -> ReportOutcome:
        """POST /v1/executions/{id}/complete and fail."""
        return ReportOutcome(
            self._check_token(),
            self._settle_attempt(),
            self.store,
            self.file,
            self.conclude(),
            self._guard_start().hand_over,
            self.clock,
        )

    def _check_token(self) -> CheckToken:
        return CheckToken(self.store, ReadTenant(self._world.tenants, self.clock), self._world.vault)

    def _settle_attempt(self) -> SettleAttempt:
        world = self._world
        return SettleAttempt(
            self.store,
            self.file,
            self.conclude(),
            self._notify(),
            self.clock,
            world.entropy,
            world.retention,
        )

    def _guard_start(self) -> GuardStart:
        return GuardStart(
            self.store, self.turns, self.file, self.file_successor, self.clock, self._world.retention
        )

    def give_up(self) -> GiveUpLost:
        """The end of what was lost."""
        return GiveUpLost(
            self.store,
            self.file_successor,
            self.conclude(),
            self._notify(),
            self.clock,
            self._world.retention,
        )

    def list_executions(self) -> ListExecutions:
        """GET /v1/jobs/{id}/executions."""
        return ListExecutions(self.find, self.store, WalkHistory(self.jobs, self.clock))

    def list_dead_letters(self) -> ListDeadLetters:
        """GET /v1/dead-letters."""
        return ListDeadLetters(self.store, self.jobs)

    def find_execution(self) -> FindExecution:
        """GET /v1/executions/{id}."""
        return FindExecution(self.store)

    def redrive(self) -> RedriveExecution:
        """POST /v1/executions/{id}/redrive."""
        world = self._world
        return RedriveExecution(
            self.find_execution(), self.store, self.jobs, self.file, self.clock, world.plan, world.retention
        )

    def cancel_redrive(self) -> CancelRedrive:
        """DELETE /v1/executions/{id}."""
        return CancelRedrive(self.find_execution(), self.cancel_job())

    def start_redrive(self) -> StartRedrive:
        """POST /v1/dead-letters/redrive."""
        world = self._world
        return StartRedrive(
            self.redrives,
            self.list_dead_letters(),
            self.idempotency,
            world.vault,
            self.clock,
            world.entropy,
        )

    def undo_redrive(self) -> UndoRedrive:
        """DELETE /v1/redrives/{id}."""
        return UndoRedrive(self.redrives, self.start_redrive(), self.clock)

    def work_off_redrives(self) -> WorkOffRedrives:
        """What the sweeper does of bulk redrives."""
        return WorkOffRedrives(
            self.redrives,
            self.list_dead_letters(),
            self.redrive(),
            self.store,
            self.conclude(),
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
            HealNotifications(self.store, self.conclude()),
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

    def rescue_dead_letters(self) -> RescueDeadLetters:
        """The handler of a dead-letter queue."""
        retention = self._world.retention
        return RescueDeadLetters(
            self.store,
            self.file,
            self.file_successor,
            self.parking,
            self.clock,
            retention,
            self.give_up(),
            self.conclude(),
        )

    def gate_calls(self, queue: QueueName, memory: Memory) -> GateCalls:
        """The gate of the executor's process, with what this sandbox has learned before."""
        world = self._world
        states = memory.states(self.limits, self.clock)
        admit = memory.admit(states, self.budgets, ReadTenant(world.tenants, self.clock), world.quotas)
        return GateCalls(
            queue,
            GiveWay(self.progress, self.clock, world.entropy),
            admit,
            memory.settle_limits(states),
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
        settle = SettleRefusal(self.file, self.file_successor, self.give_up(), self.conclude(), self.clock)
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
