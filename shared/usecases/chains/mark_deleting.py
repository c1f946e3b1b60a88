"""Begin a deletion. From then on, only running executions can file successors of the job."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.executions.retention import Retention
from shared.domain.jobs.job import Job, JobState
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.filing.record_skipped_instants import RecordSkippedInstants, history_end


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
            deleting = replace(deleting, ended_through=history_end(job, records, now_ms))
        expires_at_s = self.retention.records_expire_at_s((each.id.dispatch_at for each in records), now_ms)
        is_marked = self.jobs.replace(job, deleting, executions=records, expires_at_s=expires_at_s)
        return deleting if is_marked else None
