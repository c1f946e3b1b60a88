"""A deployment in memory, with the operations that tests need."""

import asyncio
from typing import Any

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.request import Request, encode_request
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After, Timing
from shared.domain.tenancy.tenant import Tenant
from shared.names import EXECUTOR_TIMEOUT_SECONDS
from shared.usecases.attempts.batch_report import BatchReport, Delivery
from tests.support.builders import ONE_SHARD, TENANT, expiry_for, job, one_off, with_changes
from tests.support.fakes.sender import AnswerTo, succeeds
from tests.support.usecases.messages import delivery
from tests.support.usecases.ports import EARLY
from tests.support.usecases.wiring import UseCases

__all__ = ["EARLY", "REQUEST", "World"]

REQUEST = Request(method="POST", url="https://receiver.example/hook", body=b'{"n":1}')


class World(UseCases):
    """One tenant's deployment."""

    def __init__(
        self,
        now_ms: int = EARLY,
        *,
        counts: ShardCounts = ONE_SHARD,
        answer_to: AnswerTo = succeeds,
        **settings: Any,
    ) -> None:
        super().__init__(now_ms, counts=counts, answer_to=answer_to, **settings)
        self.credentials = self.create_tenant.execute(TENANT)
        self.steps.taken.clear()
        self.tenant: Tenant = self.tenants.tenants[TENANT]

    def seal(self, job_id: str, request: Request = REQUEST) -> bytes:
        """A request sealed for a job."""
        return self.vault.seal(self.tenant, job_id, encode_request(request))

    def one_off(self, number: int = 1, **overrides: Any) -> Execution:
        """The execution of a one-off job with a valid request."""
        plain = one_off(number, **overrides)
        return with_changes(plain, request=self.seal(plain.job_id))

    def put(self, execution: Execution) -> Execution:
        """Store an execution in any state."""
        self.table.insert(execution, expiry_for(execution))
        return execution

    def recurring(self, number: int = 1, first_state: State = State.PENDING, **overrides: Any) -> Job:
        """A stored recurring job with its first occurrence."""
        plain = job(number, **overrides)
        made = with_changes(plain, request=self.seal(plain.id))
        first = made.occurrence(made.chain_from, created_at=made.created_at)
        self.table.jobs[made.tenant_id, made.id] = made
        self.put(with_changes(first, state=first_state))
        return made

    def standing(self, execution_id: ExecutionId) -> Execution:
        """The stored execution."""
        return self.table.executions[execution_id].execution

    def occurrences(self, of: Job) -> dict[int, Execution]:
        """Every stored occurrence of a job, by its nominal instant."""
        rows = (row.execution for row in self.table.executions.values())
        found = {execution.nominal_at: execution for execution in rows if execution.job_id == of.id}
        return dict(sorted(found.items()))

    def sent(self) -> list[ExecutionId]:
        """The executions in sent messages, one entry for each key."""
        return [key for message in self.queue.messages for key in message.wakeup.keys]

    def run(self, *deliveries: Delivery) -> BatchReport:
        """Hand a batch of messages to an executor."""
        deadline_at = self.clock.now_ms() + EXECUTOR_TIMEOUT_SECONDS * 1000
        return asyncio.run(self.run_attempts.execute(deliveries, deadline_at))

    def attempt(self, execution: Execution, *, receives: int = 1) -> BatchReport:
        """Hand one message to an executor."""
        return self.run(delivery(execution, receives=receives))

    def accept_one_off(
        self, timing: Timing | None = None, key: str | None = None, **fields: Any
    ) -> Execution:
        """Create a one-off job as the API does."""
        made = self.accept(timing, key, **fields)
        assert isinstance(made, Execution)
        return made

    def accept(self, timing: Timing | None = None, key: str | None = None, **fields: Any) -> Execution | Job:
        """Create a job as the API does."""
        new = NewJob(timing=timing or After(3_600), **({"request": REQUEST} | fields))
        return self.create_job.execute(self.tenant, new, key).job
