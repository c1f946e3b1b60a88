"""Every use case over the fakes."""

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.target_policy import TargetPolicy
from shared.names import QueueName
from shared.usecases.attempts.call_receiver import CallReceiver
from shared.usecases.attempts.check_token import CheckToken
from shared.usecases.attempts.compose_callback import ComposeCallback
from shared.usecases.attempts.guard_start import GuardStart
from shared.usecases.attempts.heartbeat_execution import HeartbeatExecution
from shared.usecases.attempts.make_attempt import MakeAttempt
from shared.usecases.attempts.report_outcome import ReportOutcome
from shared.usecases.attempts.run_attempts import RunAttempts
from shared.usecases.attempts.settle_attempt import SettleAttempt
from shared.usecases.attempts.settle_refusal import SettleRefusal
from shared.usecases.chains.lifecycle import Lifecycle
from shared.usecases.dead_letters.cancel_redrive import CancelRedrive
from shared.usecases.dead_letters.handle_dead_messages import HandleDeadMessages
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.process_bulk_redrives import ProcessBulkRedrives
from shared.usecases.dead_letters.redrive_execution import RedriveExecution
from shared.usecases.dead_letters.start_redrive import StartRedrive
from shared.usecases.dead_letters.undo_redrive import UndoRedrive
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.jobs.backfill_job import BackfillJob
from shared.usecases.jobs.cancel_job import CancelJob
from shared.usecases.jobs.plan_backfill import PlanBackfill
from shared.usecases.jobs.revise_job import ReviseJob
from shared.usecases.jobs.trigger_job import TriggerJob
from shared.usecases.jobs.update_one_off import UpdateOneOff
from shared.usecases.limits.explain_wait import ExplainWait
from shared.usecases.listings.job_history import WalkHistory
from shared.usecases.listings.limited_runs import LimitedRuns
from shared.usecases.listings.list_by_time import ListByTime
from shared.usecases.listings.list_due import ListDue
from shared.usecases.listings.list_executions import ListExecutions
from shared.usecases.listings.list_jobs import ListJobs
from shared.usecases.listings.list_upcoming import ListUpcoming
from shared.usecases.listings.next_runs import NextRuns
from shared.usecases.listings.preview_schedule import PreviewSchedule
from shared.usecases.outcomes.finalize_execution import FinalizeExecution
from shared.usecases.outcomes.give_up_lost import GiveUpLost
from shared.usecases.outcomes.notify_outcome import NotifyOutcome
from shared.usecases.outcomes.repair_notifications import RepairNotifications
from shared.usecases.reading.find_execution import FindExecution
from shared.usecases.reading.find_head import FindHead
from shared.usecases.reading.find_job import FindJob
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.tenancy.authenticate import Authenticate
from shared.usecases.tenancy.check_quota import CheckQuota
from shared.usecases.tenancy.create_tenant import CreateTenant
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.tenancy.spend_budget import SpendBudget
from shared.usecases.ticks.reconcile_job import ReconcileJob
from shared.usecases.ticks.sweep_buckets import SweepBuckets
from shared.usecases.ticks.watch_buckets import WatchBuckets
from tests.support.builders import ONE_SHARD
from tests.support.fakes.budgets import GENEROUS, FakeRecurringJobs
from tests.support.fakes.queries import FakeQueries
from tests.support.fakes.sender import AnswerTo, succeeds
from tests.support.usecases.creation import creation
from tests.support.usecases.gates import gate
from tests.support.usecases.ports import EARLY, Ports


class UseCases(Ports):
    """One deployment in memory."""

    def __init__(
        self, now_ms: int = EARLY, *, counts: ShardCounts = ONE_SHARD, answer_to: AnswerTo = succeeds
    ) -> None:
        super().__init__(now_ms, counts=counts, answer_to=answer_to)
        self._wire_filing()
        self._wire_endings()
        self._wire_ticks()
        self._wire_attempts()
        self._wire_requests()

    def _wire_filing(self) -> None:
        self.file = FileExecution(
            store=self.store,
            queue=self.tapped("queue", self.queue),
            ledger=self.tapped("ledger", self.ledger),
            clock=self.clock,
        )
        self.file_successor = FileSuccessor(
            file=self.file, store=self.store, jobs=self.jobs, clock=self.clock, retention=self.retention
        )

    def _wire_endings(self) -> None:
        run_locks = self.tapped("run_locks", self.run_locks)
        self.lifecycle = Lifecycle(
            store=self.store,
            jobs=self.jobs,
            run_locks=run_locks,
            file=self.file,
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
        )
        self.read_tenant = ReadTenant(tenants=self.tapped("tenants", self.tenants), clock=self.clock)
        self.notify = NotifyOutcome(
            read_tenant=self.read_tenant,
            file=self.file,
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
        )
        self.finalize = FinalizeExecution(
            jobs=self.jobs,
            find_settled=self.lifecycle.find_settled,
            pause=self.lifecycle.pause,
            notify=self.notify,
            clock=self.clock,
            retention=self.retention,
        )
        self.give_up = GiveUpLost(
            store=self.store,
            file_successor=self.file_successor,
            finalize=self.finalize,
            notify=self.notify,
            clock=self.clock,
            retention=self.retention,
        )

    def _wire_ticks(self) -> None:
        self.watch = WatchBuckets(
            store=self.store,
            queue=self.file.queue,
            ledger=self.file.ledger,
            clock=self.clock,
            plan=self.plan,
        )
        self.sweep = SweepBuckets(
            store=self.store,
            queue=self.file.queue,
            ledger=self.file.ledger,
            progress=self.tapped("progress", self.board),
            backlog=self.tapped("backlog", self.queue),
            limits=self.tapped("limits", self.limits),
            give_up=self.give_up,
            repair_notifications=RepairNotifications(store=self.store, finalize=self.finalize),
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
        )
        self.rescue = HandleDeadMessages(
            store=self.store,
            file=self.file,
            file_successor=self.file_successor,
            parked_messages=self.tapped("parked_messages", self.parked_messages),
            clock=self.clock,
            retention=self.retention,
            give_up=self.give_up,
            finalize=self.finalize,
        )

    def _wire_attempts(self) -> None:
        self.open_request = OpenRequest(jobs=self.jobs, vault=self.vault, store=self.store)
        self.settle_refusal = SettleRefusal(
            file=self.file,
            file_successor=self.file_successor,
            give_up=self.give_up,
            finalize=self.finalize,
            clock=self.clock,
        )
        self.guard_start = GuardStart(
            store=self.store,
            run_locks=self.tapped("run_locks", self.run_locks),
            file=self.file,
            file_successor=self.file_successor,
            clock=self.clock,
            retention=self.retention,
        )
        self.settle_attempt = SettleAttempt(
            store=self.store,
            file=self.file,
            finalize=self.finalize,
            notify=self.notify,
            clock=self.clock,
            entropy=self.entropy,
            retention=self.retention,
        )
        call_receiver = CallReceiver(
            store=self.store,
            jobs=self.jobs,
            compose=ComposeCallback(
                read_tenant=self.read_tenant, open_request=self.open_request, vault=self.vault
            ),
            sender=self.sender,
            clock=self.clock,
            offload=self.offload,
        )
        make_attempt = MakeAttempt(
            call_receiver=call_receiver,
            settle_attempt=self.settle_attempt,
            file_successor=self.file_successor,
            offload=self.offload,
        )
        self.run_attempts = RunAttempts(
            lane=QueueName.STANDARD,
            claimer=self.claimer,
            gate=gate(self, QueueName.STANDARD, self.defaults),
            make_attempt=make_attempt,
            settle_refusal=self.settle_refusal,
            guard_start=self.guard_start,
            progress=self.sweep.progress,
            clock=self.clock,
            entropy=self.entropy,
            offload=self.offload,
        )

    def _wire_requests(self) -> None:
        self.create_tenant = CreateTenant(
            tenants=self.tenants, vault=self.vault, clock=self.clock, entropy=self.entropy
        )
        self.spend_budget = SpendBudget(budgets=self.budgets, clock=self.clock)
        self.recurring_jobs = FakeRecurringJobs(self.table)
        self.check_quota = CheckQuota(
            spend=self.spend_budget,
            recurring=self.recurring_jobs,
            clock=self.clock,
            defaults=GENEROUS,
        )
        self.create_job, self.create_jobs = creation(self, self.file, self.check_quota)
        self.find_job = FindJob(store=self.store, jobs=self.jobs)
        self.delete_job = self.lifecycle.delete
        self.reconcile_job = ReconcileJob(
            store=self.store,
            jobs=self.jobs,
            find_head=FindHead(self.store),
            file=self.file,
            file_successor=self.file_successor,
            settle=self.lifecycle.settle,
            clock=self.clock,
        )
        self.cancel_job = CancelJob(
            find=self.find_job,
            store=self.store,
            finalize=self.finalize,
            delete_recurring=self.delete_job,
            clock=self.clock,
            retention=self.retention,
        )
        self.revise_job = ReviseJob(
            jobs=self.jobs,
            update_job=self.lifecycle.update,
            update_one_off=UpdateOneOff(
                one_offs=self.tapped("one_offs", self.one_offs),
                store=self.store,
                file=self.file,
                clock=self.clock,
                entropy=self.entropy,
                plan=self.plan,
                retention=self.retention,
            ),
            vault=self.vault,
            clock=self.clock,
            entropy=self.entropy,
            policy=TargetPolicy(),
        )
        self.trigger_job = TriggerJob(
            store=self.store,
            jobs=self.jobs,
            find_settled=self.lifecycle.find_settled,
            idempotency=self.idempotency,
            file=self.file,
            vault=self.vault,
            clock=self.clock,
            entropy=self.entropy,
            plan=self.plan,
            retention=self.retention,
        )
        self._wire_backfills()
        self._wire_reports()
        self._wire_queries()
        self.list_dead_letters = ListDeadLetters(store=self.store, jobs=self.jobs)
        self._wire_redrives()
        self.authenticate = Authenticate(
            tenants=self.read_tenant.tenants, read_tenant=self.read_tenant, clock=self.clock
        )

    def _wire_redrives(self) -> None:
        self.redrive = RedriveExecution(
            find=self.find_execution,
            store=self.store,
            jobs=self.jobs,
            file=self.file,
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
        )
        self.start_redrive = StartRedrive(
            tasks=self.redrive_tasks,
            list_dead_letters=self.list_dead_letters,
            idempotency=self.idempotency,
            vault=self.vault,
            clock=self.clock,
            entropy=self.entropy,
        )
        self.undo_redrive = UndoRedrive(tasks=self.redrive_tasks, start=self.start_redrive, clock=self.clock)
        self.process_bulk_redrives = ProcessBulkRedrives(
            tasks=self.redrive_tasks,
            list_dead_letters=self.list_dead_letters,
            redrive=self.redrive,
            store=self.store,
            finalize=self.finalize,
            clock=self.clock,
            retention=self.retention,
        )
        self.cancel_redrive = CancelRedrive(find=self.find_execution, cancel=self.cancel_job)

    def _wire_backfills(self) -> None:
        self.plan_backfill = PlanBackfill(find=self.find_job, clock=self.clock)
        self.backfill_job = BackfillJob(
            jobs=self.jobs,
            find_settled=self.lifecycle.find_settled,
            resend_chain_head=self.lifecycle.resend_chain_head,
            idempotency=self.idempotency,
            check_quota=self.check_quota,
            open_request=self.open_request,
            file=self.file,
            vault=self.vault,
            clock=self.clock,
            entropy=self.entropy,
            plan=self.plan,
            retention=self.retention,
        )

    def _wire_reports(self) -> None:
        check_token = CheckToken(store=self.store, read_tenant=self.read_tenant, vault=self.vault)
        self.heartbeat = HeartbeatExecution(check_token=check_token, store=self.store, clock=self.clock)
        self.report_outcome = ReportOutcome(
            check_token=check_token,
            settle=self.settle_attempt,
            store=self.store,
            file=self.file,
            finalize=self.finalize,
            hand_over=self.guard_start.hand_over,
            clock=self.clock,
        )

    def _wire_queries(self) -> None:
        queries, limited = self.tapped("queries", FakeQueries(self.table)), LimitedRuns(store=self.store)
        self.find_execution = FindExecution(store=self.store)
        self.explain_wait = ExplainWait(
            throttle_status=self.throttle_status,
            run_locks=self.run_locks,
            defaults=self.defaults,
            clock=self.clock,
        )
        self.list_executions = ListExecutions(
            find=self.find_job, store=self.store, walk=WalkHistory(jobs=self.jobs, clock=self.clock)
        )
        self.list_by_time = ListByTime(queries=queries, store=self.store)
        self.list_jobs = ListJobs(queries=queries, store=self.store)
        self.list_upcoming = ListUpcoming(
            queries=queries, store=self.store, limited_runs=limited, clock=self.clock
        )
        self.list_due = ListDue(queries=queries, clock=self.clock, plan=self.plan)
        self.next_runs = NextRuns(find=self.find_job, limited_runs=limited, clock=self.clock)
        self.preview_schedule = PreviewSchedule(clock=self.clock)
