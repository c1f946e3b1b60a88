"""What customers want, drawn at random: jobs of all kinds, and changes of them."""

import random
from itertools import count

from tests.crashes.orders import Wanted

BEHAVIOURS = (
    ("ok",) * 10 + ("flaky",) * 3 + ("fails", "slow", "slow", "slowfails", "begins", "works", "works")
)
DELAYS = (0, 1, 2, 5, 10, 20, 40, 90, 135, 180)
RATES = (2, 5, 10, 30)
LANES = ("standard",) * 4 + ("critical",)
TIMEOUTS = (2, 3)
LONGEST_TIMEOUT_SECONDS = max(TIMEOUTS)
HEARTBEAT_SECONDS = 10
MOVES = (20, 30, 60, 150, 200)
"""Far enough ahead for a client that is answered late: what lies in the past is refused."""


class Draw:
    """Draws from one source of randomness."""

    _numbers = count(1)

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def one_off(self) -> Wanted:
        """A job that runs once."""
        return Wanted(
            schedule={"delay_seconds": self._rng.choice(DELAYS)},
            behaviour=self._rng.choice(BEHAVIOURS),
            max_attempts=self._rng.choice((1, 2, 3, 5)),
            timeout_seconds=self._rng.choice(TIMEOUTS),
            base_seconds=self._rng.choice((1, 5)),
            lane=self._rng.choice(LANES),
            heartbeat_seconds=HEARTBEAT_SECONDS,
        )

    def recurring(self) -> Wanted:
        """A job that runs again and again."""
        return Wanted(
            schedule={"rate_seconds": self._rng.choice(RATES)},
            behaviour=self._rng.choice(BEHAVIOURS),
            max_attempts=self._rng.choice((1, 3)),
            timeout_seconds=self._rng.choice(TIMEOUTS),
            heartbeat_seconds=HEARTBEAT_SECONDS,
        )

    def payload(self) -> str:
        """A content that no other job has."""
        return f"content {next(self._numbers)}"

    def change(self) -> tuple[str | None, int | None]:
        """Another content, a time so many seconds from now, or both."""
        what = self._rng.choice(("content", "time", "both"))
        payload = self.payload() if what != "time" else None
        return payload, self._rng.choice(MOVES) if what != "content" else None
