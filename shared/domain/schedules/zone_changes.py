"""Detects how a newer release of tzdata, or of a calendar, changes a schedule that was computed with an older one."""

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from shared.dataclass import dataclass
from shared.domain.errors import ScheduleError
from shared.domain.schedules.schedule import Cron, Series, first_after
from shared.domain.schedules.zone_rules import frozen_rules, offset_differences, zone_from_rules
from shared.domain.schedules.zones import load_zone

if TYPE_CHECKING:
    from shared.domain.schedules.own_calendar import OwnCalendar

S = TypeVar("S", bound=Series)
DAY_MS: Final = 86_400_000
FROZEN_AHEAD_MS: Final = 3 * 366 * DAY_MS
"""Frozen rules are exact for this long; a zone that departs from its rule is frozen again well before the
end."""
COMPARED_AHEAD_MS: Final = 400 * DAY_MS
"""A schedule must agree with the installed tzdata this far ahead; later checks cover later changes."""
_NEAR_MS: Final = DAY_MS
"""A clock change affects no instant that precedes it by more than this."""
_STEPS: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The first instant that differs, by the old rules and by the new rules.

    None if there is no instant left.
    """

    from_at: int | None
    to_at: int | None


def with_frozen_rules(series: S, from_ms: int, now_ms: int) -> S:
    """Return the schedule with frozen rules from the installed tzdata, exact from the earlier instant.

    If the installed tzdata lacks the zone, the schedule keeps its rules. The days of a calendar are frozen
    likewise.
    """
    if not isinstance(series, Cron):
        return series
    first_ms, last_ms = min(from_ms, now_ms), max(from_ms, now_ms)
    try:
        rules = frozen_rules(series.timezone, first_ms, last_ms + FROZEN_AHEAD_MS)
    except ScheduleError:
        rules = series.rules
    calendar = series.calendar
    if calendar is not None:
        # Imported late, as below: most schedules have no calendar.
        from shared.domain.schedules.calendar_changes import with_frozen_days

        calendar = with_frozen_days(calendar, first_ms, last_ms)
    return replace(series, rules=rules, calendar=calendar)


def outdated_from(series: Series, now_ms: int, own: "OwnCalendar | None" = None) -> int | None:
    """Return the first instant from now at which the frozen rules differ from the installed ones, or None.

    `own` is the tenant's own calendar of the schedule, as it is now.

    A schedule without frozen rules is outdated now if its zone can change: the release behind its instants is
    unknown.
    """
    if not isinstance(series, Cron):
        return None
    until_ms = now_ms + COMPARED_AHEAD_MS
    if series.end_at is not None:
        until_ms = min(until_ms, series.end_at + _NEAR_MS)
    found = [_zone_outdated_from(series, now_ms, until_ms)]
    if series.calendar is not None:
        from shared.domain.schedules.calendar_changes import days_outdated_from

        found.append(days_outdated_from(series.calendar, now_ms, until_ms, own))
    return min((each for each in found if each is not None), default=None)


def _zone_outdated_from(series: Cron, now_ms: int, until_ms: int) -> int | None:
    if series.rules is None:
        plain = replace(series, calendar=None)
        return None if with_frozen_rules(plain, now_ms, now_ms) == plain else now_ms
    differences = _offset_differences(series.timezone, series.rules, now_ms // DAY_MS)
    return next((max(start, now_ms) for start, end in differences if now_ms < end and start < until_ms), None)


@lru_cache(maxsize=1024)
def _offset_differences(zone_name: str, rules: str, day: int) -> tuple[tuple[int, int], ...]:
    """Return the differences from the start of a day; none if the installed tzdata lacks the zone."""
    try:
        present = load_zone(zone_name)
    except ScheduleError:
        return ()
    from_ms = day * DAY_MS
    return tuple(
        offset_differences(zone_from_rules(rules), present, from_ms, from_ms + DAY_MS + COMPARED_AHEAD_MS)
    )


def first_move(old: Series, new: Series, differs_at: int, now_ms: int) -> Move | None:
    """Return the first instants from now that differ; None if none of the next 2,000 instants differs."""
    after_ms = max(differs_at - _NEAR_MS, now_ms)
    for _ in range(_STEPS):
        from_at, to_at = first_after(old, after_ms), first_after(new, after_ms)
        if from_at != to_at:
            return Move(from_at=from_at, to_at=to_at)
        if from_at is None:
            return None
        after_ms = from_at
    return None
