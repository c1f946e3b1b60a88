"""How far the audit trail has come: its last segment, the exported periods, and which of them are read again.

The progress follows from the segments alone. A stored progress that is old or lost is made up from the bucket.
"""

from collections.abc import Iterator
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.audit_trail.segment import NO_SEGMENT, Period, Segment, hash_of, read_segment
from shared.domain.errors import UnreadableItemError

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
GRACE_MS = 5 * 60_000
"""After the end of an hour, before its export: a request ends within 30 seconds, and clocks differ by less."""
LATE_PASSES_MS = (DAY_MS, 7 * DAY_MS)
"""After the end of a period, when it is read again for records that came late."""
MOST_PERIODS = 400
"""Periods that are read again; more only where the progress was lost, and then the oldest are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodProgress:
    period: Period
    segments: tuple[int, ...] = ()
    is_closed: bool = False
    """Whether its first export has ended."""
    late_passes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailProgress:
    version: int = 0
    """Of the stored progress; 0 before it is stored."""
    next_number: int = 0
    last_hash: str = NO_SEGMENT
    """Of the segment before `next_number`, whatever it contains."""
    through_at: int = 0
    """All periods up to here are exported."""
    periods: tuple[PeriodProgress, ...] = ()
    """The period whose export has begun, and those that are read again."""

    def of(self, period: Period) -> PeriodProgress:
        found = (each for each in self.periods if each.period == period)
        return next(found, PeriodProgress(period=period))

    def next_period(self, now_ms: int) -> Period | None:
        """The next period to export; None if each closed hour is exported. The first has everything before it."""
        for each in self.periods:
            if not each.is_closed:
                return each.period
        closed_at = (now_ms - GRACE_MS) // HOUR_MS * HOUR_MS
        until_at = self.through_at + HOUR_MS if self.through_at else closed_at
        return Period(from_at=self.through_at, until_at=until_at) if 0 < until_at <= closed_at else None

    def due_again(self, now_ms: int) -> Iterator[Period]:
        """The closed periods to read once more now, the oldest first."""
        for each in sorted(self.periods, key=lambda one: one.period):
            if each.is_closed and now_ms >= each.period.until_at + LATE_PASSES_MS[each.late_passes]:
                yield each.period

    def overdue_ms(self, now_ms: int) -> int:
        """For how long the first hour that is not exported has been closed."""
        return max(0, now_ms - GRACE_MS - HOUR_MS - self.through_at) if self.through_at else 0

    def read_again(self, period: Period) -> "TrailProgress":
        """After a late pass. The period is forgotten with the last one."""
        passed = self.of(period).late_passes + 1
        if passed == len(LATE_PASSES_MS):
            return replace(self, periods=self._others(period))
        return self._with(replace(self.of(period), late_passes=passed))

    def after(self, content: bytes, now_ms: int) -> tuple["TrailProgress", str | None]:
        """After the next segment, as it is stored; and what is wrong with it.

        The trail goes on behind a segment that does not fit: nothing can take its place, and its hash keeps it.
        """
        passed = replace(self, next_number=self.next_number + 1, last_hash=hash_of(content))
        try:
            segment = read_segment(content)
        except UnreadableItemError:
            return passed, "it cannot be read"
        fault = self._fault(segment, now_ms)
        return (passed, fault) if fault is not None else (passed._noted(segment), None)

    def _fault(self, segment: Segment, now_ms: int) -> str | None:
        if segment.number != self.next_number:
            return f"it says that it is segment {segment.number}"
        if segment.previous != self.last_hash:
            return "it has another hash of the segment before"
        if segment.period.until_at > now_ms:
            return "its period has not ended"
        is_known = self.of(segment.period).segments != ()
        is_next = segment.period.from_at == self.through_at
        is_late = segment.period.until_at <= self.through_at and not segment.closes
        return None if is_known or is_next or is_late else "its period does not follow"

    def _noted(self, segment: Segment) -> "TrailProgress":
        own = self.of(segment.period)
        if segment.period.until_at <= self.through_at and not own.segments:
            return self  # A late record of a period that is not read again.
        grown = replace(
            own, segments=(*own.segments, segment.number), is_closed=own.is_closed or segment.closes
        )
        through_at = max(self.through_at, segment.period.until_at) if grown.is_closed else self.through_at
        return replace(self._with(grown), through_at=through_at)

    def _with(self, own: PeriodProgress) -> "TrailProgress":
        return replace(self, periods=(*self._others(own.period), own)[-MOST_PERIODS:])

    def _others(self, period: Period) -> tuple[PeriodProgress, ...]:
        return tuple(each for each in self.periods if each.period != period)
