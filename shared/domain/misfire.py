"""What becomes of nominal instants that were missed.

The next instant is always computed from the last nominal one, never from now. Where the chain has fallen
behind by more than the tolerance and more than one instant was missed, they coalesce into one run at the
latest of them; the others leave one record.
"""

from dataclasses import dataclass

from shared.domain.execution import Missed
from shared.domain.schedule import Cron, Rate, count_between, first_after, latest_at_or_before

LATE_TOLERANCE_MS = 60_000
COUNT_LIMIT = 100_000
"""Missed instants are counted up to here; a longer outage of a dense schedule shows this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """How a chain goes on: at `nominal_at`, which is its immediate next instant unless some were missed."""

    nominal_at: int
    immediate_at: int
    missed: Missed | None = None


def succession(schedule: Rate | Cron, nominal_at: int, now_ms: int) -> Succession | None:
    """The successor of the occurrence at `nominal_at`; None where the schedule has ended."""
    immediate_at = first_after(schedule, nominal_at)
    if immediate_at is None:
        return None
    if now_ms - immediate_at <= LATE_TOLERANCE_MS:
        return Succession(nominal_at=immediate_at, immediate_at=immediate_at)
    latest_at = latest_at_or_before(schedule, now_ms, immediate_at)
    if latest_at is None or latest_at == immediate_at:
        return Succession(nominal_at=immediate_at, immediate_at=immediate_at)
    last_missed_at = latest_at_or_before(schedule, latest_at - 1, immediate_at) or immediate_at
    missed = Missed(
        count=count_between(schedule, nominal_at, last_missed_at, COUNT_LIMIT),
        first_at=immediate_at,
        last_at=last_missed_at,
        resumed_at=latest_at,
    )
    return Succession(nominal_at=latest_at, immediate_at=immediate_at, missed=missed)
