"""Instants of a cron line in a time zone; the only module that imports croniter.

croniter answers one question: the next match of a line in *naive* wall time. It only sees lines that our own
grammar has parsed and expanded. Its handling of daylight saving is not configurable and loses instants, so
`cron_walk` handles clock changes.
"""

from copy import copy
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from shared.domain.errors import ScheduleNeverFiresError
from shared.domain.schedules.cron_count import DayPattern, count_instants
from shared.domain.schedules.cron_line import CronLine, read_line
from shared.domain.schedules.cron_walk import DAY_MS, Gap, Overlap, Step, WallClock, first_instant
from shared.domain.schedules.cron_years import within_months, within_years, year_start
from shared.domain.schedules.eventbridge_line import is_eventbridge, read_eventbridge_line
from shared.domain.schedules.zones import load_zone

if TYPE_CHECKING:
    from croniter import croniter

__all__ = [
    "HORIZON_MS",
    "CronLine",
    "Gap",
    "Overlap",
    "cron_count",
    "cron_next",
    "day_pattern",
    "naive_next",
    "parse_cron",
    "parse_line",
]

HORIZON_MS: Final = 250_246_627_200_000
"""9900-01-01T00:00Z: every instant of a line lies between 1970 and this, safely below the limit of
`datetime`."""

# Exceeds every instant by more than any UTC offset.
_NEVER_MS: Final = HORIZON_MS + 2 * DAY_MS


def parse_cron(line: str) -> CronLine:
    """Parse a five-field line; `read_line` documents the grammar.

    Raises ScheduleError that names the field.
    """
    return _parse(line, False)


def parse_line(line: str) -> CronLine:
    """Parse a line of either dialect; EventBridge's begins with `cron(`, see `read_eventbridge_line`."""
    return _parse(line, is_eventbridge(line))


@lru_cache(maxsize=1024)
def _parse(line: str, from_eventbridge: bool) -> CronLine:
    parsed = read_eventbridge_line(line) if from_eventbridge else read_line(line)
    _matcher(parsed.steps)
    if parsed.years is not None and naive_next(parsed, -1) == _NEVER_MS:
        raise ScheduleNeverFiresError("year: no such day in any of these years", field="year")
    return parsed


def naive_next(line: CronLine, wall_ms: int) -> int:
    """Return the first match strictly after a naive wall time.

    A value above HORIZON_MS if there is no match.
    """
    return _step_of(line)(wall_ms)


def cron_next(
    line: CronLine,
    zone: str | ZoneInfo,
    after_ms: int,
    gap: Gap = Gap.SHIFT,
    overlap: Overlap = Overlap.FIRST,
) -> int | None:
    """Return the first instant (UTC, milliseconds) of the line strictly after `after_ms`.

    None beyond HORIZON_MS. An interval line always skips gaps and counts both passes of an overlap, whatever
    `gap` and `overlap` say. Raises ScheduleError (field `timezone`) for an unknown zone.
    """
    clock = _clock(line, zone, gap, overlap)
    if after_ms >= HORIZON_MS:
        return None
    instant = first_instant(_step_of(line), clock, max(after_ms, -1))
    return instant if instant is not None and instant <= HORIZON_MS else None


def cron_count(
    line: CronLine,
    zone: str | ZoneInfo,
    after_ms: int,
    until_ms: int,
    limit: int,
    gap: Gap = Gap.SHIFT,
    overlap: Overlap = Overlap.FIRST,
) -> int:
    """Count the instants in (after, until], at most `limit`.

    The cost grows with matching days, not instants.
    """
    clock = _clock(line, zone, gap, overlap)
    after_ms, until_ms = max(after_ms, -1), min(until_ms, _end_ms(line))
    if after_ms >= until_ms:
        return 0
    return count_instants(day_pattern(line), clock, after_ms, until_ms, limit)


def day_pattern(line: CronLine) -> DayPattern:
    """Split the line into the minutes of a day and the days that match."""
    _, _, *days = line.steps.split(" ")
    if line.calendar is None:
        return DayPattern(minutes=line.minutes_of_day(), next_day=_stepper(" ".join(("0 0", *days)), line))
    # Imported late: most processes never see a calendar.
    from shared.domain.schedules.calendar_rule import moved_days

    next_day = _stepper(" ".join(("0 0", *line.calendar.base_days(*days))), line)
    return DayPattern(minutes=line.minutes_of_day(), next_day=moved_days(next_day, line.calendar, _NEVER_MS))


def _end_ms(line: CronLine) -> int:
    """Return an upper bound of the line's instants."""
    if line.years is None:
        return HORIZON_MS
    # A calendar moves a run by at most a year and a day.
    return year_start(line.years[-1] + (1 if line.calendar is None else 3)) + DAY_MS


def _clock(line: CronLine, zone: str | ZoneInfo, gap: Gap, overlap: Overlap) -> WallClock:
    if line.is_interval:
        gap, overlap = Gap.SKIP, Overlap.BOTH
    return WallClock(zone=load_zone(zone) if isinstance(zone, str) else zone, gap=gap, overlap=overlap)


def _step_of(line: CronLine) -> Step:
    return _stepper(line.steps, line) if line.calendar is None else day_pattern(line).next_time


def _stepper(steps: str, line: CronLine) -> Step:
    """Return the matches of `steps` in the years and months in which the line fires."""
    step = _month_step(steps, line.required_day)
    if line.years is None:
        return step
    return within_years(step, partial(_cached_next, steps, line.required_day), line.years, _NEVER_MS)


@lru_cache(maxsize=4096)
def _cached_next(steps: str, required_day: int | None, wall_ms: int) -> int:
    return _month_step(steps, required_day)(wall_ms)


def _month_step(steps: str, required_day: int | None) -> Step:
    step = _naive_step(steps)
    return step if required_day is None else within_months(step, required_day)


def _naive_step(steps: str) -> Step:
    # get_next stores its position in the object, so each caller gets a copy of the cached matcher.
    matcher = copy(_matcher(steps))

    def step(wall_ms: int) -> int:
        return int(matcher.get_next(float, start_time=wall_ms // 1000)) * 1000

    return step


@lru_cache(maxsize=1024)
def _matcher(steps: str) -> "croniter":
    # Imported late: most processes never look for an instant of a line.
    from croniter import croniter

    return croniter(steps, start_time=0.0, ret_type=float)
