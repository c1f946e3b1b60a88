"""Herds: many one-off jobs due at once, in the standard lane of a stage that was quiet before.

Their messages wait in the queue until the herd is due, so what decides is how quickly executors start. AWS documents
how event sources and functions grow; the model applies it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from infra import stages
from infra.concurrency import Source
from infra.sizing.prices import DEFAULT_REGION, PRICES
from infra.sizing.usage import MB_PER_GB
from shared.domain.bucket import MINUTE_MS
from shared.names import Lane, QueueName
from tests.scale.loads import Load, Mix
from tests.scale.receivers import QUICK
from tests.scale.stage import LARGE, START_MS, Slice
from tests.scale.steady import WARM_UP_MS, begin

DUE_MS = START_MS + 3 * MINUTE_MS + 30_000
"""Watchers have found the herd by then, also those of one that lasts for a minute."""
LONGEST_SECONDS = 420
ACCOUNT_CONCURRENCY = 10_000
MOST_LAG_MS = 5_000
"""The p99 of a herd that the stage is sized for."""
FEW_MOST_LAG_MS = 2_000
"""The same for a herd of 2,000."""
SECOND_MS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Herd:
    """`jobs` due evenly within `over_ms`, and the event source of the lane."""

    name: str
    jobs: int
    over_ms: int
    source: Source
    is_warm: bool = False
    """Whether as many sandboxes as needed exist already, as after a herd a few minutes before."""
    shards: int = 10
    """Of the stage, in the slice that runs."""
    is_sized: bool = True
    """Whether the stage is meant for this herd, so that its p99 is a promise."""
    most_lag_ms: int = MOST_LAG_MS


NO_POLLERS = 1_000
"""The largest maximum concurrency of an event source without provisioned pollers."""
PRESET = stages.LARGE.lane_concurrency.standard
_FEW = partial(Herd, jobs=2_000, over_ms=1_000, most_lag_ms=FEW_MOST_LAG_MS)
_SECOND = partial(Herd, jobs=50_000, over_ms=1_000)
_MINUTE = partial(Herd, jobs=1_000_000, over_ms=60_000, shards=1)
HERDS = [
    _FEW(name="2,000 in a second: no provisioned pollers", source=NO_POLLERS, is_sized=False),
    _FEW(name="2,000 in a second: preset `large`", source=PRESET),
    _FEW(name="2,000 in a second: preset `large`, warm", source=PRESET, is_warm=True),
    _SECOND(name="50,000 in a second: no provisioned pollers", source=NO_POLLERS, is_sized=False),
    _SECOND(name="50,000 in a second: preset `large`", source=PRESET),
    _SECOND(name="50,000 in a second: preset `large`, warm", source=PRESET, is_warm=True),
    _MINUTE(name="a million in a minute: no provisioned pollers", source=NO_POLLERS, is_sized=False),
    _MINUTE(name="a million in a minute: preset `large`", source=PRESET),
    _MINUTE(name="a million in a minute: preset `large`, warm", source=PRESET, is_warm=True),
]
"""Sandboxes are cold, unless a herd is warm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HerdRun:
    """Lags are milliseconds from due to the start of the call, sorted. The rest is for the whole stage."""

    herd: Herd
    lags: Sequence[int]
    calls_by_second: Sequence[float]
    """Share of all calls that had begun by the end of each second after the first job was due."""
    executors: int
    executor_seconds: float
    writes: float
    """Write units of `executions` in the busiest second."""
    early: int
    missing: int
    throttled: int

    def percentile_ms(self, share: float) -> int:
        return self.lags[min(len(self.lags) - 1, int(len(self.lags) * share))]

    @property
    def executor_dollars(self) -> float:
        """What Lambda bills for the executors' time in the default region."""
        gb = stages.LARGE.memory.of_executor(QueueName.STANDARD) / MB_PER_GB
        return self.executor_seconds * gb * PRICES[DEFAULT_REGION].gb_seconds.each

    @property
    def failures(self) -> list[str]:
        """The promises that the herd breaks."""
        p99_ms = self.percentile_ms(0.99)
        broken = {
            f"{self.early} calls began before their time": self.early,
            f"{self.missing} jobs were not called within {LONGEST_SECONDS} s": self.missing,
            f"the p99 of the lag is {p99_ms} ms": self.herd.is_sized and p99_ms > self.herd.most_lag_ms,
        }
        return [f"{self.herd.name}: {text}" for text, is_broken in broken.items() if is_broken]


def run_herd(herd: Herd, *, seed: int = 1) -> HerdRun:
    """Run a herd to its end."""
    lanes = replace(stages.LARGE.lane_concurrency, standard=herd.source)
    config = replace(stages.LARGE, lane_concurrency=lanes, account_concurrency=ACCOUNT_CONCURRENCY)
    stage = replace(LARGE, config=config)
    world, load = begin(Slice(stage=stage, shards=herd.shards), lambda _: 0, Mix(), seed=seed)
    count = round(herd.jobs / world.slice.factor)
    for number in range(count):
        _put(load, DUE_MS + number * herd.over_ms // count // SECOND_MS * SECOND_MS)
    world.sqs.lanes[QueueName.STANDARD].borrows = False
    world.hub.run_until(START_MS + WARM_UP_MS)
    world.begin()
    world.executors.is_warm = herd.is_warm
    until_ms = DUE_MS
    while len(lags := world.receivers.lags["", QUICK]) < count and until_ms < DUE_MS + LONGEST_SECONDS * 1000:
        until_ms += SECOND_MS
        world.hub.run_until(until_ms)
    began = sorted(world.receivers.began_at)
    seconds = range(1, (until_ms - DUE_MS) // SECOND_MS + 1)
    run = HerdRun(
        herd=herd,
        lags=sorted(lags),
        calls_by_second=[_share_before(began, DUE_MS + second * SECOND_MS, count) for second in seconds],
        executors=round(world.sqs.lanes[QueueName.STANDARD].most_busy * world.slice.factor),
        executor_seconds=world.executors.batch_ms * world.slice.factor / 1000,
        writes=world.meters.tables["writes executions"].peak(DUE_MS // 1000) * world.slice.factor,
        early=world.receivers.early,
        missing=count - len(lags),
        throttled=sum(world.meters.throttled.values()),
    )

    world.close()
    return run


def _put(load: Load, due_at: int) -> None:
    """A job that was created long before, of any tenant."""
    draft = load.draft(load.any_tenant(), due_at, QUICK)
    load.world.table.insert(replace(draft, call=replace(draft.call, lane=Lane.STANDARD)), None)


def _share_before(began: Sequence[float], until_ms: float, count: int) -> float:
    return bisect_right(began, until_ms) / count
