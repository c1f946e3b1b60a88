"""What DynamoDB throttles for ten minutes: a table, an index with the writes to it, or the key of one shard.

`places` says what a call touches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

HOT_MS = 600_000
MOST = 2
"""A run has no more of them, so that its load gets on."""


@dataclass(slots=True)
class Hotspots:
    """By place: until when it is throttled."""

    until_ms: dict[str, int] = field(default_factory=dict)

    def heat(self, places: Sequence[str], rng: Random, now_ms: int) -> None:
        """Throttle one of the places from now on, if there are not too many."""
        if len(self.until_ms) < MOST:
            self.until_ms[rng.choice(places)] = now_ms + HOT_MS

    def throttles(self, places: Iterable[str], now_ms: int) -> bool:
        """Whether any of the places is hot."""
        return any(now_ms < self.until_ms.get(place, 0) for place in places)

    @property
    def last_ms(self) -> int:
        """When the last of them is over."""
        return max(self.until_ms.values(), default=0)
