"""Instants of a cron line in a time zone; the only module that imports croniter.

croniter is asked for one thing, the next match of a line in *naive* wall time, and only for lines that were read and
spelled out by our own grammar. Its handling of daylight saving cannot be chosen and loses instants: `cron_walk`
decides that.
"""

from copy import copy
from functools import lru_cache, partial
from typing import Final
from zoneinfo import ZoneInfo

from croniter import croniter

from shared.domain.errors import ScheduleNeverFiresError
from shared.domain.schedules.cron_count import DayPattern, count_instants
from shared.domain.schedules.cron_line import CronLine, read_line
from shared.domain.schedules.cron_walk import DAY_MS, Gap, Overlap, Step, WallClock, first_instant
from shared.domain.schedules.cron_years import within_years, year_start
from shared.domain.schedules.eventbridge_line import is_eventbridge, read_eventbridge_line
from shared.domain.schedules.zones import load_zone

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
"""9900-01-01T00:00Z: no line has an instant after it, nor one before 1970. Safely below where `datetime` ends."""

# Later than every instant, by more than any offset.
_NEVER_MS: Final = HORIZON_MS + 2 * DAY_MS


def parse_cron(line: str) -> CronLine:
    """Read a five-field line, see `read_line` for its grammar. Raises ScheduleError that names the field."""
    return _parsed(line, False)


def parse_line(line: str) -> CronLine:
    """Read a line of either dialect: EventBridge's where it begins with `cron(`, see `read_eventbridge_line`."""
    return _parsed(line, is_eventbridge(line))


@lru_cache(maxsize=1024)
def _parsed(line: str, from_eventbridge: bool) -> CronLine:
    parsed = read_eventbridge_line(line) if from_eventbridge else read_line(line)
    _matcher(parsed.steps)
    if parsed.years is not None and naive_next(parsed, -1) == _NEVER_MS:
        raise ScheduleNeverFiresError("year: no such day in any of these years", field="year")
    return parsed


def naive_next(line: CronLine, wall_ms: int) -> int:
    """The first match strictly after a naive wall time, as if there were no zones; past HORIZON_MS for none."""
    return _stepper(line.steps, line.years)(wall_ms)


def cron_next(
    line: CronLine,
    zone: str | ZoneInfo,
    after_ms: int,
    gap: Gap = Gap.SHIFT,
    overlap: Overlap = Overlap.FIRST,
) -> int | None:
    """The first instant (UTC, milliseconds) of the line strictly after `after_ms`; None beyond HORIZON_MS.

    Every instant from `after_ms` up to the answer has the same answer. For an interval line the gap is skipped and
    both passes of an overlap count, whatever is asked. Raises ScheduleError (field `timezone`) for an unknown zone.
    """
    clock = _clock(line, zone, gap, overlap)
    if after_ms >= HORIZON_MS:
        return None
    found = first_instant(_stepper(line.steps, line.years), clock, max(after_ms, -1))
    return found if found is not None and found <= HORIZON_MS else None


def cron_count(
    line: CronLine,
    zone: str | ZoneInfo,
    after_ms: int,
    until_ms: int,
    limit: int,
    gap: Gap = Gap.SHIFT,
    overlap: Overlap = Overlap.FIRST,
) -> int:
    """How many instants `cron_next` would find in (after, until], at most `limit`.

    The cost grows with the days that match and not with the instants.
    """
    clock = _clock(line, zone, gap, overlap)
    after_ms, until_ms = max(after_ms, -1), min(until_ms, _end_ms(line))
    if after_ms >= until_ms:
        return 0
    return count_instants(day_pattern(line), clock, after_ms, until_ms, limit)


def day_pattern(line: CronLine) -> DayPattern:
    """The line taken apart into minutes of a day and days."""
    _, _, *days = line.steps.split(" ")
    return DayPattern(minutes=line.minutes_of_day(), next_day=_stepper(" ".join(("0 0", *days)), line.years))


def _end_ms(line: CronLine) -> int:
    """A line has no instant after this."""
    return HORIZON_MS if line.years is None else year_start(line.years[-1] + 1) + DAY_MS


def _clock(line: CronLine, zone: str | ZoneInfo, gap: Gap, overlap: Overlap) -> WallClock:
    if line.is_interval:
        gap, overlap = Gap.SKIP, Overlap.BOTH
    return WallClock(zone=load_zone(zone) if isinstance(zone, str) else zone, gap=gap, overlap=overlap)


def _stepper(steps: str, years: tuple[int, ...] | None) -> Step:
    step = _naive_step(steps)
    return step if years is None else within_years(step, partial(_remembered_next, steps), years, _NEVER_MS)


@lru_cache(maxsize=4096)
def _remembered_next(steps: str, wall_ms: int) -> int:
    return _naive_step(steps)(wall_ms)


def _naive_step(steps: str) -> Step:
    # get_next keeps its position in the object: a copy for each caller makes the cached one safe to share.
    matcher = copy(_matcher(steps))

    def step(wall_ms: int) -> int:
        return int(matcher.get_next(float, start_time=wall_ms // 1000)) * 1000

    return step


@lru_cache(maxsize=1024)
def _matcher(steps: str) -> croniter:
    return croniter(steps, start_time=0.0, ret_type=float)
