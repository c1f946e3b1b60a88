"""The plain, slow answer to when a line fires, sharing no code with the product: look at every minute there is.

A line is drawn together with its meaning, so that nothing here reads cron. A zone's clock is watched minute by
minute: `fold` says which pass a minute belongs to, and a jump between two minutes is a gap.
"""

import calendar
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

MINUTE_MS = 60_000
DayRule = Callable[[date], bool]


@dataclass(frozen=True)
class Line:
    """A cron line as text and, independently, as what it means."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    day_matches: DayRule
    is_interval: bool

    def matches(self, wall: datetime) -> bool:
        return wall.minute in self.minutes and wall.hour in self.hours and self.day_matches(wall.date())


@dataclass(frozen=True)
class Minute:
    """One minute of a zone's clock, with the wall times that the clock jumped over just before it."""

    at_ms: int
    wall: datetime
    second_pass: bool
    occurs_twice: bool
    jumped: tuple[datetime, ...]
    every: int = 1


@lru_cache(maxsize=64)
def minutes_of(zone_name: str, start: datetime, days: int, every: int = 1) -> tuple[Minute, ...]:
    """All minutes, or every n-th, if lines and clock changes fall on those minutes only."""
    zone = ZoneInfo(zone_name)
    first = int(start.timestamp()) // 60
    watched: list[Minute] = []
    for number in range(first - every, first + days * 1440, every):
        local = datetime.fromtimestamp(number * 60, zone)
        wall = local.replace(tzinfo=None, fold=0)
        jumped = tuple(_between(watched[-1].wall, wall, every)) if watched else ()
        earlier, later = (local.replace(fold=fold).utcoffset() for fold in (0, 1))
        assert earlier is not None
        assert later is not None
        watched.append(Minute(number * MINUTE_MS, wall, local.fold == 1, earlier > later, jumped, every))
    return tuple(watched[1:])


def _between(earlier: datetime, later: datetime, every: int) -> Iterator[datetime]:
    wall = earlier + timedelta(minutes=every)
    while wall < later:
        yield wall
        wall += timedelta(minutes=every)


def instants(line: Line, minutes: tuple[Minute, ...], gap: str, overlap: str) -> list[int]:
    """Every instant of the line among these minutes, ascending."""
    if line.is_interval:
        gap, overlap = "skip", "both"
    return [minute.at_ms for minute in minutes if _fires(line, minute, gap, overlap)]


def _fires(line: Line, minute: Minute, gap: str, overlap: str) -> bool:
    if (
        gap == "shift"
        and 0 < len(minute.jumped) * minute.every <= 180
        and any(map(line.matches, minute.jumped))
    ):
        return True
    if not line.matches(minute.wall):
        return False
    if not minute.occurs_twice or overlap == "both":
        return True
    return minute.second_pass == (overlap == "second")


def any_day(day: date) -> bool:
    return True


def last_day(day: date) -> bool:
    return (day + timedelta(days=1)).month != day.month


def nearest_weekday(number: int) -> DayRule:
    """The Monday to Friday of the same month that lies nearest to that day, or to the last day if it has fewer."""

    def rule(day: date) -> bool:
        length = calendar.monthrange(day.year, day.month)[1]
        criteria = day.replace(day=min(number, length))
        month = [day.replace(day=one) for one in range(1, length + 1)]
        working = [one for one in month if one.weekday() < 5]
        return day == min(working, key=lambda one: abs(one - criteria))

    return rule


def nearest_weekday_where_the_day_exists(number: int) -> DayRule:
    """The same, but only in a month that has the day."""
    nearest = nearest_weekday(number)
    return lambda day: number <= calendar.monthrange(day.year, day.month)[1] and nearest(day)


def last_working_day(day: date) -> bool:
    """The last Monday to Friday of a month."""
    following = [day + timedelta(days=more) for more in range(1, 4)]
    return day.weekday() < 5 and all(one.month != day.month or one.weekday() >= 5 for one in following)


def nth_weekday(weekday: int, nth: int) -> DayRule:
    return lambda day: day.isoweekday() % 7 == weekday and (day.day - 1) // 7 + 1 == nth


def last_weekday(weekday: int) -> DayRule:
    return lambda day: day.isoweekday() % 7 == weekday and (day + timedelta(days=7)).month != day.month


def day_number_in(days: frozenset[int]) -> DayRule:
    return lambda day: day.day in days


def weekday_in(weekdays: frozenset[int]) -> DayRule:
    return lambda day: day.isoweekday() % 7 in weekdays


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
