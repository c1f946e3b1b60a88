"""The years of a line: matches in other years are passed over, a year at a time."""

from bisect import bisect_left
from datetime import UTC, datetime, timedelta

from shared.domain.schedules.cron_walk import Step

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def within_years(step: Step, first_from: Step, years: tuple[int, ...], never_ms: int) -> Step:
    """The same matches, but only those in these years (ascending); `never_ms` after the last of them.

    `first_from` is asked as `step` is, but for starts of years alone, once for each of the years at most: worth
    remembering, since the next question to the same line asks for the same years again.
    """

    def filtered(wall_ms: int) -> int:
        match = step(wall_ms)
        while True:
            year = (_EPOCH + match * _MILLISECOND).year
            place = bisect_left(years, year)
            if place == len(years):
                return never_ms
            if years[place] == year:
                return match
            match = first_from(year_start(years[place]) - 1)

    return filtered


def year_start(year: int) -> int:
    """The naive wall time at which a year begins, in milliseconds."""
    return (datetime(year, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
