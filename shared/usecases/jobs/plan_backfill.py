"""The runs that a backfill would make. Dry runs and real backfills share this check."""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import GONE, Job
from shared.domain.jobs.new_backfill import NewBackfill
from shared.domain.schedules.schedule import Backfill
from shared.ports.runtime import Clock
from shared.usecases.reading.find_job import FindJob
from shared.usecases.reading.read_calendar import ReadCalendar


@dataclass(frozen=True, slots=True)
class PlanBackfill:
    """Writes nothing, and does not complete pending transitions."""

    find: FindJob
    read_calendar: ReadCalendar
    clock: Clock

    def execute(self, tenant_id: str, job_id: str, new: NewBackfill) -> Backfill:
        """The schedule of a backfill that starts now. Errors as for `planned`; NotFoundError."""
        job = self.find.execute(tenant_id, job_id)
        now_ms = self.clock.now_ms()
        return planned(self.read_calendar.known_since(job, new.from_at), new, now_ms, now_ms)


def planned(job: Execution | Job, new: NewBackfill, anchor: int, now_ms: int) -> Backfill:
    """The schedule of a job's backfill whose first run is at the anchor.

    InvalidStateError if the job cannot be backfilled, ScheduleError for an invalid range.
    """
    if isinstance(job, Execution):
        raise InvalidStateError("a job that runs once cannot be backfilled")
    if isinstance(job.schedule, Backfill):
        raise InvalidStateError("a backfill cannot be backfilled; backfill its job")
    if job.state in GONE:
        raise InvalidStateError(f"the job is {job.state}")
    return new.schedule_of(job.schedule, anchor, now_ms)
