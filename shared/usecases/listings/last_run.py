"""The last runs of jobs."""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import instants_before
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.reading.read_executions import read_readable

PROBES = 2
"""The run of the latest instant may not have started."""
JOBS_IN_ONE_READ = 50
"""So many jobs have at most the 100 executions that one request reads."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """Two items of each recurring job, up to 50 jobs in one request, and none of a one-off job."""

    store: ExecutionStore
    clock: Clock

    def execute(self, job: Execution | Job) -> Execution | None:
        """The run of the latest instant that has started, or ended without a start; of a one-off job, its own.

        None where neither of the two latest instants of the present definition has such a run.
        """
        return self.of_each([job])[0]

    def of_each(self, jobs: Sequence[Execution | Job]) -> list[Execution | None]:
        """The last run of each job, in their order."""
        latest = [self._latest(job) for job in jobs]
        found: dict[ExecutionId, Execution] = {}
        for start in range(0, len(jobs), JOBS_IN_ONE_READ):
            ids = [key for each in latest[start : start + JOBS_IN_ONE_READ] for key in each]
            found |= read_readable(self.store, ids) if ids else {}
        return [_last(job, ids, found) for job, ids in zip(jobs, latest, strict=True)]

    def _latest(self, job: Execution | Job) -> list[ExecutionId]:
        """The executions of the latest instants of a recurring job, the latest one first."""
        if isinstance(job, Execution):
            return []
        before_at = self.clock.now_ms() + 1
        if job.ended_from is not None:
            before_at = min(before_at, job.ended_from)
        return [job.id_at(at) for at in instants_before(job.schedule, before_at, job.began_at, PROBES)]


def _last(
    job: Execution | Job, ids: Sequence[ExecutionId], found: dict[ExecutionId, Execution]
) -> Execution | None:
    if isinstance(job, Execution):
        return job if job.attempt else None
    runs = (found[key] for key in ids if key in found)
    return next((run for run in runs if run.state not in NOT_STARTED), None)
