"""Queries over a schedule: its nominal instants after, before and between given instants.

All functions are pure functions of the schedule and of instants (UTC, integer milliseconds). They never read
the clock, so lateness, pauses and restarts cannot move an instant.
"""

from functools import lru_cache, partial
from typing import assert_never

from shared.domain.errors import ScheduleNeverFiresError
from shared.domain.schedules.cron import Gap, Overlap, cron_count, cron_next
from shared.domain.schedules.instant_search import instants_back, latest_instant
from shared.domain.schedules.instants import check_once, format_instant, parse_instant
from shared.domain.schedules.schedule_codec import (
    decode_schedule,
    decode_series,
    encode_schedule,
    encode_series,
)
from shared.domain.schedules.schedule_kinds import Backfill, Cron, Once, Rate, Schedule, Series, without_rules

__all__ = [
    "Backfill",
    "Cron",
    "Gap",
    "Once",
    "Overlap",
    "Rate",
    "Schedule",
    "Series",
    "check_fires",
    "check_once",
    "count_between",
    "decode_schedule",
    "decode_series",
    "encode_schedule",
    "encode_series",
    "first_after",
    "format_instant",
    "instants_before",
    "latest_at_or_before",
    "parse_instant",
    "without_rules",
]


def check_fires(schedule: Rate | Cron, now_ms: int) -> int:
    """Return the first nominal instant after now, in bounded time.

    Raises ScheduleNeverFiresError if every instant is past, after the end of the schedule, or in a skipped
    gap.
    """
    first_at = first_after(schedule, now_ms)
    if first_at is None:
        raise ScheduleNeverFiresError("schedule: it has no instant from now on", field="schedule")
    return first_at


def first_after(schedule: Once | Series, after_ms: int) -> int | None:
    """Return the first nominal instant strictly after `after_ms`, or None."""
    match schedule:
        case Once():
            found: int | None = schedule.at if schedule.at > after_ms else None
        case Rate() | Backfill():
            found = schedule.anchor + (schedule.index_at(after_ms) + 1) * schedule.interval_ms
            found = _unless_past(schedule.end_at, found)
        case Cron(start_at=start_at, end_at=end_at):
            after_ms = after_ms if start_at is None else max(after_ms, start_at - 1)
            if end_at is not None and after_ms >= end_at:
                return None
            found = _line_next(schedule, after_ms)
            found = _unless_past(end_at, found)
        case _:
            assert_never(schedule)
    return found


def latest_at_or_before(schedule: Once | Series, at_ms: int, not_before_ms: int) -> int | None:
    """Return the latest nominal instant in [not_before, at], or None."""
    if isinstance(schedule, Cron):
        low, high = _within(schedule, not_before_ms, at_ms)
        return latest_instant(partial(first_after, schedule), high, low)
    latest = instants_before(schedule, at_ms + 1, not_before_ms, 1)
    return latest[0] if latest else None


def count_between(schedule: Once | Series, after_ms: int, until_ms: int, limit: int) -> int:
    """Count the nominal instants in (after, until], at most `limit`, without listing them."""
    match schedule:
        case Once():
            count = int(after_ms < schedule.at <= until_ms)
        case Rate() | Backfill():
            count = schedule.index_at(until_ms) - schedule.index_at(after_ms)
        case Cron():
            low, high = _within(schedule, after_ms + 1, until_ms)
            count = _line_count(schedule, low - 1, high, limit)
        case _:
            assert_never(schedule)
    return max(0, min(count, limit))


def instants_before(schedule: Once | Series, before_ms: int, not_before_ms: int, limit: int) -> list[int]:
    """Return the latest `limit` nominal instants in [not_before, before), newest first."""
    match schedule:
        case Once():
            return [schedule.at] if not_before_ms <= schedule.at < before_ms and limit > 0 else []
        case Rate() | Backfill():
            last, first = schedule.index_at(before_ms - 1), schedule.index_at(not_before_ms - 1) + 1
            newest = range(last, max(first, last - limit + 1) - 1, -1)
            return [schedule.anchor + index * schedule.interval_ms for index in newest]
        case Cron():
            low, high = _within(schedule, not_before_ms, before_ms - 1)
            return list(_cron_instants(schedule, high + 1, low, limit))
        case _:
            assert_never(schedule)


@lru_cache(maxsize=256)
def _cron_instants(schedule: Cron, before_ms: int, not_before_ms: int, limit: int) -> tuple[int, ...]:
    """Each instant of a line takes some 50 us, and jobs of one line are asked for the same ones."""
    return tuple(instants_back(partial(first_after, schedule), before_ms, not_before_ms, limit))


def _line_next(schedule: Cron, after_ms: int) -> int | None:
    """Return the first instant of the line after `after_ms`, whatever the bounds of the schedule."""
    if schedule.has_blackouts:
        # Imported late: most schedules have no blackout windows.
        from shared.domain.schedules.blackout_moves import next_outside

        return next_outside(schedule, after_ms)
    return cron_next(schedule.parsed_line, schedule.zone, after_ms, schedule.gap, schedule.overlap)


def _line_count(schedule: Cron, after_ms: int, until_ms: int, limit: int) -> int:
    if schedule.has_blackouts:
        from shared.domain.schedules.blackout_moves import count_outside

        return count_outside(schedule, after_ms, until_ms, limit)
    policy = (schedule.gap, schedule.overlap)
    return cron_count(schedule.parsed_line, schedule.zone, after_ms, until_ms, limit, *policy)


def _unless_past(end_at: int | None, found: int | None) -> int | None:
    return None if found is None or (end_at is not None and found > end_at) else found


def _within(schedule: Cron, low_ms: int, high_ms: int) -> tuple[int, int]:
    """Clip [low, high] to the bounds of the schedule."""
    low = low_ms if schedule.start_at is None else max(low_ms, schedule.start_at)
    high = high_ms if schedule.end_at is None else min(high_ms, schedule.end_at)
    return low, high
