"""Pause a recurring job. No execution starts after the acknowledgement unless it had started before."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.jobs.job import ENDED, Job, JobState
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import TRIES, FindSettled, check_revision
from shared.usecases.chains.complete_transition import CompleteTransition


@dataclass(frozen=True, slots=True)
class PauseJob:
    """Started executions continue, including their retries."""

    jobs: JobStore
    find_settled: FindSettled
    settle: CompleteTransition
    clock: Clock

    def execute(
        self, tenant_id: str, job_id: str, *, reason: str | None = None, revision: int | None = None
    ) -> Job:
        """The paused job; pausing a paused job has no effect. InvalidStateError if the job has ended."""
        for _ in range(TRIES):
            job = self.find_settled.execute(tenant_id, job_id)
            check_revision(job, revision)
            if job.state in ENDED:
                raise InvalidStateError(f"the job is {job.state}")
            if job.state is JobState.PAUSED:
                return job
            pausing = replace(
                job,
                state=JobState.PAUSING,
                revision=job.revision + 1,
                pause_reason=reason,
                changed_at=self.clock.now_ms(),
            )
            if self.jobs.replace(job, pausing):
                return self.settle.execute(pausing) or self.find_settled.execute(tenant_id, job_id)
        raise UnavailableError("the job is being changed by others")
