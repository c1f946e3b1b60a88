"""What daylight saving does to a line, decided on segments of constant UTC offset.

    gap      (clocks go forward)  shift: fire at the first instant after it; skip: not at all
    overlap  (clocks go back)     first: in the first pass; second: in the second; both

Several matches in one gap fire once, and a match that falls on the end of the gap is not fired a second time. A gap
of more than three hours, such as a lost day, is always skipped.

A line may match nothing but times that are skipped, such as 02:30 on the second Sunday of March in New York. It never
fires, which is found in bounded time.

Nothing here knows cron: a line is a function from a naive wall time (milliseconds, as if it were UTC) to the first
match strictly after it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from zoneinfo import ZoneInfo

from shared.domain.schedules.zones import Segment, segment_at

Step = Callable[[int], int]

DAY_MS = 86_400_000
LONGEST_SHIFT_MS = 3 * 3_600_000
# Far enough below zones.REACH_MS that a match is never looked for beyond an end that is not a transition.
_FAR_MS = 5 * DAY_MS
LOST_AT_MOST = 30
"""After so many matches in a row that were lost in gaps, one a gap, a line is taken to have no other.

The calendar and the rules of clock changes repeat within 28 years.
"""


class Gap(StrEnum):
    """What becomes of wall times that the clock jumps over."""

    SHIFT = "shift"
    SKIP = "skip"


class Overlap(StrEnum):
    """Which pass counts where the clock runs through the same wall times twice."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class WallClock:
    """A zone together with the policies for its gaps and overlaps."""

    zone: ZoneInfo
    gap: Gap
    overlap: Overlap

    def segment_at(self, instant_ms: int) -> Segment:
        """See `zones.segment_at`."""
        return segment_at(self.zone, instant_ms)

    def wall_before(self, segment: Segment, after_ms: int) -> int:
        """The wall time in the segment after which matches count, for an instant in it or just before it."""
        wall = after_ms + segment.offset_ms
        if self.overlap is Overlap.FIRST:
            before = self.segment_at(segment.start_ms - 1)
            return max(wall, segment.start_ms - 1 + before.offset_ms)
        return wall

    def wall_end(self, here: Segment, coming: Segment) -> int:
        """The wall time in the segment from which on matches belong to the coming one."""
        if self.overlap is Overlap.SECOND:
            return here.end_ms + min(here.offset_ms, coming.offset_ms)
        return here.end_ms + here.offset_ms

    def shifts(self, here: Segment, coming: Segment) -> bool:
        """Whether matches between the two segments fire at the end of the first."""
        return self.gap is Gap.SHIFT and 0 < coming.offset_ms - here.offset_ms <= LONGEST_SHIFT_MS


def first_instant(step: Step, clock: WallClock, after_ms: int) -> int | None:
    """The first instant strictly after the given one; None where every match falls into a gap that is skipped.

    The first naive match is carried from segment to segment until it lies inside one. Throughout, `match` is the
    first match whose wall time is after `low`.
    """
    here = clock.segment_at(after_ms)
    low = clock.wall_before(here, after_ms)
    match = step(low)
    lost = 0
    while lost < LOST_AT_MOST:
        coming = clock.segment_at(here.end_ms)
        start = clock.wall_before(coming, here.end_ms - 1)
        if match - low > _FAR_MS and start >= low:
            # No offset exceeds a day, so nothing fires before this, and years of transitions need no visit: only
            # an overlap just ahead, where the wall goes back to before `low`, must not be jumped.
            near_ms = match - 2 * DAY_MS
            here = clock.segment_at(near_ms)
            low = clock.wall_before(here, near_ms)
            continue
        if match < clock.wall_end(here, coming):
            return match - here.offset_ms
        if match < here.end_ms + coming.offset_ms:
            if clock.shifts(here, coming):
                return here.end_ms
            lost += 1
        if not low <= start < match:
            match = step(start)
        here, low = coming, start
    return None
