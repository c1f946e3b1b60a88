"""How often a line fires in a stretch of time, by arithmetic on whole days instead of listing the instants.

After a long outage a dense line has missed tens of thousands of instants, and the run that finds this out has a
deadline. So days that match are stepped through, and what one day holds is known beforehand.
"""

from bisect import bisect_right
from dataclasses import dataclass

from shared.domain.schedules.cron_walk import DAY_MS, Step, WallClock

_MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPattern:
    """A line taken apart: `minutes` of a day at which it matches, ascending, and `next_day`.

    `next_day` takes a naive wall time to the first midnight strictly after it of a day that matches.
    """

    minutes: tuple[int, ...]
    next_day: Step

    def count(self, low: int, high: int, limit: int) -> int:
        """Matches with a naive wall time in (low, high], counted no further than one day past the limit."""
        if high <= low:
            return 0
        total = 0
        day = self.next_day(low // DAY_MS * DAY_MS - 1)
        while day <= high and total < limit:
            total += self._count_until(high - day) - self._count_until(low - day)
            day = self.next_day(day)
        return total

    def _count_until(self, since_midnight_ms: int) -> int:
        return bisect_right(self.minutes, since_midnight_ms // _MINUTE_MS)


def count_instants(pattern: DayPattern, clock: WallClock, after_ms: int, until_ms: int, limit: int) -> int:
    """Instants in (after, until], at most `limit`. The same rules as `first_instant`, segment by segment."""
    here = clock.segment_at(after_ms)
    low = clock.wall_before(here, after_ms)
    total = 0
    while total < limit:
        coming = clock.segment_at(here.end_ms)
        if coming.offset_ms == here.offset_ms and here.end_ms - DAY_MS <= until_ms:
            # Not a transition: go on as one segment, since the overlap rules look at its true end.
            here = here._replace(end_ms=coming.end_ms)
            continue
        high = min(until_ms + here.offset_ms, clock.wall_end(here, coming) - 1)
        total += pattern.count(low, high, limit - total)
        if here.end_ms > until_ms:
            break
        if clock.shifts(here, coming):
            wall = here.end_ms + coming.offset_ms
            in_gap = pattern.count(here.end_ms + here.offset_ms - 1, wall - 1, 1)
            total += min(in_gap, 1 - pattern.count(wall - 1, wall, 1), 1)
        low = clock.wall_before(coming, here.end_ms - 1)
        here = coming
    return min(total, limit)
