"""DELETE a recurring job: end its chain where no successor can be filed from it, then stop what had started."""

from dataclasses import dataclass, replace

from shared.domain.errors import UnavailableError
from shared.domain.job import Job, JobState
from shared.domain.retention import Retention
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.change_job import TRIES, FindSettled, check_revision
from shared.usecases.passed_over import RecordPassedOver
from shared.usecases.settle_change import SettleChange


@dataclass(frozen=True, slots=True)
class DeleteRecurringJob:
    """Finishes what a crashed deletion began, too: repeating it is always safe."""

    jobs: JobStore
    find_settled: FindSettled
    settle: SettleChange
    passed_over: RecordPassedOver
    clock: Clock
    retention: Retention

    def __call__(self, tenant_id: str, job_id: str, *, revision: int | None = None) -> Job:
        """The definition in state DELETED; NotFoundError where there is none. The acknowledgement comes last."""
        for _ in range(TRIES):
            job = self.find_settled(tenant_id, job_id)
            if job.state is JobState.DELETED:
                return job
            check_revision(job, revision)
            now_ms = self.clock.now_ms()
            deleting = replace(job, state=JobState.DELETING, revision=job.revision + 1, changed_at=now_ms)
            records = self.passed_over(job, now_ms, now_ms) if job.state is JobState.PAUSED else []
            if records:  # the history of the job goes on up to its record of the pause
                deleting = replace(deleting, ended_through=records[-1].nominal_at)
            if self.jobs.replace(
                job, deleting, executions=records, expires_at_s=self.retention.expires_at_s(now_ms)
            ):
                return self.settle(deleting) or self.find_settled(tenant_id, job_id)
        raise UnavailableError("the job is being changed by others")
