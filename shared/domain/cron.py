"""Instants of a cron line in a time zone; the only module that imports croniter.

croniter is asked for one thing, the next match of a line in *naive* wall time, and only for lines that were read and
spelled out by our own grammar. Its handling of daylight saving cannot be chosen and loses instants: `cron_walk`
decides that.
"""

from copy import copy
from functools import lru_cache
from typing import Final

from croniter import croniter

from shared.domain.cron_count import DayPattern, count_instants
from shared.domain.cron_line import CronLine, read_line
from shared.domain.cron_walk import Gap, Overlap, Step, WallClock, first_instant
from shared.domain.zones import load_zone

__all__ = ["HORIZON_MS", "CronLine", "Gap", "Overlap", "cron_count", "cron_next", "parse_cron"]

HORIZON_MS: Final = 250_246_627_200_000
"""9900-01-01T00:00Z: no line has an instant after it, nor one before 1970. Safely below where `datetime` ends."""


@lru_cache(maxsize=1024)
def parse_cron(line: str) -> CronLine:
    """Read a line, see `read_line` for its grammar. Raises ScheduleError that names the field."""
    parsed = read_line(line)
    _matcher(parsed.steps)
    return parsed


def cron_next(
    line: CronLine, zone: str, after_ms: int, gap: Gap = Gap.SHIFT, overlap: Overlap = Overlap.FIRST
) -> int | None:
    """The first instant (UTC, milliseconds) of the line strictly after `after_ms`; None beyond HORIZON_MS.

    Every instant from `after_ms` up to the answer has the same answer. For an interval line the gap is skipped and
    both passes of an overlap count, whatever is asked. Raises ScheduleError (field `timezone`) for an unknown zone.
    """
    clock = _clock(line, zone, gap, overlap)
    if after_ms >= HORIZON_MS:
        return None
    found = first_instant(_stepper(line.steps), clock, max(after_ms, -1))
    return found if found <= HORIZON_MS else None


def cron_count(
    line: CronLine,
    zone: str,
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
    after_ms, until_ms = max(after_ms, -1), min(until_ms, HORIZON_MS)
    if after_ms >= until_ms:
        return 0
    _, _, *days = line.steps.split(" ")
    pattern = DayPattern(minutes=line.minutes_of_day(), next_day=_stepper(" ".join(("0 0", *days))))
    return count_instants(pattern, clock, after_ms, until_ms, limit)


def _clock(line: CronLine, zone: str, gap: Gap, overlap: Overlap) -> WallClock:
    if line.is_interval:
        gap, overlap = Gap.SKIP, Overlap.BOTH
    return WallClock(zone=load_zone(zone), gap=gap, overlap=overlap)


def _stepper(steps: str) -> Step:
    # get_next keeps its position in the object: a copy for each caller makes the cached one safe to share.
    matcher = copy(_matcher(steps))

    def step(wall_ms: int) -> int:
        return int(matcher.get_next(float, start_time=wall_ms // 1000)) * 1000

    return step


@lru_cache(maxsize=1024)
def _matcher(steps: str) -> croniter:
    return croniter(steps, start_time=0.0, ret_type=float)
