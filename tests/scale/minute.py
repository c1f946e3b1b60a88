"""A million jobs in one minute, on a stage that runs 10,000 a second before and after."""

from __future__ import annotations

from shared.domain.bucket import MINUTE_MS
from tests.scale.loads import Mix
from tests.scale.stage import LARGE, START_MS, Slice
from tests.scale.steady import RATE, WARM_UP_MS, Result, Run, begin
from tests.scale.table import rows_of

MILLION = 1_000_000
PEAK_BEGINS_MS = START_MS + 4 * MINUTE_MS
"""Jobs of that minute are created four minutes before."""
AFTER_MINUTES = 3
ONE_OFFS = Mix(minutely=0)
"""Recurring jobs keep their rate: the million are one-off jobs."""


def rate(at_ms: float) -> float:
    is_peak = PEAK_BEGINS_MS <= at_ms < PEAK_BEGINS_MS + MINUTE_MS
    return MILLION / 60 if is_peak else RATE


def million(shards: int, *, seed: int = 1) -> Run:
    """Measure the minute and those after it: until every first pass of its bucket is due."""
    world, load = begin(Slice(stage=LARGE, shards=shards), rate, ONE_OFFS, seed=seed)
    world.hub.run_until(START_MS + WARM_UP_MS)
    world.begin()
    world.hub.run_until(PEAK_BEGINS_MS + (1 + AFTER_MINUTES) * MINUTE_MS)
    return Run(world, load, rows_of(world, load))


def million_result(shards: int) -> Result:
    run = million(shards)
    return run.result("a million jobs in one minute", [f"p99 of the lag: {run.p99_ms()} ms"], [])
