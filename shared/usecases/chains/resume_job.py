"""Resume a paused job from the first instant in the future."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.backfill import resume_backfill
from shared.domain.schedules.schedule import Backfill
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import TRIES, FindSettled, check_revision
from shared.usecases.chains.start_chain import StartChain
from shared.usecases.filing.resend_chain_head import ResendChainHead


@dataclass(frozen=True, slots=True)
class ResumeJob:
    """Records the instants that the pause skipped; they are never caught up.

    A backfill skips none: its instants lie in the past, so its runs are only delayed.
    """

    find_settled: FindSettled
    start_chain: StartChain
    resend_chain_head: ResendChainHead
    clock: Clock

    def execute(self, tenant_id: str, job_id: str, *, revision: int | None = None) -> Job:
        """The active job; resuming an active job has no effect. InvalidStateError if the job has ended.

        The new chain starts strictly after now and after the latest instant that started before the pause.
        The chain of a backfill starts with the first instant that had not started.
        """
        for _ in range(TRIES):
            job = self.find_settled.execute(tenant_id, job_id)
            check_revision(job, revision)
            if job.state is JobState.ACTIVE:
                self.resend_chain_head.execute(job)
                return job
            if job.state is not JobState.PAUSED:
                raise InvalidStateError(f"the job is {job.state}")
            after_at = max((job.ended_from or job.began_at) - 1, self.clock.now_ms())
            definition = job.definition
            if isinstance(job.schedule, Backfill):
                # The instants of a backfill are all past: it continues where it stopped, at its pace from now
                # on.
                after_at = (job.ended_from or job.began_at) - 1
                schedule = resume_backfill(job.schedule, after_at, self.clock.now_ms())
                definition = replace(definition, schedule=schedule)
            resumed = self.start_chain.execute(
                job, job.revision + 1, definition, after_at, runs_before=job.runs_before
            )
            if resumed is not None:
                return resumed
        raise UnavailableError("the job is being changed by others")
