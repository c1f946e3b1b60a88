"""Applies daylight saving to a line, one segment of constant UTC offset at a time.

    gap      (clocks go forward)  shift: fire at the first instant after the gap; skip: do not fire
    overlap  (clocks go back)     first: fire in the first pass; second: in the second pass; both: in both

Several matches in one gap fire once, and a match at the end of the gap does not fire twice. A gap of more
than three hours, such as a lost day, is always skipped.

A line may match only skipped times, such as 02:30 on the second Sunday of March in New York. Such a line
never fires; the search for its first instant ends in bounded time.

This module does not know cron syntax. A line is a function from a naive wall time (milliseconds, as if it
were UTC) to the first match strictly after it.
"""

from collections.abc import Callable
from enum import StrEnum
from zoneinfo import ZoneInfo

from shared.dataclass import dataclass
from shared.domain.schedules.zones import Segment, segment_at

Step = Callable[[int], int]

DAY_MS = 86_400_000
LONGEST_SHIFT_MS = 3 * 3_600_000
# Well below zones.REACH_MS, so the search never passes a segment end that is not a transition.
_FAR_MS = 5 * DAY_MS
MAX_LOST_MATCHES = 30
"""A line never fires if this many successive matches fall into gaps, at one match per gap.

The calendar and the rules of clock changes repeat within 28 years.
"""


class Gap(StrEnum):
    """What happens to local times that the clock skips."""

    SHIFT = "shift"
    SKIP = "skip"


class Overlap(StrEnum):
    """Which pass counts when the clock repeats local times."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class WallClock:
    """A time zone with its gap and overlap policies."""

    zone: ZoneInfo
    gap: Gap
    overlap: Overlap

    def segment_at(self, instant_ms: int) -> Segment:
        return segment_at(self.zone, instant_ms)

    def wall_before(self, segment: Segment, after_ms: int) -> int:
        """Return the wall time after which matches count, for an instant in or just before the segment."""
        wall = after_ms + segment.offset_ms
        if self.overlap is Overlap.FIRST:
            before = self.segment_at(segment.start_ms - 1)
            return max(wall, segment.start_ms - 1 + before.offset_ms)
        return wall

    def wall_end(self, here: Segment, following: Segment) -> int:
        """Return the wall time in the segment from which matches belong to the following segment."""
        if self.overlap is Overlap.SECOND:
            return here.end_ms + min(here.offset_ms, following.offset_ms)
        return here.end_ms + here.offset_ms

    def shifts(self, here: Segment, following: Segment) -> bool:
        """Return whether matches in the gap between two segments fire at the end of the first."""
        return self.gap is Gap.SHIFT and 0 < following.offset_ms - here.offset_ms <= LONGEST_SHIFT_MS


def first_instant(step: Step, clock: WallClock, after_ms: int) -> int | None:
    """Return the first instant strictly after `after_ms`; None if every match falls into a skipped gap.

    The loop moves from segment to segment until the match lies inside the current segment. Invariant: `match`
    is the first match whose wall time is after `low`.
    """
    here = clock.segment_at(after_ms)
    low = clock.wall_before(here, after_ms)
    match = step(low)
    lost = 0
    while lost < MAX_LOST_MATCHES:
        following = clock.segment_at(here.end_ms)
        start = clock.wall_before(following, here.end_ms - 1)
        if match - low > _FAR_MS and start >= low:
            # No offset exceeds a day, so nothing fires earlier and years of transitions need no visit. An
            # overlap just ahead must not be skipped, because its wall time goes back to before `low`.
            near_ms = match - 2 * DAY_MS
            here = clock.segment_at(near_ms)
            low = clock.wall_before(here, near_ms)
            continue
        if match < clock.wall_end(here, following):
            return match - here.offset_ms
        if match < here.end_ms + following.offset_ms:
            if clock.shifts(here, following):
                return here.end_ms
            lost += 1
        if not low <= start < match:
            match = step(start)
        here, low = following, start
    return None
