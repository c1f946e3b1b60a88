"""Every use case over the fakes."""

from shared.domain.bucket import ShardCounts
from shared.names import Lane
from shared.usecases.authenticate import Authenticate
from shared.usecases.cancel_job import CancelJob
from shared.usecases.check_quota import CheckQuota
from shared.usecases.compose_callback import ComposeCallback
from shared.usecases.create_job import CreateJob
from shared.usecases.create_tenant import CreateTenant
from shared.usecases.file_execution import FileExecution
from shared.usecases.file_successor import FileSuccessor
from shared.usecases.find_head import FindHead
from shared.usecases.find_job import FindJob
from shared.usecases.guard_start import GuardStart
from shared.usecases.lifecycle import Lifecycle
from shared.usecases.list_executions import ListDeadLetters, ListExecutions
from shared.usecases.make_attempt import MakeAttempt
from shared.usecases.open_request import OpenRequest
from shared.usecases.read_tenant import ReadTenant
from shared.usecases.reconcile_job import ReconcileJob
from shared.usecases.rescue_dead_letters import RescueDeadLetters
from shared.usecases.revise_job import ReviseJob
from shared.usecases.run_attempts import RunAttempts
from shared.usecases.settle_refusal import SettleRefusal
from shared.usecases.spend_budget import SpendBudget
from shared.usecases.sweep_buckets import SweepBuckets
from shared.usecases.trigger_job import TriggerJob
from shared.usecases.update_one_off import UpdateOneOff
from shared.usecases.watch_buckets import WatchBuckets
from tests.builders import ONE_SHARD
from tests.fakes.budgets import GENEROUS, FakeRecurringJobs
from tests.fakes.sender import AnswerTo, succeeds
from tests.unit.usecases.ports import EARLY, Ports


class UseCases(Ports):
    """One deployment in memory."""

    def __init__(
        self, now_ms: int = EARLY, *, counts: ShardCounts = ONE_SHARD, answer_to: AnswerTo = succeeds
    ) -> None:
        super().__init__(now_ms, counts=counts, answer_to=answer_to)
        self._wire_filing()
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
            file_successor=self.file_successor,
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
        )
        self.rescue = RescueDeadLetters(
            store=self.store,
            file=self.file,
            file_successor=self.file_successor,
            parking=self.tapped("parking", self.parking),
            clock=self.clock,
            retention=self.retention,
        )

    def _wire_attempts(self) -> None:
        tenants = self.tapped("tenants", self.tenants)
        self.read_tenant = ReadTenant(tenants=tenants, clock=self.clock)
        self.open_request = OpenRequest(jobs=self.jobs, vault=self.vault)
        self.settle_refusal = SettleRefusal(
            store=self.store,
            file=self.file,
            file_successor=self.file_successor,
            clock=self.clock,
            retention=self.retention,
        )
        self.guard_start = GuardStart(
            store=self.store,
            turns=self.tapped("turns", self.turns),
            file=self.file,
            file_successor=self.file_successor,
            clock=self.clock,
            retention=self.retention,
        )
        make_attempt = MakeAttempt(
            store=self.store,
            jobs=self.jobs,
            file=self.file,
            file_successor=self.file_successor,
            compose=ComposeCallback(
                read_tenant=self.read_tenant, open_request=self.open_request, vault=self.vault
            ),
            sender=self.sender,
            clock=self.clock,
            entropy=self.entropy,
            offload=self.offload,
            retention=self.retention,
        )
        self.run_attempts = RunAttempts(
            lane=Lane.STANDARD,
            claimer=self.claimer,
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
        self.create_job = CreateJob(
            file=self.file,
            jobs=self.jobs,
            idempotency=self.idempotency,
            vault=self.vault,
            clock=self.clock,
            entropy=self.entropy,
            plan=self.plan,
            check_quota=self.check_quota,
            allow_http=False,
        )
        self.find_job = FindJob(store=self.store, jobs=self.jobs)
        self.lifecycle = Lifecycle(
            store=self.store,
            jobs=self.jobs,
            file=self.file,
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
        )
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
            jobs=self.jobs,
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
            allow_http=False,
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
        self.list_executions = ListExecutions(find=self.find_job, store=self.store, clock=self.clock)
        self.list_dead_letters = ListDeadLetters(store=self.store)
        self.authenticate = Authenticate(
            tenants=self.read_tenant.tenants, read_tenant=self.read_tenant, clock=self.clock
        )
