"""Every use case over the fakes, on one virtual clock, with a hand on each port call."""

import asyncio
from dataclasses import replace
from typing import Any

from shared.domain.bucket import ShardCounts, ShardEpoch, ShardPlan
from shared.domain.execution import Execution, State
from shared.domain.ids import ExecutionId
from shared.domain.job import Job
from shared.domain.new_job import After, NewJob, Timing
from shared.domain.request import Request, encode_request
from shared.domain.retention import Retention
from shared.domain.tenant import Tenant
from shared.names import Lane
from shared.usecases.authenticate import Authenticate
from shared.usecases.cancel_job import CancelJob
from shared.usecases.compose_callback import ComposeCallback
from shared.usecases.create_job import CreateJob
from shared.usecases.create_tenant import CreateTenant
from shared.usecases.delete_recurring_job import DeleteRecurringJob
from shared.usecases.file_execution import FileExecution
from shared.usecases.file_successor import FileSuccessor
from shared.usecases.find_job import FindJob
from shared.usecases.list_executions import ListDeadLetters, ListExecutions
from shared.usecases.make_attempt import MakeAttempt
from shared.usecases.open_request import OpenRequest
from shared.usecases.read_tenant import ReadTenant
from shared.usecases.rescue_dead_letters import RescueDeadLetters
from shared.usecases.run_attempts import BatchReport, Delivery, RunAttempts
from shared.usecases.settle_refusal import SettleRefusal
from shared.usecases.sweep_buckets import SweepBuckets
from shared.usecases.watch_buckets import WatchBuckets
from tests.builders import DUE_AT, ONE_SHARD, TENANT, expiry_for, job, one_off
from tests.fakes.boards import FakeParkingLot, FakeProgressBoard
from tests.fakes.claimer import FakeClaimer
from tests.fakes.clock import InlineOffload, SeededEntropy, VirtualClock
from tests.fakes.execution_store import FakeExecutionStore
from tests.fakes.idempotency_store import FakeIdempotencyStore
from tests.fakes.job_store import FakeJobStore
from tests.fakes.ledger import FakeShardLedger
from tests.fakes.sender import AnswerTo, ScriptedSender, succeeds
from tests.fakes.table import FakeTable
from tests.fakes.tenant_store import FakeTenantStore
from tests.fakes.vault import FakeVault
from tests.fakes.wakeup_queue import FakeWakeupQueue
from tests.unit.usecases.messages import delivery
from tests.unit.usecases.steps import Steps, Tapped

EARLY = DUE_AT - 600_000
"""Ten minutes before the built executions are due, when nothing is near."""
REQUEST = Request(method="POST", url="https://receiver.example/hook", body=b'{"n":1}')


class World:
    """One deployment in memory. What the fakes hold may be looked into; the use cases go through `steps`."""

    def __init__(
        self, now_ms: int = EARLY, *, counts: ShardCounts = ONE_SHARD, answer_to: AnswerTo = succeeds
    ) -> None:
        self.clock = VirtualClock(now_ms)
        self.entropy = SeededEntropy()
        self.steps = Steps()
        self.table = FakeTable()
        self.queue = FakeWakeupQueue()
        self.ledger = FakeShardLedger()
        self.board = FakeProgressBoard()
        self.parking = FakeParkingLot()
        self.tenants = FakeTenantStore()
        self.vault = FakeVault(self.entropy)
        self.sender = ScriptedSender(self.clock, answer_to)
        self.plan = ShardPlan((ShardEpoch(from_bucket=0, counts=counts),))
        self.retention = Retention(14)
        self.store = self._tapped("store", FakeExecutionStore(self.table))
        self.jobs = self._tapped("jobs", FakeJobStore(self.table))
        self.claimer = self._tapped("claimer", FakeClaimer(self.table))
        self.idempotency = self._tapped("idempotency", FakeIdempotencyStore())
        self.offload = InlineOffload()
        self._wire_filing()
        self._wire_ticks()
        self._wire_attempts()
        self._wire_requests()
        self.credentials = self.create_tenant(TENANT)
        self.tenant: Tenant = self.tenants.tenants[TENANT]

    def _tapped(self, name: str, port: Any) -> Any:
        return Tapped(name, port, self.steps)

    def _wire_filing(self) -> None:
        self.file = FileExecution(
            store=self.store,
            queue=self._tapped("queue", self.queue),
            ledger=self._tapped("ledger", self.ledger),
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
            progress=self._tapped("progress", self.board),
            file_successor=self.file_successor,
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
        )
        self.rescue = RescueDeadLetters(
            store=self.store,
            file=self.file,
            file_successor=self.file_successor,
            parking=self._tapped("parking", self.parking),
            clock=self.clock,
            retention=self.retention,
        )

    def _wire_attempts(self) -> None:
        tenants = self._tapped("tenants", self.tenants)
        self.read_tenant = ReadTenant(tenants=tenants, clock=self.clock)
        self.open_request = OpenRequest(jobs=self.jobs, vault=self.vault)
        self.settle_refusal = SettleRefusal(
            store=self.store,
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
            progress=self.sweep.progress,
            clock=self.clock,
            entropy=self.entropy,
            offload=self.offload,
        )

    def _wire_requests(self) -> None:
        self.create_tenant = CreateTenant(
            tenants=self.tenants, vault=self.vault, clock=self.clock, entropy=self.entropy
        )
        self.create_job = CreateJob(
            file=self.file,
            jobs=self.jobs,
            idempotency=self.idempotency,
            vault=self.vault,
            clock=self.clock,
            entropy=self.entropy,
            plan=self.plan,
            allow_http=False,
        )
        self.find_job = FindJob(store=self.store, jobs=self.jobs)
        self.delete_job = DeleteRecurringJob(
            store=self.store, jobs=self.jobs, clock=self.clock, retention=self.retention
        )
        self.cancel_job = CancelJob(
            find=self.find_job,
            store=self.store,
            jobs=self.jobs,
            delete_recurring=self.delete_job,
            clock=self.clock,
            retention=self.retention,
        )
        self.list_executions = ListExecutions(find=self.find_job, store=self.store, clock=self.clock)
        self.list_dead_letters = ListDeadLetters(store=self.store)
        self.authenticate = Authenticate(
            tenants=self.read_tenant.tenants, read_tenant=self.read_tenant, clock=self.clock
        )

    def seal(self, job_id: str, request: Request = REQUEST) -> bytes:
        """A request as it is stored for a job."""
        return self.vault.seal(self.tenant, job_id, encode_request(request))

    def one_off(self, number: int = 1, **overrides: Any) -> Execution:
        """The execution of a one-off job, with a request that can be made."""
        plain = one_off(number, **overrides)
        return replace(plain, request=self.seal(plain.job_id))

    def put(self, execution: Execution) -> Execution:
        """Let an execution stand there, in whatever state it is."""
        self.table.insert(execution, expiry_for(execution))
        return execution

    def recurring(self, number: int = 1, first_state: State = State.PENDING, **overrides: Any) -> Job:
        """A stored recurring job with its first occurrence."""
        plain = job(number, **overrides)
        made = replace(plain, request=self.seal(plain.id))
        first = made.occurrence(made.chain_from, created_at=made.created_at)
        self.table.jobs[made.tenant_id, made.id] = made
        self.put(replace(first, state=first_state))
        return made

    def standing(self, execution_id: ExecutionId) -> Execution:
        """What stands under an id."""
        return self.table.executions[execution_id].execution

    def occurrences(self, of: Job) -> dict[int, Execution]:
        """Every stored occurrence of a job, by its nominal instant."""
        rows = (row.execution for row in self.table.executions.values())
        found = {execution.nominal_at: execution for execution in rows if execution.job_id == of.id}
        return dict(sorted(found.items()))

    def sent(self) -> list[ExecutionId]:
        """The executions that messages were sent for, one entry for each key."""
        return [key for message in self.queue.messages for key in message.wakeup.keys]

    def run(self, *deliveries: Delivery) -> BatchReport:
        """Hand a batch of messages to an executor."""
        return asyncio.run(self.run_attempts(deliveries))

    def attempt(self, execution: Execution, *, receives: int = 1) -> BatchReport:
        """Hand one message to an executor."""
        return self.run(delivery(execution, receives=receives))

    def accept_one_off(
        self, timing: Timing | None = None, key: str | None = None, **fields: Any
    ) -> Execution:
        """A one-off job that was created over the API."""
        made = self.accept(timing, key, **fields)
        assert isinstance(made, Execution)
        return made

    def accept(self, timing: Timing | None = None, key: str | None = None, **fields: Any) -> Execution | Job:
        """A job that was created over the API."""
        new = NewJob(timing=timing or After(3_600), **({"request": REQUEST} | fields))
        return self.create_job(self.tenant, new, key).job
