"""Maps each run of a backfill to the past instant that it makes up for.

The runs of a backfill have nominal instants of their own, from the time of the request, so its chain works
like any other chain. The runs cover the instants of a past range in order. The backfill carries the original
schedule with the rules of its time zone, so every process computes the same mapping.
"""

from dataclasses import replace
from functools import lru_cache

from shared.domain.schedules.schedule import Backfill, Cron, Rate, first_after

_CACHE_SIZE = 64
"""Entries of the cache: successive runs of a backfill share one list of instants."""


def scheduled_at(backfill: Backfill, nominal_at: int) -> int:
    """Return the past instant that the run at `nominal_at` makes up for."""
    instants = backfilled_instants(backfill.of, backfill.from_at, backfill.to_at, backfill.count)
    return instants[backfill.first + backfill.index_at(nominal_at)]


@lru_cache(maxsize=_CACHE_SIZE)
def backfilled_instants(of: Rate | Cron, from_at: int, to_at: int, limit: int) -> tuple[int, ...]:
    """Return the first `limit` nominal instants in [from, to), in order."""
    instants: list[int] = []
    instant = first_after(of, from_at - 1)
    while instant is not None and instant < to_at and len(instants) < limit:
        instants.append(instant)
        instant = first_after(of, instant)
    return tuple(instants)


def resume_backfill(backfill: Backfill, after_at: int, now_ms: int) -> Backfill:
    """Return the rest of the backfill after the run at `after_at`, from now, at the same interval."""
    first = backfill.first + backfill.index_at(after_at) + 1
    return replace(backfill, first=first, anchor=max(now_ms, after_at + backfill.interval_ms))
