"""When EventBridge Scheduler invokes a target.

Source: "Schedule types in EventBridge Scheduler" of its user guide, with the sections on cron-based, rate-based and
one-time schedules, time zones and daylight saving time:

* `cron(minutes hours day-of-month month day-of-week year)`; one of the day fields is `?`.
* In spring, times that do not exist are skipped. In autumn, a schedule "runs only once and does not repeat its
  invocation"; the guide makes no exception for lines such as `cron(0 * * * ? *)`.
* `rate(value unit)` counts from the start date, or from the creation; a day is 24 hours.
* `at(...)` runs once, and is refused: an apply file has jobs that recur.

Parts of cron lines that the guide does not describe are refused: `LW`, `31W`, `L-3`, ranges that wrap around.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from punctual.importers.models.clock import ZoneClock
from punctual.importers.models.fields import (
    UNIX_RULES,
    WEEKDAYS,
    Field,
    FieldRule,
    LineError,
    Pattern,
    pattern,
    read_field,
    weekday_of,
)

_SUNDAY_FIRST = {name: number + 1 for name, number in WEEKDAYS.items()}
_MINUTE_RULE, _HOUR_RULE, _DAY_RULE, _MONTH_RULE = (
    replace(rule, opens_steps=True) for rule in UNIX_RULES[:4]
)
_WEEKDAY_RULE = FieldRule("day of week", 1, 7, _SUNDAY_FIRST, opens_steps=True)
_YEAR_RULE = FieldRule("year", 1970, 2199, opens_steps=True)
_CRON = re.compile(r"cron\(([^()]*)\)")
_RATE = re.compile(r"rate\(\s*([0-9]{1,9})\s+(minute|hour|day)s?\s*\)")
_AT = re.compile(r"at\([^()]*\)")
_NEAREST = re.compile(r"([0-9]{1,2})w")
_NTH = re.compile(r"([0-9]|[a-z]{3})#([1-5])")
_LAST = re.compile(r"([0-9]|[a-z]{3})l")
_SECONDS: Final = {"minute": 60, "hour": 3_600, "day": 86_400}
_ALWAYS_THERE = 28

IsDay = Callable[[date], bool]


@dataclass(frozen=True, slots=True)
class CronExpression:
    """A cron expression; `words` are its six fields as they are written."""

    words: tuple[str, ...]
    minute: Field
    hour: Field
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class RateExpression:
    """A rate, in seconds."""

    interval: int


def read_expression(text: str) -> CronExpression | RateExpression:
    """Read a `ScheduleExpression`. Raises LineError."""
    bare = text.strip()
    if match := _RATE.fullmatch(bare):
        interval = int(match[1]) * _SECONDS[match[2]]
        if interval == 0:
            raise LineError("a rate of 0")
        return RateExpression(interval)
    if _AT.fullmatch(bare):
        raise LineError("at(...) runs once, and a file has jobs that recur: create it by itself, with `at`")
    if match := _CRON.fullmatch(bare):
        return _read_cron(match[1])
    raise LineError(f"{bare[:60]!r} is none of cron(...) and rate(...)")


def _read_cron(text: str) -> CronExpression:
    words = text.split()
    if len(words) != 6:
        raise LineError(
            f"{len(words)} fields; cron(...) has six: minutes hours day-of-month month day-of-week year"
        )
    if (words[2] == "?") == (words[4] == "?"):
        raise LineError("exactly one of day of month and day of week is ?")
    minute, hour = read_field(_MINUTE_RULE, words[0]), read_field(_HOUR_RULE, words[1])
    months, years = read_field(_MONTH_RULE, words[3]).values, read_field(_YEAR_RULE, words[5]).values
    picks = _by_month_day(words[2].lower()) if words[4] == "?" else _by_weekday(words[4].lower())

    def is_day(day: date) -> bool:
        return day.year in years and day.month in months and picks(day)

    return CronExpression(tuple(words), minute, hour, pattern(minute, hour, is_day))


def _by_month_day(text: str) -> IsDay:
    if text == "l":
        return lambda day: day.day == monthrange(day.year, day.month)[1]
    if match := _NEAREST.fullmatch(text):
        wanted = int(match[1])
        if not 1 <= wanted <= _ALWAYS_THERE:
            _DAY_RULE.refuse(f"{text!r}: the guide does not say what happens in months without the day")
        return lambda day: day.day == _nearest_working_day(day.replace(day=wanted))
    days = read_field(_DAY_RULE, text).values
    return lambda day: day.day in days


def _nearest_working_day(day: date) -> int:
    """Return the day of the month of the Monday to Friday nearest to the day, in the same month."""
    last = monthrange(day.year, day.month)[1]
    if day.isoweekday() == 6:
        return day.day - 1 if day.day > 1 else day.day + 2
    if day.isoweekday() == 7:
        return day.day + 1 if day.day < last else day.day - 2
    return day.day


def _by_weekday(text: str) -> IsDay:
    if text == "l":
        return lambda day: weekday_of(day) == 6
    if match := _NTH.fullmatch(text):
        weekday, number = _weekday(match[1]), int(match[2])
        return lambda day: weekday_of(day) == weekday and (day.day - 1) // 7 + 1 == number
    if match := _LAST.fullmatch(text):
        weekday = _weekday(match[1])
        return lambda day: weekday_of(day) == weekday and day.day + 7 > monthrange(day.year, day.month)[1]
    weekdays = {value - 1 for value in read_field(_WEEKDAY_RULE, text).values}
    return lambda day: weekday_of(day) in weekdays


def _weekday(text: str) -> int:
    (value,) = read_field(_WEEKDAY_RULE, text).values
    return value - 1


@dataclass(frozen=True, slots=True)
class EventBridgeInstants:
    """The instants of a cron expression in a zone, from `start` to `end` (seconds, both inclusive)."""

    pattern: Pattern
    clock: ZoneClock
    start: int | None = None
    end: int | None = None

    @property
    def clocks(self) -> tuple[ZoneClock, ...]:
        return (self.clock,)

    def after(self, after: int, until: int) -> Iterator[int]:
        """Yield the instants in (after, until], ascending."""
        first = max(after + 1, after + 1 if self.start is None else self.start)
        last = min(until, until if self.end is None else self.end)
        if first > last:
            return
        margin = 86_400
        for wall in self.pattern.walls(first - margin, last + margin):
            passes = self.clock.instants_of(wall)
            if passes and first <= passes[0] <= last:
                yield passes[0]


@dataclass(frozen=True, slots=True)
class RateInstants:
    """The instants of a rate that counts from `anchor`, until `end` (inclusive)."""

    anchor: int
    interval: int
    clock: ZoneClock
    end: int | None = None

    @property
    def clocks(self) -> tuple[ZoneClock, ...]:
        return (self.clock,)

    def after(self, after: int, until: int) -> Iterator[int]:
        """Yield the instants in (after, until], ascending."""
        count = max(0, (after - self.anchor) // self.interval + 1)
        last = min(until, until if self.end is None else self.end)
        yield from range(self.anchor + count * self.interval, last + 1, self.interval)
