"""The next runs of one job."""

from dataclasses import dataclass
from itertools import islice

from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job, JobState
from shared.ports.runtime import Clock
from shared.usecases.listings.limited_runs import LimitedRuns
from shared.usecases.reading.find_job import FindJob

MAX_COUNT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRun:
    """The instant that a run is for, and when it is due: later by jitter, by a retry, or as a backfill."""

    scheduled_at: int
    due_at: int


@dataclass(frozen=True, slots=True)
class NextRuns:
    """Computed from the schedule; what is filed of it already is told alike."""

    find: FindJob
    limited_runs: LimitedRuns
    clock: Clock

    def execute(self, tenant_id: str, job_id: str, count: int) -> tuple[Execution | Job, list[NextRun]]:
        """The job, and its next runs from now on; none of one that is not active or has ended. NotFoundError."""
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
