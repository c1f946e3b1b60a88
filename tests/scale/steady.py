"""The steady load: every job kind at a constant rate, on a stage that has run for hours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.domain.tenancy.quota import Quotas
from shared.names import QueueName
from tests.scale.growth import LEAST_SAMPLES, growing
from tests.scale.loads import FIRST_DUE_MS, Load, Mix
from tests.scale.receivers import QUICK
from tests.scale.stage import LARGE, START_MS, Slice
from tests.scale.table import Row, failures, rows_of
from tests.scale.world import ScaleWorld
from tests.support.fakes.budgets import GENEROUS

RATE = 10_000
WARM_UP_MS = FIRST_DUE_MS + 75_000
"""Executors have met their first jobs, and their caches of tenants have been filled once."""
SECONDS_OF_BATCH = 0.7
"""The concurrency with which a run begins: a batch of ten lasts about this long."""
MOST_LAG_MS = 1_000
"""The p99 of calls that no limit holds back."""
SHARES = {QueueName.CRITICAL: 0.2, QueueName.STANDARD: 0.6, QueueName.BULK: 0.2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a scenario shows. `failures` are the promises that it did not hold."""

    name: str
    rows: list[Row]
    facts: list[str]
    failures: list[str]


@dataclass(slots=True)
class Run:
    """A run that has been measured."""

    world: ScaleWorld
    load: Load
    rows: list[Row]

    def p99_ms(self, phase: str = "", host: str = QUICK) -> int:
        """Of the lags of first calls; 0 if there are none."""
        lags = sorted(self.world.receivers.lags[phase, host])
        return lags[len(lags) * 99 // 100] if lags else 0

    def busy(self) -> dict[str, int]:
        """Event sources start executors before batches are full, up to the concurrency of the lane."""
        world = self.world
        interval = world.measured_from_s, int(world.hub.now_ms) // 1000
        return {
            str(queue): round(world.meters.counts[f"busy {queue}"].mean(*interval) * world.slice.factor)
            for queue in SHARES
        }

    def result(self, name: str, facts: list[str], broken: list[str]) -> Result:
        world = self.world
        common = [
            f"calls: {world.receivers.calls:,} in a slice of 1/{world.slice.factor:.0f}",
            f"early calls: {world.receivers.early}",
            f"busy executors of the stage, mean: {self.busy()}",
            f"keys in a batch, mean: {world.executors.keys / world.executors.batches:.1f}",
            f"throttled requests of the slice: {dict(world.meters.throttled) or 'none'}",
            *(f"{name}: {[round(count) for count in counts]}" for name, counts in world.samples.items()),
        ]
        broken = [*broken, *failures(self.rows), *world.sqs.violations[:3]]
        if world.receivers.early:
            broken.append("calls began before their time")
        return Result(name=name, rows=self.rows, facts=[*facts, *common], failures=broken)


def begin(
    part: Slice, rate: Callable[[float], float], mix: Mix, *, seed: int = 1, defaults: Quotas = GENEROUS
) -> tuple[ScaleWorld, Load]:
    """A stage whose event sources have grown to the rate of the first instant."""
    world = ScaleWorld(part, seed, defaults, mix.long_minutes * 60_000)
    load = Load(world, rate, mix)
    for queue, share in SHARES.items():
        pollers = world.sqs.lanes[queue].pollers
        pollers.now = min(pollers.most, max(pollers.now, rate(START_MS) * share * SECONDS_OF_BATCH / 10))
    load.start()
    world.sqs.start()
    world.ticks.start()
    world.ticks.note_passes()
    return world, load


def steady(shards: int, minutes: float, *, rate: float = RATE, mix: Mix | None = None, seed: int = 1) -> Run:
    """Measure `minutes` of virtual time after the warm-up."""
    world, load = begin(Slice(stage=LARGE, shards=shards), lambda _: rate, mix or Mix(), seed=seed)
    world.hub.run_until(START_MS + WARM_UP_MS)
    world.begin()
    world.hub.run_until(START_MS + WARM_UP_MS + int(minutes * 60_000))
    return Run(world, load, rows_of(world, load))


def steady_result(shards: int, minutes: float, *, rate: float = RATE) -> Result:
    """Nothing grows, where the run is long enough to tell, and a p99 of one second."""
    run = steady(shards, minutes, rate=rate)
    p99_ms = run.p99_ms()
    broken = [f"p99 of the lag is {p99_ms} ms"] if p99_ms >= MOST_LAG_MS else []
    if minutes + 1 >= LEAST_SAMPLES:
        broken += [f"{name} grows" for name in growing(run.world.samples)]
    if run.world.meters.throttled:
        broken.append("requests were throttled")
    return run.result(f"steady, {rate:,.0f} jobs/s", [f"p99 of the lag: {p99_ms} ms"], broken)
