"""The releases of a run: a newer one with more shards is deployed, rolled back under load, and deployed again.

Each process keeps the release that it started with, so that executors of both work side by side. In some runs
the newer release writes messages, or values in items, that the older one cannot read.
"""

from dataclasses import dataclass
from random import Random

from shared.domain.bucket import MINUTE_MS, ShardCounts, ShardEpoch, ShardPlan, bucket_of
from tests.simulation.faults import Strike, Weather
from tests.simulation.hub import Hub
from tests.simulation.newer_items import NewerItems

COUNTS = ShardCounts(normal=2, quarter=3, midnight=4)
GROWN = ShardCounts(normal=5, quarter=6, midnight=6)
GROWS_AFTER_MS = 4 * MINUTE_MS
ROLLED_BACK_SHARE = 0.5
OTHER_EPOCHS_MS = (-2 * MINUTE_MS, MINUTE_MS, 2 * MINUTE_MS)
"""When else the epoch may begin, from the start of the run; one that has begun is deployed too late."""
FIRST_MS = (0, 60_000)
SECOND_MS = (20_000, 120_000)
AGAIN_MS = (30_000, 150_000)
ROLLOUT_MS = 20_000
"""This long after each deployment, a process may still start with the release before."""


NEWER_MESSAGES_SHARE = 0.75
NEWER_ITEMS_SHARE = 0.75
"""Of the runs with a rollback that are not mild: the older release delays what it cannot read."""


@dataclass(frozen=True, slots=True)
class Release:
    """What a process is started with."""

    plan: ShardPlan
    is_newest: bool
    writes_newer_messages: bool = False


@dataclass(frozen=True, slots=True)
class _Deployment:
    at_ms: int
    release: Release


class Releases:
    """Draws from a source of its own, so that the other draws of a seed stay as they are."""

    def __init__(self, seed: int, start_ms: int, hub: Hub, weather: Weather) -> None:
        self._rng = Random(f"releases {seed}")
        self._hub, self._weather = hub, weather
        before = ShardPlan((ShardEpoch(from_bucket=0, counts=COUNTS),))
        is_rolled_back = self._rng.random() < ROLLED_BACK_SHARE
        grows_after_ms = self._rng.choice(OTHER_EPOCHS_MS) if is_rolled_back else GROWS_AFTER_MS
        grown = ShardEpoch(from_bucket=bucket_of(start_ms + grows_after_ms), counts=GROWN)
        self.newest = ShardPlan((*before.epochs, grown))
        """The plan of the last release."""
        newer = Random(f"newer release {seed}")
        writes_messages = newer.random() < NEWER_MESSAGES_SHARE
        writes_items = newer.random() < NEWER_ITEMS_SHARE
        may_delay = is_rolled_back and not weather.mix.is_mild
        older = Release(before, is_newest=False)
        newest = Release(self.newest, is_newest=True, writes_newer_messages=may_delay and writes_messages)
        self.has_newer_items = may_delay and writes_items
        """Whether the newer release stores values that the older one does not know."""
        self.newer_items = NewerItems(seed)
        self._deployments = [_Deployment(0, newest)]
        if is_rolled_back:
            first = start_ms + self._rng.randint(*FIRST_MS)
            back = first + self._rng.randint(*SECOND_MS)
            again = back + self._rng.randint(*AGAIN_MS)
            self._deployments = [
                _Deployment(0, older),
                _Deployment(first, newest),
                _Deployment(back, older),
                _Deployment(again, newest),
            ]

    def start(self) -> Release:
        """The release of a process that starts now."""
        made = self._made()
        is_older = self._is_rolling_out(made) and self._rng.random() < 0.5
        chosen = made[-2 if is_older else -1].release
        if not chosen.is_newest and len(made) > 2:
            self._weather.note(Strike.ROLLED_BACK)
        return chosen

    def serves(self, release: Release) -> bool:
        """Whether an idle sandbox of the release may be used: after a rollout only the new ones are."""
        made = self._made()
        return made[-1].release == release or self._is_rolling_out(made)

    def _made(self) -> list[_Deployment]:
        return [each for each in self._deployments if each.at_ms <= self._hub.now_ms]

    def _is_rolling_out(self, made: list[_Deployment]) -> bool:
        return len(made) > 1 and self._hub.now_ms < made[-1].at_ms + ROLLOUT_MS
