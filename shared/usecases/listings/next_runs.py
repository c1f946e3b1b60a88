"""The next runs of a single job."""

from itertools import islice

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job, JobState
from shared.ports.runtime import Clock
from shared.usecases.listings.limited_runs import LimitedRuns
from shared.usecases.reading.find_job import FindJob

MAX_COUNT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRun:
    """The nominal instant of a run, and when it is due: jitter, a retry or a backfill may make it later."""

    scheduled_at: int
    due_at: int


@dataclass(frozen=True, slots=True)
class NextRuns:
    """Computes runs from the schedule, whether or not they are already filed."""

    find: FindJob
    limited_runs: LimitedRuns
    clock: Clock

    def execute(self, tenant_id: str, job_id: str, count: int) -> tuple[Execution | Job, list[NextRun]]:
        """The job and its next runs; no runs if the job is not active. NotFoundError if there is no such
        job."""
        job = self.find.execute(tenant_id, job_id)
        if isinstance(job, Execution):
            runs = (
                [] if job.state.is_terminal else [NextRun(scheduled_at=job.nominal_at, due_at=job.not_before)]
            )
        elif job.state is JobState.ACTIVE:
            now_ms = self.clock.now_ms()
            expected = islice(self.limited_runs.execute(job, now_ms, None, now_ms), count)
            runs = [NextRun(scheduled_at=run.scheduled_at, due_at=run.id.dispatch_at) for run in expected]
        else:
            runs = []
        return job, runs
