"""Domain values as the listings show them."""

from functions.api.job_views import created_at_of, next_due_at, schedule_out
from functions.api.models.listings import (
    CautionOut,
    ClockChangeOut,
    DueRowOut,
    JobSummaryOut,
    NextRunOut,
    NextRunsOut,
    PreviewedRunOut,
    SchedulePreviewOut,
    UpcomingRunOut,
)
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.listings.filters import kind_of
from shared.domain.schedules.dst import DstChange
from shared.domain.schedules.preview import show_instant
from shared.domain.schedules.schedule import Backfill, Cron, format_instant
from shared.usecases.listings.list_upcoming import UpcomingRun
from shared.usecases.listings.next_runs import NextRun
from shared.usecases.listings.preview_schedule import PreviewedRun, SchedulePreview


def job_summary(job: Execution | Job, now_ms: int) -> JobSummaryOut:
    """A job in a list."""
    return JobSummaryOut(
        id=job.job_id if isinstance(job, Execution) else job.id,
        kind=kind_of(job),
        state=job.state.value,
        name=job.name,
        tags=list(job.tags),
        schedule=schedule_out(job),
        next_due_at=_instant(next_due_at(job, now_ms)),
        lane=job.call.lane,
        revision=job.revision,
        created_at=format_instant(created_at_of(job)),
    )


def upcoming_run_out(run: UpcomingRun) -> UpcomingRunOut:
    """A run of a tenant."""
    return UpcomingRunOut(
        at=format_instant(run.at),
        basis=run.basis.value,
        execution_id=str(run.id),
        job_id=run.job_id,
        scheduled_at=format_instant(run.scheduled_at),
        attempt=run.attempt,
    )


def due_row_out(row: DueRow) -> DueRowOut:
    """A row of a bucket."""
    return DueRowOut(
        at=format_instant(row.id.dispatch_at),
        tenant_id=row.tenant_id,
        execution_id=str(row.wakes),
        state=row.state.value,
        lane=row.lane,
        shard=row.id.shard,
        retry=row.reminder_target is not None,
    )


def next_runs_out(job: Execution | Job, runs: list[NextRun]) -> NextRunsOut:
    """The next runs of a job; a cron line is shown in its own zone, all else in UTC."""
    zone = _zone(job)
    return NextRunsOut(
        job_id=job.id if isinstance(job, Job) else job.job_id,
        timezone=zone,
        runs=[_next_run(run, zone) for run in runs],
    )


def _zone(job: Execution | Job) -> str:
    schedule = job.schedule if isinstance(job, Job) else None
    schedule = schedule.of if isinstance(schedule, Backfill) else schedule
    return schedule.timezone if isinstance(schedule, Cron) else "UTC"


def _next_run(run: NextRun, zone: str) -> NextRunOut:
    shown = show_instant(run.scheduled_at, zone)
    return NextRunOut(
        scheduled_at=format_instant(run.scheduled_at),
        due_at=format_instant(run.due_at),
        local=shown.local,
        offset=shown.offset,
    )


def preview_out(preview: SchedulePreview) -> SchedulePreviewOut:
    """What a schedule would do."""
    return SchedulePreviewOut(
        description=preview.description,
        timezone=preview.timezone,
        runs=[_previewed(run) for run in preview.runs],
        clock_changes=[_clock_change(change) for change in preview.clock_changes],
        warnings=[CautionOut(code=one.code, text=one.text) for one in preview.warnings],
    )


def _previewed(run: PreviewedRun) -> PreviewedRunOut:
    return PreviewedRunOut(
        scheduled_at=format_instant(run.instant.nominal_at),
        local=run.instant.local,
        offset=run.instant.offset,
        begins_before=_instant(run.begins_before),
    )


def _clock_change(change: DstChange) -> ClockChangeOut:
    return ClockChangeOut(
        at=format_instant(change.at),
        local_before=change.local_before,
        local_after=change.local_after,
        effect=change.effect,
        count=change.count,
        local_times=list(change.local_times),
        runs_at=_instant(change.runs_at),
    )


def _instant(at: int | None) -> str | None:
    return format_instant(at) if at is not None else None
