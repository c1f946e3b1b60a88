"""Describes a schedule in plain English, such as "At 02:30 on every day, in Europe/Berlin"."""

import re
from collections.abc import Sequence
from typing import Final, assert_never

from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.cron import CronLine
from shared.domain.schedules.eventbridge_line import FIRST_YEAR, LAST_YEAR
from shared.domain.schedules.preview import show_instant
from shared.domain.schedules.schedule import Cron, Once, Rate, Schedule

MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_NTH = {2: "2nd", 3: "3rd"}
_SUFFIXES = {21: "st", 22: "nd", 23: "rd"}
_MAX_LISTED_TIMES = 6
_EXCLUDED: Final = {
    WhenExcluded.SKIP: "only on business days of the calendar {}",
    WhenExcluded.NEXT: "moved to the next business day of the calendar {}",
    WhenExcluded.PREVIOUS: "moved to the previous business day of the calendar {}",
    WhenExcluded.MODIFIED_FOLLOWING: (
        "moved to the next business day of the calendar {} within the month, or else to the previous one"
    ),
}


def describe(schedule: Schedule, timezone: str = "UTC") -> str:
    """Return one sentence without a full stop.

    `timezone` is used unless the schedule is a line with its own zone.
    """
    match schedule:
        case Once():
            return f"Once, at {_shown(schedule.at, timezone)}"
        case Rate():
            every = f"Every {_length(schedule.interval_ms // 1000)} from {_shown(schedule.anchor, timezone)}"
            return every + _end(schedule.end_at, timezone)
        case Cron():
            line = schedule.parsed_line
            start = (
                "" if schedule.start_at is None else f", from {_shown(schedule.start_at, schedule.timezone)}"
            )
            return (
                f"{_times(line)} {_dates(line)}{_business_days(line.calendar)}, in {schedule.timezone}{start}"
                f"{_end(schedule.end_at, schedule.timezone)}"
            )
        case _:
            assert_never(schedule)


def names(values: Sequence[str]) -> str:
    """Join values as `a`, `a and b`, or `a, b and c`."""
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"


def _shown(instant_ms: int, timezone: str) -> str:
    shown = show_instant(instant_ms, timezone)
    return f"{shown.local}{shown.offset}"


def _end(end_at: int | None, timezone: str) -> str:
    return "" if end_at is None else f" until {_shown(end_at, timezone)}"


def _length(seconds: int) -> str:
    size, unit = next((size, unit) for size, unit in _UNITS if seconds % size == 0)
    return unit if seconds == size else f"{seconds // size} {unit}s"


def _times(line: CronLine) -> str:
    minutes, hours = (_numbers(word) for word in line.steps.split(" ")[:2])
    if hours is not None and minutes is not None and len(minutes) * len(hours) <= _MAX_LISTED_TIMES:
        return f"At {names([f'{hour:02}:{minute:02}' for hour in hours for minute in minutes])}"
    if hours is None and minutes == [0]:
        return "Every hour, on the hour,"
    past = _minutes(minutes)
    if hours is None:
        return past if past.startswith("Every") else f"{past} of every hour"
    step = _even_step(hours, 24)
    if step is not None:
        return f"{past} of every {_NTH.get(step, f'{step}th')} hour"
    noun = "hour" if len(hours) == 1 else "hours"
    return f"{past} of the {noun} {names(_runs(hours, [f'{hour:02}' for hour in range(24)]))}"


def _minutes(minutes: list[int] | None) -> str:
    if minutes is None:
        return "Every minute"
    step = _even_step(minutes, 60)
    if step is not None:
        return f"Every {step} minutes"
    noun = "minute" if len(minutes) == 1 else "minutes"
    return f"At {noun} {names(_runs(minutes, [str(minute) for minute in range(60)]))}"


def _even_step(values: list[int], size: int) -> int | None:
    """Return n if the values are every nth of the whole range, else None."""
    step = values[1] - values[0] if len(values) > 1 else 0
    return step if step > 1 and size % step == 0 and values == list(range(0, size, step)) else None


def _dates(line: CronLine) -> str:
    _, _, day, month, weekday = line.steps.split(" ")
    days = [] if day == "*" else [_month_days(day, line.required_day)]
    days += [] if weekday == "*" else [_week_days(weekday)]
    if line.calendar is not None and line.calendar.business_day is not None:
        days = [f"the {nth_business_day(line.calendar.business_day)} business day of the month"]
    months = _numbers(month)
    text = f"on {' or on '.join(days)}" if days else "on every day"
    if months is not None:
        text += f" in {names(_runs(months, ['', *MONTHS]))}"
    if line.years is not None and line.years != tuple(range(FIRST_YEAR, LAST_YEAR + 1)):
        text += f" in {names(_runs(list(line.years), range(LAST_YEAR + 1)))}"
    return text


def nth_business_day(number: int) -> str:
    """Return `first`, `12th`, `last` or `third last`."""
    nth = abs(number)
    ordinal = _ORDINALS[nth - 1] if nth <= len(_ORDINALS) else f"{nth}{_SUFFIXES.get(nth, 'th')}"
    if number > 0:
        return ordinal
    return "last" if nth == 1 else f"{ordinal} last"


def _business_days(calendar: CalendarRule | None) -> str:
    if calendar is None:
        return ""
    if calendar.business_day is not None:
        return f" by the calendar {calendar.name}"
    return f", {_EXCLUDED[calendar.when_excluded].format(calendar.name)}"


def _month_days(word: str, required_day: int | None) -> str:
    if required_day is not None:
        return f"the Monday to Friday nearest to day {required_day} of each month that has that day"
    if word == "31w":
        return "the last Monday to Friday of the month"
    if word.endswith("w"):
        return f"the Monday to Friday nearest to day {word[:-1]} of the month"
    numbers = [int(part) for part in word.split(",") if part != "l"]
    phrases = ["the last day of the month"] if "l" in word.split(",") else []
    if numbers:
        noun = "day" if len(numbers) == 1 else "days"
        phrases.insert(0, f"{noun} {names(_runs(numbers, range(32)))} of the month")
    return " and on ".join(phrases)


def _week_days(word: str) -> str:
    marked = [_marked_weekday(part) for part in word.split(",") if re.search(r"[l#]", part)]
    if marked:
        return f"{names(marked)} of the month"
    # Weeks start on Monday, so that Saturday and Sunday are adjacent.
    numbers = sorted((int(part) + 6) % 7 for part in word.split(","))
    return names(_runs(numbers, [*WEEKDAYS[1:], WEEKDAYS[0]]))


def _marked_weekday(part: str) -> str:
    if part.startswith("l"):
        return f"the last {WEEKDAYS[int(part[1:])]}"
    weekday, nth = part.split("#")
    return f"the {_ORDINALS[int(nth) - 1]} {WEEKDAYS[int(weekday)]}"


def _numbers(word: str) -> list[int] | None:
    return None if word == "*" else [int(part) for part in word.split(",")]


def _runs(values: list[int], spelled: Sequence[object]) -> list[str]:
    """Group ascending values; three or more in a row become `a to b`."""
    runs: list[list[int]] = []
    for value in values:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    texts: list[str] = []
    for run in runs:
        if len(run) > 2:
            texts.append(f"{spelled[run[0]]} to {spelled[run[-1]]}")
        else:
            texts += [str(spelled[value]) for value in run]
    return texts
