"""The fields of cron lines: lists of numbers, names, ranges and steps, with what tells the dialects apart as rules."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, NoReturn

from punctual.importers.models.clock import DAY, day_of, midnight

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS: Final = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
WEEKDAYS: Final = {name: number for number, name in enumerate(_WEEKDAY_NAMES)}
_ITEM = re.compile(
    r"(?:(?P<any>[*?])|(?P<low>[0-9a-z]{1,4})(?:-(?P<high>[0-9a-z]{1,4}))?)(?:/(?P<step>[0-9]{1,4}))?"
)
_MAX_ITEMS = 100


class LineError(ValueError):
    """A line that the source refuses, or that is outside of what the importer reads."""


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a field of a dialect may hold.

    `wildcards` are the characters for all values. `opens_steps`: whether `5/10` means `5-59/10`; elsewhere it is
    refused, since crons disagree.
    """

    name: str
    low: int
    high: int
    names: Mapping[str, int] | None = None
    wildcards: str = "*"
    opens_steps: bool = False

    def refuse(self, why: str) -> NoReturn:
        raise LineError(f"{self.name}: {why}")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list: the values from `low` to `high`, in steps; `spelled` is how the line writes the ends."""

    low: int
    high: int
    step: int
    spelled: tuple[str, str]
    is_wildcard: bool = False

    def values(self) -> range:
        return range(self.low, self.high + 1, self.step)

    def as_range(self) -> str:
        """Return the item without a wildcard, in the form that every dialect reads alike."""
        low, high = self.spelled
        if self.low == self.high or self.step > self.high - self.low:
            return low
        return f"{low}-{high}" + (f"/{self.step}" if self.step > 1 else "")

    def portable(self) -> str:
        """Return the item as Punctual writes it, with its wildcard."""
        if not self.is_wildcard or self.step > self.high - self.low:
            return self.as_range()
        return "*" if self.step == 1 else f"*/{self.step}"


@dataclass(frozen=True, slots=True)
class Field:
    """A field that was read."""

    items: tuple[Item, ...]
    rule: FieldRule

    @property
    def values(self) -> frozenset[int]:
        return frozenset(value for item in self.items for value in item.values())

    @property
    def begins_with_wildcard(self) -> bool:
        return self.items[0].is_wildcard

    @property
    def is_full(self) -> bool:
        """Whether every value of the field matches; 0 and 7 are the same day of the week."""
        rule = self.rule
        if (rule.low, rule.high) == (0, 7):
            return len({value % 7 for value in self.values}) == 7
        return len(self.values) == rule.high - rule.low + 1


def read_field(rule: FieldRule, text: str) -> Field:
    """Read one field. Raises LineError."""
    parts = text.lower().split(",")
    if len(parts) > _MAX_ITEMS:
        rule.refuse(f"a list of {len(parts)} items; {_MAX_ITEMS} is the most")
    return Field(tuple(_item(rule, part) for part in parts), rule)


def _item(rule: FieldRule, text: str) -> Item:
    match = _ITEM.fullmatch(text)
    if match is None or (match["any"] and match["any"] not in rule.wildcards):
        rule.refuse(f"{text[:40]!r} is no number, name, range or step that the importer reads")
    step = int(match["step"] or 1)
    if step == 0:
        rule.refuse("a step of 0")
    if match["any"]:
        return Item(rule.low, rule.high, step, (str(rule.low), str(rule.high)), is_wildcard=True)
    low = _value(rule, match["low"])
    if match["high"] is None and match["step"]:
        if not rule.opens_steps:
            rule.refuse(f"{text[:40]!r}: crons disagree about a step after a single value")
        return Item(low, rule.high, step, (match["low"], str(rule.high)))
    high = low if match["high"] is None else _value(rule, match["high"])
    if high < low:
        rule.refuse(f"{text[:40]!r}: the range ends before it begins")
    return Item(low, high, step, (match["low"], match["high"] or match["low"]))


def _value(rule: FieldRule, text: str) -> int:
    if rule.names is not None and text in rule.names:
        return rule.names[text]
    if not text.isdigit() or not rule.low <= int(text) <= rule.high:
        rule.refuse(
            f"{text!r} is not from {rule.low} to {rule.high}" + (" and no name" if rule.names else "")
        )
    return int(text)


@dataclass(frozen=True, slots=True)
class Pattern:
    """The local times at which a line matches: minutes and hours, ascending, of the days that `is_day` picks."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    is_day: Callable[[date], bool]

    def matches(self, wall: int) -> bool:
        """Whether the line matches in the minute that holds this local time."""
        minute = wall % DAY // 60
        return minute % 60 in self.minutes and minute // 60 in self.hours and self.is_day(day_of(wall))

    def walls(self, first: int, last: int) -> Iterator[int]:
        """Yield the matching local times in [first, last], in wall seconds, ascending."""
        for number in range(day_of(first).toordinal(), day_of(last).toordinal() + 1):
            day = date.fromordinal(number)
            if not self.is_day(day):
                continue
            start = midnight(day)
            for hour in self.hours:
                for minute in self.minutes:
                    wall = start + hour * 3_600 + minute * 60
                    if first <= wall <= last:
                        yield wall


def pattern(minute: Field, hour: Field, is_day: Callable[[date], bool]) -> Pattern:
    """Return the pattern of two fields and a rule for days."""
    return Pattern(tuple(sorted(minute.values)), tuple(sorted(hour.values)), is_day)


def weekday_of(day: date) -> int:
    """Return the weekday, where 0 is Sunday."""
    return day.isoweekday() % 7


UNIX_RULES: Final = (
    FieldRule("minute", 0, 59),
    FieldRule("hour", 0, 23),
    FieldRule("day of month", 1, 31),
    FieldRule("month", 1, 12, MONTHS),
    FieldRule("day of week", 0, 7, WEEKDAYS),
)
"""The five fields of a crontab. Other dialects change these."""
