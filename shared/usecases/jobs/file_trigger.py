"""File one run of a recurring job outside its schedule, under an ID that was chosen before."""

from collections.abc import Callable
from operator import attrgetter

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.executions.execution import EventRef, Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import State
from shared.domain.ids import ENTROPY_BITS, ExecutionId, cell_of, new_one_off_id
from shared.domain.jobs.job import Job, JobState
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Entropy
from shared.usecases.chains.change_job import TRIES, FindSettled, check_revision
from shared.usecases.filing.file_execution import FileExecution


@dataclass(frozen=True, slots=True)
class FileTrigger:
    """A repetition with the same ID files the same run."""

    store: ExecutionStore
    jobs: JobStore
    find_settled: FindSettled
    file: FileExecution
    clock: Clock
    entropy: Entropy
    plan: ShardPlan
    retention: Retention

    def choose(self, job_id: str, due_at: int) -> ExecutionId:
        """The ID of a run that is due then."""
        counts = self.plan.counts_at(bucket_of(due_at))
        return new_one_off_id(due_at, counts, self.entropy.bits(ENTROPY_BITS), cell=cell_of(job_id))

    def execute(
        self,
        job: Job,
        execution_id: ExecutionId,
        *,
        may_exist: bool,
        revision: int | None = None,
        call_of: Callable[[Job], CallSpec] = attrgetter("call"),
        event: EventRef | None = None,
    ) -> Execution:
        """The run, due at the instant of its ID. `call_of` gives its call, by default that of the job. `event` is what
        starts it; if that was recorded, further events may postpone the run.

        InvalidStateError if the job is neither active nor paused, PreconditionFailedError if it is not at
        `revision`; a run that exists is returned even then.
        """
        for _ in range(TRIES):
            existing = self.store.get(execution_id) if may_exist else None
            filed = existing or self._file(job, execution_id, revision, call_of, event)
            if filed is not None:
                self.file.ensure_sent(filed)
                return filed
            job, may_exist = self.find_settled.execute(job.tenant_id, job.id), True
        raise UnavailableError("the job is being changed by others")

    def _file(
        self,
        job: Job,
        execution_id: ExecutionId,
        revision: int | None,
        call_of: Callable[[Job], CallSpec],
        event: EventRef | None,
    ) -> Execution | None:
        """None if the job was changed meanwhile, or a concurrent request for the same run was faster."""
        require_open(job, revision)
        now_ms = self.clock.now_ms()
        execution = Execution(
            id=execution_id,
            tenant_id=job.tenant_id,
            job_id=job.id,
            revision=job.chain_revision,
            nominal_at=execution_id.dispatch_at,
            created_at=now_ms,
            call=call_of(job),
            fingerprint=job.fingerprint,
            index_shard=job.index_shard,
            event=event,
        )
        if event is not None and event.recorded_at is not None:
            execution = execution.progressed(state=State.WAITING, next_attempt_at=execution.due_at)
        execution = self.file.prepare(execution)
        outlives_s = self.retention.outlives_records_s(max(now_ms, execution_id.dispatch_at))
        is_filed = self.jobs.file_beside(job, execution, outlives_s)
        return execution if is_filed else None


def require_open(job: Job, revision: int | None) -> None:
    check_revision(job, revision)
    if job.state not in (JobState.ACTIVE, JobState.PAUSED):
        raise InvalidStateError(f"the job is {job.state}")
