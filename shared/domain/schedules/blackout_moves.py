"""Moves the instants of a line out of the blackout windows of its calendar, after days and clock changes.

An instant is *allowed* outside every window on a business day. Of the instants in a window, `skip` and an nth business
day have no run; `next` has one at the first allowed instant from the end of the window on; `previous` has one at the
last allowed minute before the window. `modified_following` takes the next one if it lies in the same local month, or
else the previous one if that does, or has no run. Instants that move to one instant are one run. An instant outside
every window stays.

So the runs are two disjoint ascending sequences: the instants of the line outside every window, and the *targets* of
windows that contain an instant of the line, as far as no instant of the line is there.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from zoneinfo import ZoneInfo

from shared.dataclass import dataclass
from shared.domain.schedules.blackouts import MINUTE_MS, NO_BLACKOUTS, Blackouts
from shared.domain.schedules.business_days import BusinessDays, month_of
from shared.domain.schedules.calendar_rule import WhenExcluded
from shared.domain.schedules.cron import cron_count, cron_next
from shared.domain.schedules.cron_walk import DAY_MS
from shared.domain.schedules.schedule_kinds import Cron
from shared.domain.schedules.zones import segment_at

_CACHE_SIZE = 256


def next_outside(schedule: Cron, after_ms: int) -> int | None:
    """Return the first run strictly after an instant, or None; `start_at` and `end_at` do not count."""
    staying, targets = _staying(schedule, after_ms), _targets(schedule)
    index = bisect_right(targets, after_ms)
    if index == len(targets):
        return staying
    return targets[index] if staying is None else min(staying, targets[index])


def count_outside(schedule: Cron, after_ms: int, until_ms: int, limit: int) -> int:
    """Count the runs in (after, until], at most `limit`; `start_at` and `end_at` do not count."""
    if until_ms <= after_ms:
        return 0
    targets = _targets(schedule)
    total = bisect_right(targets, until_ms) - bisect_right(targets, after_ms)
    line, zone, policy = schedule.parsed_line, schedule.zone, (schedule.gap, schedule.overlap)
    low = after_ms
    for from_ms, end_ms in (*_windows(schedule).between(after_ms, until_ms), (until_ms + 1, until_ms + 1)):
        if total >= limit:
            return limit
        total += cron_count(line, zone, low, from_ms - 1, limit - total, *policy)
        low = end_ms - 1
    return total


@lru_cache(maxsize=_CACHE_SIZE)
def _targets(schedule: Cron) -> tuple[int, ...]:
    """Return the instants at which only moved runs are, ascending."""
    found: set[int] = set()
    asked_ms: int | None = None
    known: int | None = None
    """The first instant of the line from `asked` on."""
    for from_ms, until_ms, target in _moves(schedule):
        if target in found:
            continue
        if asked_ms is None or from_ms < asked_ms or (known is not None and known < from_ms):
            asked_ms, known = from_ms, _next(schedule, from_ms - 1)
        if known is not None and known < until_ms:
            found.add(target)
    return tuple(sorted(each for each in found if _next(schedule, each - 1) != each))


def _moves(schedule: Cron) -> Iterator[tuple[int, int, int]]:
    """Yield intervals of instants within windows, each with the target of its instants."""
    rule = schedule.calendar
    if rule is None or rule.when_excluded is WhenExcluded.SKIP:
        return
    allowed = _Allowed(zone=schedule.zone, days=rule.business_days, windows=rule.blackouts)
    for from_ms, until_ms in rule.blackouts.windows:
        targets: list[int | None] = []
        if rule.when_excluded is not WhenExcluded.PREVIOUS:
            targets.append(allowed.following(until_ms))
        if rule.when_excluded is not WhenExcluded.NEXT:
            targets.append(allowed.preceding(from_ms - MINUTE_MS))
        if rule.when_excluded is not WhenExcluded.MODIFIED_FOLLOWING:
            yield from ((from_ms, until_ms, target) for target in targets if target is not None)
            continue
        months: set[range] = set()
        for target in targets:
            if target is not None and (month := month_of(allowed.day_of(target))) not in months:
                months.add(month)
                yield from ((low, high, target) for low, high in allowed.within(month, from_ms, until_ms))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Allowed:
    """The instants outside every window whose local date is a business day."""

    zone: ZoneInfo
    days: BusinessDays
    windows: Blackouts

    def following(self, instant_ms: int) -> int | None:
        """Return the first one from an instant on, or None."""
        while True:
            window = self.windows.at(instant_ms)
            if window is not None:
                instant_ms = window[1]
                continue
            segment = segment_at(self.zone, instant_ms)
            day = (instant_ms + segment.offset_ms) // DAY_MS
            if self.days.is_business(day):
                return instant_ms
            business = self.days.following(day + 1)
            if business is None:
                return None
            # A clock change on the way may repeat the date before, or leave out the business day.
            instant_ms = min(business * DAY_MS - segment.offset_ms, segment.end_ms)

    def preceding(self, instant_ms: int) -> int | None:
        """Return the last one up to an instant, in steps of a minute, or None."""
        while instant_ms >= 0:
            window = self.windows.at(instant_ms)
            if window is not None:
                instant_ms = window[0] - MINUTE_MS
                continue
            segment = segment_at(self.zone, instant_ms)
            day = (instant_ms + segment.offset_ms) // DAY_MS
            if self.days.is_business(day):
                return instant_ms
            business = self.days.preceding(day - 1)
            if business is None:
                return None
            last_ms = (business + 1) * DAY_MS - MINUTE_MS - segment.offset_ms
            instant_ms = max(last_ms, segment.start_ms - MINUTE_MS)
        return None

    def day_of(self, instant_ms: int) -> int:
        """Return the local date."""
        return (instant_ms + segment_at(self.zone, instant_ms).offset_ms) // DAY_MS

    def within(self, month: range, from_ms: int, until_ms: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of [from, until) whose local dates are in a month."""
        low_ms, high_ms = max(from_ms, (month[0] - 1) * DAY_MS), min(until_ms, (month[-1] + 2) * DAY_MS)
        while low_ms < high_ms:
            segment = segment_at(self.zone, low_ms)
            first = max(low_ms, month[0] * DAY_MS - segment.offset_ms)
            end = min(high_ms, segment.end_ms, (month[-1] + 1) * DAY_MS - segment.offset_ms)
            if first < end:
                yield first, end
            low_ms = segment.end_ms


def _staying(schedule: Cron, after_ms: int) -> int | None:
    """Return the first instant of the line after an instant and outside every window."""
    while True:
        found = _next(schedule, after_ms)
        window = None if found is None else _windows(schedule).at(found)
        if window is None:
            return found
        after_ms = window[1] - 1


def _next(schedule: Cron, after_ms: int) -> int | None:
    return cron_next(schedule.parsed_line, schedule.zone, after_ms, schedule.gap, schedule.overlap)


def _windows(schedule: Cron) -> Blackouts:
    return NO_BLACKOUTS if schedule.calendar is None else schedule.calendar.blackouts
