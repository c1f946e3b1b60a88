"""The years of a line: matches in other years are passed over, a year at a time."""

from bisect import bisect_left
from datetime import UTC, datetime, timedelta

from shared.domain.cron_walk import Step

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def within_years(step: Step, years: tuple[int, ...], never_ms: int) -> Step:
    """The same matches, but only those in these years (ascending); `never_ms` after the last of them.

    One question to `step` for each of the years at most.
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
            match = step(_year_start(years[place]) - 1)

    return filtered


def _year_start(year: int) -> int:
    return (datetime(year, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
