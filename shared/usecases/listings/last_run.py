"""The last run of one job."""

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import instants_before
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.reading.read_executions import read_readable

PROBES = 2
"""The run of the latest instant may not have started."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """One request for two items of a recurring job, and none for a one-off job."""

    store: ExecutionStore
    clock: Clock

    def execute(self, job: Execution | Job) -> Execution | None:
        """The run of the latest instant that has started, or ended without a start; of a one-off job, its own.

        None where neither of the two latest instants of the present definition has such a run.
        """
        if isinstance(job, Execution):
            return job if job.attempt else None
        before_at = self.clock.now_ms() + 1
        if job.ended_from is not None:
            before_at = min(before_at, job.ended_from)
        instants = instants_before(job.schedule, before_at, job.began_at, PROBES)
        if not instants:
            return None
        ids = [job.id_at(instant) for instant in instants]
        found = read_readable(self.store, ids)
        runs = (found[key] for key in ids if key in found)
        return next((run for run in runs if run.state not in NOT_STARTED), None)
