"""Finds the clock changes of a zone that affect runs of a cron line."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from shared.dataclass import dataclass
from shared.domain.schedules.cron import CronLine, Gap, Overlap, day_pattern, naive_next
from shared.domain.schedules.cron_walk import DAY_MS, LONGEST_SHIFT_MS
from shared.domain.schedules.schedule_kinds import Cron
from shared.domain.schedules.zones import segment_at

AHEAD_MS: Final = 2 * 366 * DAY_MS
MAX_LISTED_TIMES: Final = 10
_MAX_COUNT = 2_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class DstEffect(StrEnum):
    """What happens to local times that a clock change skips or repeats."""

    SHIFTED = "shifted"
    COLLAPSED = "collapsed"
    SKIPPED = "skipped"
    FIRST_TIME_ONLY = "first_time_only"
    SECOND_TIME_ONLY = "second_time_only"
    DOUBLED = "doubled"


@dataclass(frozen=True, slots=True, kw_only=True)
class DstChange:
    """A clock change, from `local_before` to `local_after`, that affects runs.

    `count` is the number of skipped or repeated local times that the line matches; `local_times` lists the
    first MAX_LISTED_TIMES of them. `runs_at` is set for SHIFTED (one run) and COLLAPSED (several runs become
    one).
    """

    at: int
    local_before: str
    local_after: str
    effect: DstEffect
    count: int
    local_times: tuple[str, ...]
    runs_at: int | None = None


def dst_changes(schedule: Cron, from_ms: int, ahead_ms: int = AHEAD_MS) -> tuple[DstChange, ...]:
    """Return the changes within (from, from + ahead] and within the bounds of the schedule, in order."""
    line = schedule.parsed_line
    low = from_ms if schedule.start_at is None else max(from_ms, schedule.start_at - 1)
    high = from_ms + ahead_ms if schedule.end_at is None else min(from_ms + ahead_ms, schedule.end_at)
    changes = (
        _dst_change(schedule, line, *change)
        for change in _offset_changes(schedule.zone, low, high)
        # In a blackout window, the window decides what happens.
        if not schedule.has_blackouts or not _is_in_blackout(schedule, change[0])
    )
    return tuple(change for change in changes if change is not None)


def changes_that_skip(schedule: Cron, after_ms: int, until_ms: int) -> tuple[DstChange, ...]:
    """Return the changes in (after, until] that drop runs.

    An interval line drops none: it fires by elapsed time, and no time passes in a gap.
    """
    if schedule.parsed_line.is_interval:
        return ()
    changes = dst_changes(schedule, after_ms, until_ms - after_ms)
    return tuple(change for change in changes if change.effect is DstEffect.SKIPPED)


def local_text(wall_ms: int) -> str:
    """Format a wall time (milliseconds, as if it were UTC) as `2025-03-09T02:30:00`."""
    return (_EPOCH + timedelta(milliseconds=wall_ms)).replace(tzinfo=None).isoformat(timespec="seconds")


def _is_in_blackout(schedule: Cron, instant_ms: int) -> bool:
    return schedule.calendar is not None and schedule.calendar.blackouts.at(instant_ms) is not None


def _offset_changes(zone: ZoneInfo, after_ms: int, until_ms: int) -> Iterator[tuple[int, int, int]]:
    """Yield each change in (after, until] as its instant and the offsets before and after it."""
    segment = segment_at(zone, after_ms)
    while segment.end_ms <= until_ms:
        following = segment_at(zone, segment.end_ms)
        if following.offset_ms != segment.offset_ms:
            yield segment.end_ms, segment.offset_ms, following.offset_ms
        segment = following


def _dst_change(schedule: Cron, line: CronLine, at: int, before_ms: int, after_ms: int) -> DstChange | None:
    low, high = sorted((at + before_ms, at + after_ms))
    count = day_pattern(line).count(low - 1, high - 1, _MAX_COUNT)
    if count == 0:
        return None
    if after_ms > before_ms:
        at_end = naive_next(line, high - 1) == high
        effect = _gap_effect(schedule, line, high - low, count + at_end)
    else:
        effect = _overlap_effect(schedule, line)
    return DstChange(
        at=at,
        local_before=local_text(at + before_ms),
        local_after=local_text(at + after_ms),
        effect=effect,
        count=count,
        local_times=tuple(_first_matches(line, low, high)),
        runs_at=at if effect in (DstEffect.SHIFTED, DstEffect.COLLAPSED) else None,
    )


def _gap_effect(schedule: Cron, line: CronLine, length_ms: int, runs: int) -> DstEffect:
    if line.is_interval or schedule.gap is Gap.SKIP or length_ms > LONGEST_SHIFT_MS:
        return DstEffect.SKIPPED
    return DstEffect.SHIFTED if runs == 1 else DstEffect.COLLAPSED


def _overlap_effect(schedule: Cron, line: CronLine) -> DstEffect:
    if line.is_interval or schedule.overlap is Overlap.BOTH:
        return DstEffect.DOUBLED
    return DstEffect.FIRST_TIME_ONLY if schedule.overlap is Overlap.FIRST else DstEffect.SECOND_TIME_ONLY


def _first_matches(line: CronLine, low: int, high: int) -> Iterator[str]:
    wall = low - 1
    for _ in range(MAX_LISTED_TIMES):
        wall = naive_next(line, wall)
        if wall >= high:
            return
        yield local_text(wall)
