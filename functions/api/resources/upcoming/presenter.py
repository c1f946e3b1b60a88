"""Runs that are about to start, as responses."""

from functions.api.resources.upcoming.models import (
    DensityOut,
    DensityStepOut,
    DueRowOut,
    NextRunOut,
    NextRunsOut,
    UpcomingRunOut,
)
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.schedules.preview import show_instant
from shared.domain.schedules.schedule import Backfill, Cron, format_instant
from shared.usecases.listings.count_upcoming import Density
from shared.usecases.listings.list_upcoming import UpcomingRun
from shared.usecases.listings.next_runs import NextRun


def upcoming_run_out(run: UpcomingRun) -> UpcomingRunOut:
    return UpcomingRunOut(
        at=format_instant(run.at),
        basis=run.basis.value,
        execution_id=str(run.id),
        job_id=run.job_id,
        scheduled_at=format_instant(run.scheduled_at),
        attempt=run.attempt,
    )


def density_out(density: Density) -> DensityOut:
    return DensityOut(
        steps=[DensityStepOut(at=format_instant(step.at), count=step.count) for step in density.steps],
        until=format_instant(density.until),
        complete=density.is_complete,
        estimated=density.is_estimated,
    )


def due_row_out(row: DueRow) -> DueRowOut:
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
    """Local times are in the zone of a cron line, and in UTC for every other schedule."""
    zone = _zone(job)
    return NextRunsOut(
        job_id=job.id if isinstance(job, Job) else job.job_id,
        timezone=zone,
        runs=[_next_run_out(run, zone) for run in runs],
    )


def _zone(job: Execution | Job) -> str:
    schedule = job.schedule if isinstance(job, Job) else None
    schedule = schedule.of if isinstance(schedule, Backfill) else schedule
    return schedule.timezone if isinstance(schedule, Cron) else "UTC"


def _next_run_out(run: NextRun, zone: str) -> NextRunOut:
    instant = show_instant(run.scheduled_at, zone)
    return NextRunOut(
        scheduled_at=format_instant(run.scheduled_at),
        due_at=format_instant(run.due_at),
        local=instant.local,
        offset=instant.offset,
    )
