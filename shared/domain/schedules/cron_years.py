"""Restricts a line to its years and to months of a length: other matches are skipped, a year or month at a time."""

import calendar
from bisect import bisect_left
from datetime import UTC, datetime, timedelta

from shared.domain.schedules.cron_walk import DAY_MS, Step

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def within_years(step: Step, first_from: Step, years: tuple[int, ...], never_ms: int) -> Step:
    """Filter the matches of `step` by `years` (ascending).

    The result returns `never_ms` after the last match. `first_from` is a cached equivalent of `step`. It is
    called only with starts of years, which repeat from one search to the next.
    """

    def filtered(wall_ms: int) -> int:
        match = step(wall_ms)
        while True:
            year = (_EPOCH + match * _MILLISECOND).year
            index = bisect_left(years, year)
            if index == len(years):
                return never_ms
            if years[index] == year:
                return match
            match = first_from(year_start(years[index]) - 1)

    return filtered


def within_months(step: Step, required_day: int) -> Step:
    """Filter the matches of `step` by months that have the day.

    At most eight months in a row are skipped, if the line's months have the day in some year.
    """

    def filtered(wall_ms: int) -> int:
        match = step(wall_ms)
        while True:
            wall = _EPOCH + match * _MILLISECOND
            _, length = calendar.monthrange(wall.year, wall.month)
            if length >= required_day:
                return match
            last_day = wall.replace(day=length, hour=0, minute=0)
            match = step((last_day - _EPOCH) // _MILLISECOND + DAY_MS - 1)

    return filtered


def year_start(year: int) -> int:
    """Return the naive wall time at which a year begins, in milliseconds."""
    return (datetime(year, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
