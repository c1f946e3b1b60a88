"""The beginning of a deletion: from then on nothing new of the job can be filed but what its runs file."""

from dataclasses import dataclass, replace

from shared.domain.job import Job, JobState
from shared.domain.retention import Retention
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.passed_over import RecordPassedOver


@dataclass(frozen=True, slots=True)
class MarkDeleting:
    """Whoever meets a job that is marked finishes its deletion."""

    jobs: JobStore
    passed_over: RecordPassedOver
    clock: Clock
    retention: Retention

    def __call__(self, job: Job) -> Job | None:
        """The job in state DELETING; None where somebody else has changed it meanwhile. The job is settled."""
        now_ms = self.clock.now_ms()
        deleting = replace(job, state=JobState.DELETING, revision=job.revision + 1, changed_at=now_ms)
        records = self.passed_over(job, now_ms, now_ms) if job.state is JobState.PAUSED else []
        if records:  # the history of the job goes on up to its record of the pause
            deleting = replace(deleting, ended_through=records[-1].nominal_at)
        expires_at_s = self.retention.expires_at_s(now_ms)
        is_marked = self.jobs.replace(job, deleting, executions=records, expires_at_s=expires_at_s)
        return deleting if is_marked else None
