"""Parses EventBridge's `cron(minutes hours day-of-month month day-of-week year)`.

The dialect resembles Quartz and differs from Unix cron: exactly one of the two day fields is `?`, weekdays
are 1-7 starting on Sunday, and a year is required.
"""

import re
from types import MappingProxyType
from typing import Final

from shared.domain.errors import ScheduleNeverFiresError
from shared.domain.schedules.cron_fields import EVERY, Field, number, plain_item, split_items
from shared.domain.schedules.cron_line import (
    CronLine,
    check_text,
    day_exists,
    month_has,
    refusal,
    split_fields,
)
from shared.domain.schedules.cron_rules import DAY_OF_MONTH, DAY_OF_WEEK, HOUR, MINUTE, MONTH, FieldRule

FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 2199
YEAR: Final = FieldRule(name="year", low=FIRST_YEAR, high=LAST_YEAR, top=LAST_YEAR, wraps=False)
SUNDAY_FIRST: Final = FieldRule(
    name=DAY_OF_WEEK.name,
    low=1,
    high=7,
    top=7,
    words=MappingProxyType({word: day + 1 for word, day in DAY_OF_WEEK.words.items()}),
)

_SHAPE = re.compile(r"cron\((.*)\)")
_SATURDAY = 7
_DAYS_OF_EVERY_MONTH = 28
_NEAREST_WEEKDAY = re.compile(r"([0-9]+)w")
_NTH_WEEKDAY = re.compile(r"([0-9a-z]+)#([1-5])")
_LAST_WEEKDAY = re.compile(r"([0-9]+|[a-z]{3})l")


def is_eventbridge(text: str) -> bool:
    """Return whether the text begins with `cron(`; a Unix line never does."""
    return text.lstrip(" \t").startswith("cron(")


def read_eventbridge_line(text: str) -> CronLine:
    """Parse `cron(...)`; names of months and weekdays may be in either case.

    In the day of month, `L` is the last day, `LW` is the last weekday (Monday to Friday), and `15W` is the
    weekday nearest to the 15th in the same month; `31W` skips months without a 31st. In the day of week, `L`
    is Saturday, `6L` or `FRIL` is the last Friday of the month, and `3#2` is its second Tuesday. None of these
    may be part of a list.

    Raises ScheduleError whose `field` is minute, hour, day_of_month, month, day_of_week, year or cron, and
    ScheduleNeverFiresError if no day of any of the years matches.
    """
    words = _split(text)
    required_day = _required_day(words[2])
    minute, hour = _plain(MINUTE, words[0]), _plain(HOUR, words[1])
    month, years = _plain(MONTH, words[3]), _plain(YEAR, words[5])
    day, weekday = _days(words[2], words[4])
    if not day_exists(day, month) or (required_day is not None and not month_has(required_day, month)):
        raise ScheduleNeverFiresError(
            "day_of_month: no such day in any of these months, so the line never fires",
            field=DAY_OF_MONTH.name,
        )
    return CronLine(
        text=text,
        steps=" ".join(part.croniter_text() for part in (minute, hour, day, month, weekday)),
        is_interval=words[0][0] == "*" or words[1][0] == "*",
        years=tuple(sorted(years.values)),
        required_day=required_day,
    )


def _split(text: str) -> list[str]:
    shape = _SHAPE.fullmatch(check_text(text))
    if shape is None:
        raise refusal("the fields stand between cron( and ), and nothing after it")
    words = split_fields(shape[1].strip(" \t"))
    if len(words) != 6:
        raise refusal(
            f"{len(words)} fields; cron(...) needs six: minute hour day_of_month month day_of_week year"
        )
    return words


def _plain(rule: FieldRule, text: str) -> Field:
    items = split_items(rule, text)
    if "?" in items:
        rule.refuse("? may stand for a day only")
    values: set[int] = set().union(*(plain_item(rule, item) for item in items))
    return Field(every=any(EVERY.fullmatch(item) for item in items), values=frozenset(values))


def _days(day: str, weekday: str) -> tuple[Field, Field]:
    """Parse both day fields; the field that is `?` matches every day."""
    anything = Field(every=True, values=frozenset())
    if day == "?" and weekday == "?":
        DAY_OF_WEEK.refuse("? in both day fields; exactly one of them is ?")
    if weekday == "?":
        return _day_of_month(day), anything
    if day == "?":
        return anything, _day_of_week(weekday)
    return DAY_OF_WEEK.refuse("exactly one of day_of_month and day_of_week is ?, and here neither is")


def _day_of_month(text: str) -> Field:
    item = text.lower()
    nearest = _NEAREST_WEEKDAY.fullmatch(item)
    if item == "l":
        return _special("l")
    if item == "lw":
        # The weekday nearest to day 31 in the same month is the last weekday of the month.
        return _special("31w")
    if nearest:
        return _special(f"{number(DAY_OF_MONTH, nearest[1])}w")
    if re.search(r"l|w", item):
        DAY_OF_MONTH.refuse("L, LW and 15W each stand alone, and days before the last are not supported")
    return _plain(DAY_OF_MONTH, text)


def _required_day(text: str) -> int | None:
    """Return the day that a month needs for `29W`, `30W` or `31W` to have a run in it."""
    nearest = _NEAREST_WEEKDAY.fullmatch(text.lower())
    return int(nearest[1]) if nearest and int(nearest[1]) > _DAYS_OF_EVERY_MONTH else None


def _day_of_week(text: str) -> Field:
    item = text.lower()
    nth, last = _NTH_WEEKDAY.fullmatch(item), _LAST_WEEKDAY.fullmatch(item)
    if nth:
        return _special(f"{number(SUNDAY_FIRST, nth[1]) - 1}#{nth[2]}")
    if last:
        return _special(f"l{number(SUNDAY_FIRST, last[1]) - 1}")
    if "#" in item:
        DAY_OF_WEEK.refuse("3#2 stands alone, with a weekday and its number in the month, 1 to 5")
    plain = _plain(SUNDAY_FIRST, str(_SATURDAY) if item == "l" else text)
    return Field(every=plain.every, values=frozenset(value - 1 for value in plain.values))


def _special(mark: str) -> Field:
    return Field(every=False, values=frozenset(), special=(mark,))
