"""How many batches of a queue AWS hands out at a time: few at first, and more from minute to minute of a backlog.

The figures are documented ones: a source with a maximum concurrency begins with 5 batches and adds up to 300 a
minute; provisioned pollers have ten batches each at once, and add up to 1,000 a minute.
"""

from dataclasses import dataclass

from infra.concurrency import BATCHES_PER_POLLER, Pollers, Source, executors_of

MINUTE_MS = 60_000
IDLE_MS = 60_000
"""A source without a backlog for this long falls back to the batches it begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ramp:
    """The first, the added and the largest number of batches of a source."""

    first: int
    per_minute: int
    at_most: int

    @property
    def step_ms(self) -> int:
        """After how long a backlog gets one batch more."""
        return max(1, MINUTE_MS // self.per_minute)


def ramp_of(source: Source) -> Ramp:
    """The ramp of a lane's event source."""
    if isinstance(source, Pollers):
        first = source.minimum * BATCHES_PER_POLLER
        return Ramp(first=first, per_minute=1_000, at_most=executors_of(source))
    return Ramp(first=min(5, source), per_minute=300, at_most=source)


@dataclass(slots=True)
class EventSource:
    """The event source of one queue on a virtual clock."""

    ramp: Ramp
    _behind_since: int | None = None
    _seen_at: int = 0

    def limit(self, now_ms: int) -> int:
        """How many batches may be under way."""
        if self._behind_since is None or now_ms - self._seen_at > IDLE_MS:
            return self.ramp.first
        grown = (self._seen_at - self._behind_since) * self.ramp.per_minute // MINUTE_MS
        return min(self.ramp.at_most, self.ramp.first + grown)

    def is_behind(self, now_ms: int) -> None:
        """Messages wait although every batch is under way."""
        if self._behind_since is None or now_ms - self._seen_at > IDLE_MS:
            self._behind_since = now_ms
        self._seen_at = now_ms
