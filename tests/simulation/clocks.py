"""Clocks of processes: a few seconds off in many runs; in some runs, far off for a few processes."""

import random
from dataclasses import dataclass

from tests.simulation.faults import WRONG_CLOCK_MS, Strike, Weather

WRONG_SHARE = 0.05
"""Of the processes, in a run that has wrong clocks."""
STEP_SHARE = 0.5
"""Of the wrong clocks: those that are set back while their process lives."""
STEP_AFTER_MS = (0, 4_000)


@dataclass(frozen=True, slots=True)
class Skew:
    """How far a clock is ahead (negative: behind), and when it is set back by how much."""

    ms: int = 0
    steps_at: int = 0
    step_ms: int = 0

    def at(self, now_ms: int) -> int:
        """How far the clock is ahead at an instant."""
        return self.ms - (self.step_ms if now_ms >= self.steps_at else 0)


class Clocks:
    """Draws the clocks. Wrong clocks have a generator of their own, which leaves other runs as they are."""

    def __init__(self, seed: int, weather: Weather) -> None:
        self._rng = random.Random(f"clocks of {seed}")
        self._weather = weather

    def draw(self, now_ms: int) -> Skew:
        """The clock of a new process."""
        skew_ms = self._weather.mix.skew_ms
        ms = self._weather.rng.randint(-skew_ms, skew_ms) if skew_ms else 0
        if ms:
            self._weather.note(Strike.SKEWED_CLOCK)
        if not self._weather.mix.wrong_clocks or self._rng.random() >= WRONG_SHARE:
            return Skew(ms)
        self._weather.note(Strike.WRONG_CLOCK)
        wrong_ms, is_ahead = self._rng.choice(WRONG_CLOCK_MS), self._rng.random() < 0.5
        if self._rng.random() >= STEP_SHARE:
            return Skew(wrong_ms if is_ahead else -wrong_ms)
        self._weather.note(Strike.STEPPED_CLOCK)
        steps_at = now_ms + self._rng.randint(*STEP_AFTER_MS)
        return Skew(wrong_ms if is_ahead else 0, steps_at, wrong_ms)
