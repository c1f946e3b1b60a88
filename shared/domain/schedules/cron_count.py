"""Counts the instants of a line in a time range by arithmetic on whole days, without listing them.

After a long outage a dense line has missed tens of thousands of instants, and the run that counts them has a
deadline. The count therefore steps through matching days; the number of matches in one day is known
beforehand.
"""

from bisect import bisect_right

from shared.dataclass import dataclass
from shared.domain.schedules.cron_walk import DAY_MS, Step, WallClock

_MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPattern:
    """A line split into `minutes`, the matching minutes of a day in ascending order, and `next_day`.

    `next_day` maps a naive wall time to the first midnight strictly after it that begins a matching day.
    """

    minutes: tuple[int, ...]
    next_day: Step

    def count(self, low: int, high: int, limit: int) -> int:
        """Count matches with a naive wall time in (low, high]; stops within one day of reaching `limit`."""
        if high <= low:
            return 0
        total = 0
        day = self.next_day(low // DAY_MS * DAY_MS - 1)
        while day <= high and total < limit:
            total += self._count_until(high - day) - self._count_until(low - day)
            day = self.next_day(day)
        return total

    def next_time(self, wall_ms: int) -> int:
        """Return the first match strictly after a naive wall time."""
        day = self.next_day(wall_ms // DAY_MS * DAY_MS - 1)
        if day <= wall_ms:
            passed = self._count_until(wall_ms - day)
            if passed < len(self.minutes):
                return day + self.minutes[passed] * _MINUTE_MS
            day = self.next_day(wall_ms)
        return day + self.minutes[0] * _MINUTE_MS

    def _count_until(self, since_midnight_ms: int) -> int:
        return bisect_right(self.minutes, since_midnight_ms // _MINUTE_MS)


def count_instants(pattern: DayPattern, clock: WallClock, after_ms: int, until_ms: int, limit: int) -> int:
    """Count instants in (after, until], at most `limit`, by the rules of `first_instant`."""
    segment = clock.segment_at(after_ms)
    low = clock.wall_before(segment, after_ms)
    total = 0
    while total < limit:
        following = clock.segment_at(segment.end_ms)
        if following.offset_ms == segment.offset_ms and segment.end_ms - DAY_MS <= until_ms:
            # Not a transition: merge the two, because the overlap rules need the true end of the segment.
            segment = segment._replace(end_ms=following.end_ms)
            continue
        high = min(until_ms + segment.offset_ms, clock.wall_end(segment, following) - 1)
        total += pattern.count(low, high, limit - total)
        if segment.end_ms > until_ms:
            break
        if clock.shifts(segment, following):
            wall = segment.end_ms + following.offset_ms
            in_gap = pattern.count(segment.end_ms + segment.offset_ms - 1, wall - 1, 1)
            total += min(in_gap, 1 - pattern.count(wall - 1, wall, 1), 1)
        low = clock.wall_before(following, segment.end_ms - 1)
        segment = following
    return min(total, limit)
