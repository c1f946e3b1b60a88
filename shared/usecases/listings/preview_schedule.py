"""Preview a schedule without a job. Nothing is stored."""

from shared.dataclass import dataclass
from shared.domain.schedules.describe import describe
from shared.domain.schedules.dst import DstChange
from shared.domain.schedules.preview import Upcoming, upcoming
from shared.domain.schedules.schedule import Cron, Schedule, first_after
from shared.domain.schedules.schedule_warnings import ScheduleWarning, affecting_changes, warnings
from shared.ports.runtime import Clock

INSTANTS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedRun:
    """A nominal instant, and the instant before which its run begins, which adds at most the jitter."""

    instant: Upcoming
    begins_before: int | None
    """None without jitter: the run begins at the instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePreview:
    description: str
    timezone: str
    runs: tuple[PreviewedRun, ...]
    clock_changes: tuple[DstChange, ...]
    warnings: tuple[ScheduleWarning, ...]


@dataclass(frozen=True, slots=True)
class PreviewSchedule:
    """Evaluates the schedule only; reads no job and no tenant."""

    clock: Clock

    def execute(
        self, schedule: Schedule, *, timezone: str = "UTC", jitter_ms: int = 0, max_runs: int | None = None
    ) -> SchedulePreview:
        """The preview as of now. A schedule that never fires has no runs, and a warning says so."""
        now_ms = self.clock.now_ms()
        count = min(INSTANTS, max_runs or INSTANTS)
        found = upcoming(schedule, now_ms, count, timezone)
        return SchedulePreview(
            description=describe(schedule, timezone),
            timezone=schedule.timezone if isinstance(schedule, Cron) else timezone,
            runs=_windows(schedule, found, jitter_ms),
            clock_changes=affecting_changes(schedule, now_ms, max_runs) if isinstance(schedule, Cron) else (),
            warnings=warnings(schedule, now_ms, max_runs),
        )


def _windows(schedule: Schedule, found: tuple[Upcoming, ...], jitter_ms: int) -> tuple[PreviewedRun, ...]:
    if not jitter_ms or not found:
        return tuple(PreviewedRun(instant=each, begins_before=None) for each in found)
    following = [each.nominal_at for each in found[1:]] + [first_after(schedule, found[-1].nominal_at)]
    return tuple(
        PreviewedRun(
            instant=each,
            begins_before=each.nominal_at
            + (jitter_ms if next_at is None else min(jitter_ms, next_at - each.nominal_at)),
        )
        for each, next_at in zip(found, following, strict=True)
    )
