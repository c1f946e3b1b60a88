"""Which instant of another schedule a run of a backfill is for.

The runs of a backfill have instants of their own, from the moment of the request on, so that its chain is a chain like
any other. Each stands for one instant of a past range, in their order. All of it is computed from the schedule that the
backfill carries, the rules of its time zone included, so that every process tells the same.
"""

from dataclasses import replace
from functools import lru_cache

from shared.domain.schedules.schedule import Backfill, Cron, Rate, first_after

_REMEMBERED = 64
"""A run needs one instant of its backfill, and those of its neighbours come next."""


def scheduled_at(backfill: Backfill, nominal_at: int) -> int:
    """The past instant that the run at a nominal instant is for."""
    instants = backfilled_instants(backfill.of, backfill.from_at, backfill.to_at, backfill.count)
    return instants[backfill.first + backfill.index_at(nominal_at)]


@lru_cache(maxsize=_REMEMBERED)
def backfilled_instants(of: Rate | Cron, from_at: int, to_at: int, at_most: int) -> tuple[int, ...]:
    """The first nominal instants in [from, to), in order."""
    found: list[int] = []
    instant = first_after(of, from_at - 1)
    while instant is not None and instant < to_at and len(found) < at_most:
        found.append(instant)
        instant = first_after(of, instant)
    return tuple(found)


def going_on(backfill: Backfill, after_at: int, now_ms: int) -> Backfill:
    """The backfill whose next run is that behind `after_at`, from now on and at the old pace; nothing is left out."""
    first = backfill.first + backfill.index_at(after_at) + 1
    return replace(backfill, first=first, anchor=max(now_ms, after_at + backfill.interval_ms))
