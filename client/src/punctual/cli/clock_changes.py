"""A calendar of the clock changes that affect a schedule: what is skipped, and what comes twice."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from punctual.models import ClockChange

SHOWN_TIMES = 3
"""At most this many local times are named for a change."""
_EFFECTS = {
    "shifted": "runs at {after} instead",
    "collapsed": "one run at {after} instead",
    "skipped": "does not run",
    "first_time_only": "runs the first time only",
    "second_time_only": "runs the second time only",
    "doubled": "runs both times",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the calendar, in local time."""

    day: str
    """The day on which the clocks change, such as `Sun 2027-03-28`."""
    clocks: str
    """The clocks before and after, such as `02:00 -> 03:00`."""
    change: str
    """What the change does to local times: `skips` or `repeats`."""
    times: str
    """The local times of the schedule within it, such as `02:30`."""
    effect: str
    """What runs instead."""


def calendar(changes: "Iterable[ClockChange]") -> Iterator[Entry]:
    """An entry for each change that the preview of a schedule names, in its order."""
    for change in changes:
        before, after = (
            datetime.fromisoformat(change.local_before),
            datetime.fromisoformat(change.local_after),
        )
        effect = _EFFECTS.get(change.effect, change.effect)
        yield Entry(
            day=f"{before:%a %Y-%m-%d}",
            clocks=f"{_clock(before, before)} -> {_clock(after, before)}",
            change="skips" if before < after else "repeats",
            times=_times(change, before),
            effect=effect.replace("{after}", _clock(after, before)),
        )


def _times(change: "ClockChange", before: datetime) -> str:
    named = [_clock(datetime.fromisoformat(each), before) for each in change.local_times[:SHOWN_TIMES]]
    more = change.count - len(named)
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _clock(local: datetime, before: datetime) -> str:
    """The time of day, with the day where that is not the day of the change, and with seconds where there are any."""
    time = f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}"
    return time if local.date() == before.date() else f"{local:%Y-%m-%d} {time}"
