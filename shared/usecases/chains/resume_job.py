"""RESUME a paused job, from the first instant that is still to come."""

from dataclasses import dataclass, replace

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
    """Instants that the pause passed over are recorded as skipped, and are never caught up with.

    A backfill passes over none: its runs are for instants of the past, and come so much later.
    """

    find_settled: FindSettled
    start_chain: StartChain
    resend_chain_head: ResendChainHead
    clock: Clock

    def execute(self, tenant_id: str, job_id: str, *, revision: int | None = None) -> Job:
        """The active job. To resume an active one changes nothing; InvalidStateError where the job has ended.

        The new chain begins strictly after now and after the latest instant that had started before the pause; that
        of a backfill with the first of its instants that had not started.
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
                # Its instants are past in any case: it goes on where it was, at its pace from now on.
                after_at = (job.ended_from or job.began_at) - 1
                schedule = resume_backfill(job.schedule, after_at, self.clock.now_ms())
                definition = replace(definition, schedule=schedule)
            resumed = self.start_chain.execute(
                job, job.revision + 1, definition, after_at, runs_before=job.runs_before
            )
            if resumed is not None:
                return resumed
        raise UnavailableError("the job is being changed by others")
