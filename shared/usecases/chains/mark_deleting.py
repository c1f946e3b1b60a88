"""Begin a deletion. From then on, only running executions can file successors of the job."""

from dataclasses import dataclass, replace

from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import latest_at_or_before
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.filing.record_skipped_instants import RecordSkippedInstants


@dataclass(frozen=True, slots=True)
class MarkDeleting:
    """Any process that later finds the mark completes the deletion."""

    jobs: JobStore
    record_skipped_instants: RecordSkippedInstants
    clock: Clock
    retention: Retention

    def execute(self, job: Job) -> Job | None:
        """The job in state DELETING; None if it was changed meanwhile. The job must have no pending
        transition."""
        now_ms = self.clock.now_ms()
        deleting = replace(job, state=JobState.DELETING, revision=job.revision + 1, changed_at=now_ms)
        records = (
            self.record_skipped_instants.execute(job, now_ms, now_ms) if job.state is JobState.PAUSED else []
        )
        if job.state is JobState.PAUSED:
            deleting = replace(deleting, ended_through=_history_end(job, records, now_ms))
        expires_at_s = self.retention.expires_at_s(now_ms)
        is_marked = self.jobs.replace(job, deleting, executions=records, expires_at_s=expires_at_s)
        return deleting if is_marked else None


def _history_end(paused: Job, records: list[Execution], now_ms: int) -> int | None:
    """The end of the history: the record of the pause or, without a record, the last tombstone up to now."""
    if records:
        return records[-1].nominal_at
    if paused.ended_through is None:
        return None
    return latest_at_or_before(paused.schedule, now_ms, paused.ended_through) or paused.ended_through
