"""Delete a recurring job: end its chain with tombstones, then stop the executions that had started."""

from shared.dataclass import dataclass
from shared.domain.errors import UnavailableError
from shared.domain.jobs.job import Job, JobState
from shared.usecases.chains.change_job import TRIES, FindSettled, check_revision
from shared.usecases.chains.complete_transition import CompleteTransition
from shared.usecases.chains.mark_deleting import MarkDeleting


@dataclass(frozen=True, slots=True)
class DeleteRecurringJob:
    """Safe to repeat; a repeat completes a deletion that crashed."""

    find_settled: FindSettled
    settle: CompleteTransition
    mark_deleting: MarkDeleting

    def execute(self, tenant_id: str, job_id: str, *, revision: int | None = None) -> Job:
        """The definition in state DELETED; NotFoundError if there is none. The acknowledgement comes last."""
        for _ in range(TRIES):
            job = self.find_settled.execute(tenant_id, job_id)
            if job.state is JobState.DELETED:
                return job
            check_revision(job, revision)
            deleting = self.mark_deleting.execute(job)
            if deleting is not None:
                return self.settle.execute(deleting) or self.find_settled.execute(tenant_id, job_id)
        raise UnavailableError("the job is being changed by others")
