"""Business days: the dates that a calendar does not exclude, as numbers of days since 1970-01-01.

A date is the local one of a job; a calendar has no time zone. Frozen days are a short text, which gives the same
dates in every process, whichever release of the calendar is installed: `0.109 56 20772.K2z5`. The text holds the
release (of a tenant's own calendar its version, such as `v3`), the digits of the weekend (0 is Monday), and the
days that depart from the weekend: the first day of the frozen range, and after the dot the distances from one such
day to the next. Outside the range only the weekend is excluded. A fourth word has the windows of `blackouts`.
"""

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from typing import Final

from shared.dataclass import dataclass
from shared.domain.errors import ScheduleError
from shared.domain.schedules.blackouts import NO_BLACKOUTS, Blackouts, thawed

MAX_DISTANCE: Final = 366
"""A business day is searched for this many days ahead and back."""
_EPOCH: Final = date(1970, 1, 1).toordinal()
_EPOCH_WEEKDAY: Final = 3
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WINDOWS: Final = 3
"""The index of the word with the windows."""
_MORE: Final = len(_DIGITS) - 1
"""This digit adds its value to the distance that the next digit ends."""
_TEXT = re.compile(
    r"(?P<release>v?[0-9][0-9.]{0,15}) (?P<weekend>[0-6]{0,7}) (?P<first>[0-9]{1,7})\.(?P<distances>[0-9A-Za-z]*)"
    r"(?: (?P<windows>[0-9A-Za-z.]+))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class BusinessDays:
    """The days outside the weekend, and the exceptions: holidays, and working days of a weekend."""

    weekend: frozenset[int]
    """Weekdays, 0 is Monday."""
    is_exception: Callable[[int], bool]

    def is_business(self, day: int) -> bool:
        return (weekday_of(day) in self.weekend) == self.is_exception(day)

    def following(self, day: int) -> int | None:
        """Return the first business day from `day` on; None without one within MAX_DISTANCE."""
        return next(filter(self.is_business, range(day, day + MAX_DISTANCE + 1)), None)

    def preceding(self, day: int) -> int | None:
        """Return the last business day up to `day`; None without one within MAX_DISTANCE."""
        return next(filter(self.is_business, range(day, day - MAX_DISTANCE - 1, -1)), None)

    def nth_of_month(self, day: int, nth: int) -> int | None:
        """Return the nth business day of the day's month, from the end if `nth` is negative, or None."""
        days = [each for each in month_of(day) if self.is_business(each)]
        index = nth - 1 if nth > 0 else nth
        return days[index] if -len(days) <= index < len(days) else None


def weekday_of(day: int) -> int:
    """0 is Monday."""
    return (day + _EPOCH_WEEKDAY) % 7


def date_of(day: int) -> date:
    return date.fromordinal(day + _EPOCH)


def day_of(local_date: date) -> int:
    return local_date.toordinal() - _EPOCH


def month_of(day: int) -> range:
    """Return all days of the day's month."""
    first = date_of(day).replace(day=1)
    following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    return range(day_of(first), day_of(following))


def freeze(release: str, days: BusinessDays, first: int, last: int) -> str:
    """Return the text of the business days in [first, last]."""
    weekend = "".join(map(str, sorted(days.weekend)))
    return (
        f"{release} {weekend} {first}.{_distances(first, filter(days.is_exception, range(first, last + 1)))}"
    )


@lru_cache(maxsize=1024)
def from_frozen(text: str) -> BusinessDays:
    """Read frozen days. Raises ScheduleError (field `calendar`) for a malformed text."""
    match = _TEXT.fullmatch(text)
    if match is None or match["distances"].endswith(_DIGITS[_MORE]):
        raise ScheduleError(f"{text[:64]!a} are no days of a calendar", field="calendar")
    day, exceptions = int(match["first"]) - 1, set()
    for digit in match["distances"]:
        day += _DIGITS.index(digit)
        if digit != _DIGITS[_MORE]:
            exceptions.add(day)
    return BusinessDays(frozenset(map(int, match["weekend"])), exceptions.__contains__)


def with_windows(frozen: str, windows: Blackouts, from_ms: int) -> str:
    """Return the text of frozen days and of the windows that end after an instant."""
    text = windows.frozen(from_ms)
    return f"{frozen} {text}" if text else frozen


def windows_of(text: str) -> Blackouts:
    """Read the windows beside frozen days. Raises ScheduleError (field `calendar`) for a malformed text."""
    words = text.split(" ")
    return thawed(words[_WINDOWS]) if len(words) > _WINDOWS else NO_BLACKOUTS


def release_of(text: str) -> str:
    return text.partition(" ")[0]


def _distances(first: int, exceptions: Iterable[int]) -> str:
    digits, last = [], first - 1
    for day in exceptions:
        more, rest = divmod(day - last, _MORE)
        digits += [_DIGITS[_MORE]] * more + [_DIGITS[rest]]
        last = day
    return "".join(digits)
