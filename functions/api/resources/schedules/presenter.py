"""Previews of schedules as responses."""

from functions.api.models import instant_out
from functions.api.resources.schedules.models import (
    ClockChangeOut,
    PreviewedRunOut,
    SchedulePreviewOut,
    WarningOut,
)
from shared.domain.schedules.dst import DstChange
from shared.domain.schedules.schedule import format_instant
from shared.usecases.listings.preview_schedule import PreviewedRun, SchedulePreview


def preview_out(preview: SchedulePreview) -> SchedulePreviewOut:
    return SchedulePreviewOut(
        description=preview.description,
        timezone=preview.timezone,
        runs=[_run_out(run) for run in preview.runs],
        clock_changes=[_clock_change_out(change) for change in preview.clock_changes],
        warnings=[WarningOut(code=warning.code, text=warning.text) for warning in preview.warnings],
    )


def _run_out(run: PreviewedRun) -> PreviewedRunOut:
    return PreviewedRunOut(
        scheduled_at=format_instant(run.instant.nominal_at),
        local=run.instant.local,
        offset=run.instant.offset,
        begins_before=instant_out(run.begins_before),
    )


def _clock_change_out(change: DstChange) -> ClockChangeOut:
    return ClockChangeOut(
        at=format_instant(change.at),
        local_before=change.local_before,
        local_after=change.local_after,
        effect=change.effect,
        count=change.count,
        local_times=list(change.local_times),
        runs_at=instant_out(change.runs_at),
    )
