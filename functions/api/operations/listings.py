"""Jobs, what is about to run, and what a schedule would do."""

from dataclasses import dataclass

from functions.api.bodies import read_body
from functions.api.cursors import Cursors
from functions.api.faults import in_body
from functions.api.listing_views import (
    due_row_out,
    job_summary,
    next_runs_out,
    preview_out,
    upcoming_run_out,
)
from functions.api.models.listings import (
    DuePageOut,
    JobPageOut,
    NextRunsOut,
    SchedulePreviewOut,
    UpcomingPageOut,
)
from functions.api.models.schedules import ScheduleIn
from functions.api.positions import (
    due_parts,
    job_parts,
    read_due,
    read_job_position,
    read_upcoming,
    upcoming_parts,
)
from shared.domain.delivery.request import Request
from shared.domain.errors import ScheduleError
from shared.domain.jobs.new_job import NewJob
from shared.domain.listings.filters import JobFilter
from shared.domain.schedules.schedule import Schedule, format_instant
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.usecases.listings.list_due import ListDue
from shared.usecases.listings.list_jobs import ListJobs
from shared.usecases.listings.list_upcoming import ListUpcoming
from shared.usecases.listings.next_runs import NextRuns
from shared.usecases.listings.preview_schedule import PreviewSchedule


@dataclass(frozen=True, slots=True)
class ListingOperations:
    """One method an operation."""

    list_jobs: ListJobs
    list_upcoming: ListUpcoming
    list_due: ListDue
    next_runs: NextRuns
    preview_schedule: PreviewSchedule
    cursors: Cursors
    clock: Clock

    def jobs(self, tenant: Tenant, criteria: JobFilter, limit: int, cursor: str | None) -> JobPageOut:
        """A page of the tenant's jobs."""
        question = {
            "list": "jobs",
            "state": criteria.state,
            "tag": criteria.tag,
            "q": criteria.name_prefix,
            "kind": criteria.kind,
            "backfill_of": criteria.backfill_of,
        }
        position = self.cursors.unseal(tenant, question, cursor, read_job_position)
        page = self.list_jobs.execute(tenant, limit=limit, criteria=criteria, position=position)
        now_ms, more = self.clock.now_ms(), page.next_position
        return JobPageOut(
            jobs=[job_summary(job, now_ms) for job in page.jobs],
            next_cursor=self.cursors.seal(tenant, question, job_parts(more)) if more else None,
        )

    def upcoming(
        self, tenant: Tenant, within_seconds: int, limit: int, cursor: str | None
    ) -> UpcomingPageOut:
        """A page of what the tenant's jobs are about to do."""
        question = {"list": "upcoming", "within": within_seconds}
        position = self.cursors.unseal(tenant, question, cursor, read_upcoming)
        page = self.list_upcoming.execute(tenant, within_seconds * 1000, limit=limit, position=position)
        more = page.next_position
        return UpcomingPageOut(
            runs=[upcoming_run_out(run) for run in page.runs],
            until=format_instant(page.until),
            complete=page.is_complete,
            next_cursor=self.cursors.seal(tenant, question, upcoming_parts(more)) if more else None,
        )

    def due(self, operator: Tenant, within_seconds: int, limit: int, cursor: str | None) -> DuePageOut:
        """A page of what waits in the buckets, of all tenants."""
        question = {"list": "due", "within": within_seconds}
        position = self.cursors.unseal(operator, question, cursor, read_due)
        page = self.list_due.execute(within_seconds * 1000, limit=limit, position=position)
        more = page.next_position
        return DuePageOut(
            rows=[due_row_out(row) for row in page.rows],
            until=format_instant(page.until),
            next_cursor=self.cursors.seal(operator, question, due_parts(more)) if more else None,
        )

    def next_of(self, tenant: Tenant, job_id: str, count: int) -> NextRunsOut:
        """The next runs of a job."""
        return next_runs_out(*self.next_runs.execute(tenant.id, job_id, count))

    def preview(self, body: bytes) -> SchedulePreviewOut:
        """What a schedule would do."""
        asked = read_body(body, ScheduleIn)
        try:
            schedule = _schedule(asked, self.clock.now_ms())
            preview = self.preview_schedule.execute(
                schedule,
                timezone="UTC" if asked.timezone is None else asked.timezone,
                jitter_ms=asked.jitter_seconds * 1000,
                max_runs=asked.max_runs,
            )
        except ScheduleError as fault:
            raise in_body(fault) from fault
        return preview_out(preview)


_ANY_REQUEST = Request(method="POST", url="https://example.com/")


def _schedule(asked: ScheduleIn, now_ms: int) -> Schedule:
    """The schedule as a job that is created now would have it."""
    return NewJob(timing=asked.timing(), request=_ANY_REQUEST).schedule_at(now_ms)
