"""Ages by two clocks, since Lambda freezes a worker between invocations."""

import time
from collections.abc import Callable
from typing import NamedTuple

from shared.ports.runtime import Clock


class Moment(NamedTuple):
    monotonic: float
    wall_ms: int


class Freshness:
    """The monotonic clock may stand still in a frozen worker, and the wall clock may be set back or forward."""

    def __init__(self, clock: Clock, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._monotonic = monotonic

    def now(self) -> Moment:
        return Moment(self._monotonic(), self._clock.now_ms())

    def is_fresh(self, since: Moment, seconds: float) -> bool:
        """Whether less than this time has passed by both clocks."""
        now = self.now()
        return now.monotonic - since.monotonic < seconds and 0 <= now.wall_ms - since.wall_ms < seconds * 1000
