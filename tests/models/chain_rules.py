"""What the product says of a recurring job's instants at a moment: the one source of the guards of the chain model.

Instants are numbered; the schedule is taken to end with the last of them.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from shared.domain.bucket import GUARD_MS, MINUTE_MS
from shared.domain.executions.execution import EARLY_MS
from shared.domain.jobs.misfire import succession
from shared.domain.schedules.schedule import Rate, first_after, instants_before
from tests.support.builders import DUE_AT

SCHEDULE = Rate(interval_ms=MINUTE_MS, anchor=DUE_AT)
STEP_MS = 500


class Following(NamedTuple):
    """How a chain goes on: at `target`, having passed over the instants from `immediate` to `last_missed`."""

    immediate: int
    target: int
    last_missed: int


class Moment(NamedTuple):
    """What is thought at an instant of true time."""

    startable: int
    """The first instants, so many, may be claimed."""
    upper: int
    """Where the search for the head begins, and as far as tombstones must reach at least."""
    begun: int
    """The first instants, so many, may have begun, as far as a deletion can tell."""
    following: tuple[Following, ...]
    first: Following
    """How a chain begins of which nothing has started."""
    passed: int
    """The first instants, so many, lie at or before now."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The first instants of a schedule. `from_now` is the fault of computing the next instant from now."""

    instants: int
    from_now: bool = False

    def moments(self) -> tuple[Moment, ...]:
        """Each different one, in order."""
        return _moments(self)

    def at(self, now_ms: int) -> Moment:
        """What is thought at an instant."""
        early = instants_before(SCHEDULE, now_ms + EARLY_MS + 1, DUE_AT, self.instants)
        begun = instants_before(SCHEDULE, now_ms + GUARD_MS + 1, DUE_AT, self.instants)
        return Moment(
            startable=min(self.instants, len(early)),
            upper=_number(first_after(SCHEDULE, now_ms + GUARD_MS) or now_ms),
            begun=min(self.instants, len(begun)),
            following=tuple(self._following(number, now_ms) for number in range(self.instants)),
            first=self._following(-1, now_ms),
            passed=min(self.instants, len(instants_before(SCHEDULE, now_ms + 1, DUE_AT, self.instants))),
        )

    def _following(self, number: int, now_ms: int) -> Following:
        nominal_at = DUE_AT + number * MINUTE_MS
        found = succession(SCHEDULE, max(nominal_at, now_ms) if self.from_now else nominal_at, now_ms)
        assert found is not None
        immediate, target = _number(found.immediate_at), _number(found.nominal_at)
        last_missed = _number(found.missed.last_at) if found.missed else immediate - 1
        return Following(immediate, target, last_missed)


@cache
def _moments(chain: Chain) -> tuple[Moment, ...]:
    grid = range(DUE_AT - 2 * EARLY_MS, DUE_AT + chain.instants * MINUTE_MS - 2 * GUARD_MS, STEP_MS)
    seen = [chain.at(now_ms) for now_ms in grid]
    return (seen[0], *(later for earlier, later in pairwise(seen) if later != earlier))


def _number(instant_ms: int) -> int:
    return (instant_ms - DUE_AT) // MINUTE_MS
