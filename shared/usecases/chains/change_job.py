"""Read a recurring job for a change: no transition pending, and at the revision that the client has seen."""

from shared.dataclass import dataclass
from shared.domain.errors import NotFoundError, PreconditionFailedError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import CHANGING, Job
from shared.ports.jobs import JobStore
from shared.usecases.chains.complete_transition import CompleteTransition

TRIES = 5
"""Tries of a change against concurrent changes before the client is asked to retry."""


@dataclass(frozen=True, slots=True)
class FindSettled:
    """Reads a definition; a transition that another process has begun is completed first."""

    jobs: JobStore
    settle: CompleteTransition

    def execute(self, tenant_id: str, job_id: str) -> Job:
        """The job in a state outside `CHANGING`; NotFoundError if there is none."""
        for _ in range(TRIES):
            job = self.jobs.get(tenant_id, job_id)
            if job is None:
                raise NotFoundError("no such job")
            settled = self.settle.execute(job) if job.state in CHANGING else job
            if settled is not None:
                return settled
        raise UnavailableError("the job is being changed by others")


def check_revision(job: Execution | Job, expected: int | None) -> None:
    """PreconditionFailedError if the job is not at the revision that the client has seen."""
    if expected is not None and job.revision != expected:
        raise PreconditionFailedError(f"the job is at revision {job.revision}", revision=job.revision)
