"""Roll a pending transition of a recurring job forward.

Every process that finds one does so: the process that began it, the next request of a client, the reconciler.
"""

from dataclasses import replace
from functools import partial

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.jobs.job import Definition, Job, JobState
from shared.domain.schedules.schedule_kinds import without_rules
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.delete_backfills import DeleteBackfills
from shared.usecases.chains.end_chain import ChainEnd, EndChain
from shared.usecases.chains.start_chain import StartChain
from shared.usecases.chains.stop_running_executions import STOPPING_MS, StopRunningExecutions
from shared.usecases.filing.record_skipped_instants import RecordSkippedInstants, history_end


@dataclass(frozen=True, slots=True)
class CompleteTransition:
    """Safe to repeat."""

    jobs: JobStore
    end_chain: EndChain
    stop_running_executions: StopRunningExecutions
    delete_backfills: DeleteBackfills
    start_chain: StartChain
    record_skipped_instants: RecordSkippedInstants
    clock: Clock
    retention: Retention

    def execute(self, job: Job, stops_at: int | None = None) -> Job | None:
        """The job in the target state of the transition; None if another process changed it meanwhile.

        `stops_at`: deadline for stopping runs outside the schedule, if this is part of another job's
        deletion.
        """
        if job.state is JobState.DELETING:
            return self._delete(job, self.clock.now_ms() + STOPPING_MS if stops_at is None else stops_at)
        end = self.end_chain.execute(job)
        if job.state is JobState.PAUSING:
            paused = replace(_ended(job, end), state=JobState.PAUSED)
            return paused if self.jobs.replace(job, paused) else None
        if job.change is None:
            raise InvalidValueError(f"{job.id} is {job.state} but carries no change")
        return self._update(job, job.change, end)

    def _delete(self, job: Job, stops_at: int) -> Job | None:
        """Complete a deletion. A chain that a pause or its schedule has already ended is not ended again."""
        if job.ended_through is None:
            ended, records = self._recorded(job, self.end_chain.execute(job))
        else:
            ended, records = job, []
            self.end_chain.end_waiting(job)
        self.stop_running_executions.execute(job, stops_at)
        self.delete_backfills.execute(job, partial(self.execute, stops_at=stops_at))
        expires_at_s = self.retention.outlives_records_s(self.clock.now_ms())
        deleted = replace(ended, state=JobState.DELETED)
        is_deleted = self.jobs.replace(job, deleted, executions=records, expires_at_s=expires_at_s)
        return deleted if is_deleted else None

    def _recorded(self, job: Job, end: ChainEnd) -> tuple[Job, list[Execution]]:
        """The job whose history ends with the record of the instants that will have no run, and that record."""
        now_ms, ended = self.clock.now_ms(), _ended(job, end)
        records = self.record_skipped_instants.execute(ended, now_ms, now_ms)
        return replace(ended, ended_through=history_end(ended, records, now_ms)), records

    def _update(self, job: Job, change: Definition, end: ChainEnd) -> Job | None:
        """Start the new chain.

        With the same schedule, whatever days and zone rules are frozen into it, it starts at the first instant that
        had not started; a new schedule starts at the change. Instants up to there without a run get a record in the
        old chain.
        """
        after_at = end.after_at
        if without_rules(change.schedule) != without_rules(job.schedule):
            after_at = max(after_at, job.changed_at or 0)
        return self.start_chain.execute(
            _ended(job, end), job.revision, change, after_at, runs_before=end.runs
        )


def _ended(job: Job, end: ChainEnd) -> Job:
    """The job with the end of its chain, which bounds its history."""
    return replace(job, ended_from=end.after_at + 1, ended_through=end.last_at, runs_before=end.runs)
