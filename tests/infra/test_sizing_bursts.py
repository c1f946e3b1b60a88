"""How long a burst takes to begin, as the sizing computes it, beside the scale model and drawn durations."""

import math
import re
import statistics
from dataclasses import replace
from heapq import heappop, heappush
from random import Random

import pytest

from infra.concurrency import Source
from infra.sizing import figures
from infra.sizing.batches import batch_seconds, deviation_seconds
from infra.sizing.bursts import Burst
from infra.sizing.traffic import Traffic
from infra.stages import PRESETS
from tests.support.sources import ROOT


@pytest.mark.parametrize(
    ("herd", "standard", "cold_seconds"),
    [
        ("no provisioned pollers", 1_000, 0.0),
        ("preset `large`", PRESETS["large"].lane_concurrency.standard, figures.latency("cold_start") / 1_000),
        ("preset `large`, warm", PRESETS["large"].lane_concurrency.standard, 0.0),
    ],
)
def test_burst_begins_as_in_the_scale_model(herd: str, standard: Source, cold_seconds: float) -> None:
    page = (ROOT / "docs" / "scale.md").read_text()
    (row,) = re.findall(rf"\| 50,000 in a second: {re.escape(herd)} \| ([0-9.]+) s \| ([0-9.]+) s \|", page)
    lanes = replace(PRESETS["large"].lane_concurrency, standard=standard)
    burst = Burst.on(replace(PRESETS["large"], lane_concurrency=lanes), Traffic(jobs_per_second=0.001))
    for share, emulated in zip((0.5, 0.99), map(float, row), strict=True):
        assert burst.seconds_until(share * 50_000) + cold_seconds == pytest.approx(emulated, rel=0.1, abs=0.2)


def test_burst_waits_for_the_executors_of_a_lane_that_cannot_grow() -> None:
    """Durations that deviate by their mean are spread like those of a steady rate."""
    burst = Burst(first=4, growth=5, most=4, batch_seconds=2, deviation_seconds=2)
    assert burst.seconds_until(40) == 0
    assert burst.seconds_until(240) == pytest.approx(10)
    # Constant durations begin half a batch later.
    assert replace(burst, deviation_seconds=0).seconds_until(240) == pytest.approx(11)
    assert replace(burst, first=0, most=0).seconds_until(1) == math.inf


@pytest.mark.parametrize("share", [0.5, 1])
def test_burst_of_a_full_lane_begins_as_its_batches_do_one_after_another(share: float) -> None:
    """Four executors take sixty batches of ten calls each, whose durations are drawn."""
    random, jobs, callback_ms = Random(1), 600, 600.0
    drawn = statistics.mean(
        _starts(random, executors=4, batches=jobs // 10, mean_ms=callback_ms)[int(share * jobs / 10) - 1]
        for _ in range(500)
    )
    burst = Burst(
        first=4,
        growth=1,
        most=4,
        batch_seconds=batch_seconds(10, callback_ms=callback_ms, cpu_ms=0, wait_ms=0, writes_ms=0),
        deviation_seconds=deviation_seconds(10, callback_ms),
    )
    assert burst.seconds_until(share * jobs) == pytest.approx(drawn, rel=0.03)


def _starts(random: Random, *, executors: int, batches: int, mean_ms: float) -> list[float]:
    """When each batch begins, in seconds: the first executor that is free takes it."""
    free, starts = [0.0] * executors, []
    for _ in range(batches):
        starts.append(heappop(free))
        longest = max(random.expovariate(1_000 / mean_ms) for _ in range(10))
        heappush(free, starts[-1] + longest)
    return starts


def test_burst_begins_sooner_where_the_event_source_grows() -> None:
    quick = Burst(first=5, growth=5, most=1_000, batch_seconds=1, deviation_seconds=1)
    slow = replace(quick, most=5.1)
    seconds = [quick.seconds_until(jobs) for jobs in (50, 100, 1_000, 10_000)]
    assert seconds == sorted(seconds)
    assert quick.seconds_until(1_000) < slow.seconds_until(1_000) == pytest.approx(18.6, abs=0.2)
