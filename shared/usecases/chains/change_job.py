"""Find a recurring job as it stands for a change: settled, and at the revision that its owner has seen."""

from dataclasses import dataclass

from shared.domain.errors import NotFoundError, PreconditionFailedError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import CHANGING, Job
from shared.ports.jobs import JobStore
from shared.usecases.chains.complete_transition import CompleteTransition

TRIES = 5
"""So often is a change tried against rivals before its maker is asked to try again."""


@dataclass(frozen=True, slots=True)
class FindSettled:
    """Reads a definition, finishing a change that somebody else has begun."""

    jobs: JobStore
    settle: CompleteTransition

    def execute(self, tenant_id: str, job_id: str) -> Job:
        """The job in a state that is not CHANGING; NotFoundError where there is none."""
        for _ in range(TRIES):
            job = self.jobs.get(tenant_id, job_id)
            if job is None:
                raise NotFoundError("no such job")
            settled = self.settle.execute(job) if job.state in CHANGING else job
            if settled is not None:
                return settled
        raise UnavailableError("the job is being changed by others")


def check_revision(job: Execution | Job, expected: int | None) -> None:
    """PreconditionFailedError where the owner has seen another revision than the one that stands."""
    if expected is not None and job.revision != expected:
        raise PreconditionFailedError(f"the job is at revision {job.revision}")
