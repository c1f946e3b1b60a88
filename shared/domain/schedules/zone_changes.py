"""What newer tables of time zones do to a schedule whose instants were computed with older ones."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeVar

from shared.domain.errors import ScheduleError
from shared.domain.schedules.schedule import Cron, Series, first_after
from shared.domain.schedules.zone_rules import frozen_rules, partings, thawed
from shared.domain.schedules.zones import load_zone

S = TypeVar("S", bound=Series)
DAY_MS: Final = 86_400_000
FROZEN_AHEAD_MS: Final = 3 * 366 * DAY_MS
"""Rules are exact for so long; a zone that keeps departing from its rule is frozen anew long before that."""
COMPARED_AHEAD_MS: Final = 400 * DAY_MS
"""So far ahead has a schedule to go by the tables at hand. What comes later is looked at in time."""
_NEAR_MS: Final = DAY_MS
"""No change of the clocks touches what fires earlier than this before it."""
_STEPS: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The first instant that differs, by the old rules and by the new ones; None where there is none any more."""

    from_at: int | None
    to_at: int | None


def frozen(series: S, from_ms: int, now_ms: int) -> S:
    """The schedule by the rules that the tables at hand have for its zone, from an instant on.

    Where they do not have its zone any more it keeps the rules that it has.
    """
    if not isinstance(series, Cron):
        return series
    try:
        rules = frozen_rules(series.timezone, min(from_ms, now_ms), max(from_ms, now_ms) + FROZEN_AHEAD_MS)
    except ScheduleError:
        return series
    return replace(series, rules=rules)


def parts_at(series: Series, now_ms: int) -> int | None:
    """From when on its rules differ from the tables at hand, from now on and while it lasts; None where they do not.

    A schedule that has no rules, though its zone may change them, parts at once: nobody knows what it was computed by.
    """
    if not isinstance(series, Cron):
        return None
    if series.rules is None:
        return None if frozen(series, now_ms, now_ms) == series else now_ms
    until_ms = now_ms + COMPARED_AHEAD_MS
    if series.end_at is not None:
        until_ms = min(until_ms, series.end_at + _NEAR_MS)
    index_pages = _partings(series.timezone, series.rules, now_ms // DAY_MS)
    return next((max(start, now_ms) for start, end in index_pages if now_ms < end and start < until_ms), None)


@lru_cache(maxsize=1024)
def _partings(zone_name: str, rules: str, day: int) -> tuple[tuple[int, int], ...]:
    """From the beginning of a day on; none for a zone that the tables do not have any more."""
    try:
        present = load_zone(zone_name)
    except ScheduleError:
        return ()
    from_ms = day * DAY_MS
    return tuple(partings(thawed(rules), present, from_ms, from_ms + DAY_MS + COMPARED_AHEAD_MS))


def first_move(old: Series, new: Series, parted_at: int, now_ms: int) -> Move | None:
    """The first instants from now on that differ; None where the hundreds around their parting do not."""
    after_ms = max(parted_at - _NEAR_MS, now_ms)
    for _ in range(_STEPS):
        from_at, to_at = first_after(old, after_ms), first_after(new, after_ms)
        if from_at != to_at:
            return Move(from_at=from_at, to_at=to_at)
        if from_at is None:
            return None
        after_ms = from_at
    return None
