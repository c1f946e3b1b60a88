"""Questions to a schedule: which nominal instants it has, after, before and between given ones.

Pure functions of the schedule and of instants (UTC, integer milliseconds). None knows the present, so that neither
lateness nor a pause nor a restart moves an instant.
"""

from collections.abc import Mapping
from functools import partial
from typing import assert_never

from shared.domain.cron import cron_count, cron_next, parse_cron
from shared.domain.errors import ScheduleError, UnreadableItemError
from shared.domain.instant_search import instants_back, latest_instant
from shared.domain.instants import check_once, format_instant, parse_instant
from shared.domain.schedule_kinds import Cron, Once, Rate, Schedule

__all__ = [
    "Cron",
    "Once",
    "Rate",
    "Schedule",
    "check_once",
    "count_between",
    "decode_schedule",
    "encode_schedule",
    "first_after",
    "format_instant",
    "instants_before",
    "latest_at_or_before",
    "parse_instant",
]


def first_after(schedule: Schedule, after_ms: int) -> int | None:
    """The first nominal instant strictly after the given one; None where there is no more."""
    match schedule:
        case Once():
            return schedule.at if schedule.at > after_ms else None
        case Rate():
            return schedule.anchor + (schedule.index_at(after_ms) + 1) * schedule.interval_ms
        case Cron():
            return cron_next(parse_cron(schedule.line), schedule.timezone, after_ms)
        case _:
            assert_never(schedule)


def latest_at_or_before(schedule: Schedule, at_ms: int, not_before_ms: int) -> int | None:
    """The latest nominal instant in [not_before, at]; None where there is none."""
    if isinstance(schedule, Cron):
        return latest_instant(partial(first_after, schedule), at_ms, not_before_ms)
    latest = instants_before(schedule, at_ms + 1, not_before_ms, 1)
    return latest[0] if latest else None


def count_between(schedule: Schedule, after_ms: int, until_ms: int, limit: int) -> int:
    """How many nominal instants lie in (after, until], at most `limit`; they are not listed."""
    match schedule:
        case Once():
            count = int(after_ms < schedule.at <= until_ms)
        case Rate():
            count = schedule.index_at(until_ms) - schedule.index_at(after_ms)
        case Cron():
            line = parse_cron(schedule.line)
            count = cron_count(line, schedule.timezone, after_ms, until_ms, limit)
        case _:
            assert_never(schedule)
    return max(0, min(count, limit))


def instants_before(schedule: Schedule, before_ms: int, not_before_ms: int, limit: int) -> list[int]:
    """The latest `limit` nominal instants in [not_before, before), newest first."""
    match schedule:
        case Once():
            return [schedule.at] if not_before_ms <= schedule.at < before_ms and limit > 0 else []
        case Rate():
            last, first = schedule.index_at(before_ms - 1), schedule.index_at(not_before_ms - 1) + 1
            newest = range(last, max(first, last - limit + 1) - 1, -1)
            return [schedule.anchor + index * schedule.interval_ms for index in newest]
        case Cron():
            return instants_back(partial(first_after, schedule), before_ms, not_before_ms, limit)
        case _:
            assert_never(schedule)


def encode_schedule(schedule: Schedule) -> dict[str, str | int]:
    """The schedule in short keys, for storage; `decode_schedule` gives back an equal one."""
    match schedule:
        case Once():
            return {"k": "o", "t": schedule.at}
        case Rate():
            return {"k": "r", "i": schedule.interval_ms, "a": schedule.anchor}
        case Cron():
            return {"k": "c", "l": schedule.line, "z": schedule.timezone}
        case _:
            assert_never(schedule)


def decode_schedule(stored: Mapping[str, str | int]) -> Schedule:
    """Read what `encode_schedule` wrote. Raises UnreadableItemError for anything else."""
    try:
        match stored:
            case {"k": "o", "t": int(at)}:
                return Once(at=at)
            case {"k": "r", "i": int(interval_ms), "a": int(anchor)}:
                return Rate(interval_ms=interval_ms, anchor=anchor)
            case {"k": "c", "l": str(line), "z": str(zone)}:
                return Cron(line=line, timezone=zone)
    except ScheduleError as error:
        raise UnreadableItemError("a stored schedule that is not accepted any more") from error
    raise UnreadableItemError("a stored schedule of an unknown form")
