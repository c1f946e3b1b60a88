"""Freshness: an age must be short by the monotonic clock and by the wall clock."""

import pytest

from shared.adapters.http.freshness import Freshness
from tests.support.fakes.clock import VirtualClock


@pytest.mark.parametrize(
    ("monotonic_seconds", "wall_ms", "is_fresh"),
    [
        pytest.param(0, 0, True, id="at once"),
        pytest.param(3.9, 3_900, True, id="in time"),
        pytest.param(4, 3_900, False, id="too late by the monotonic clock alone"),
        pytest.param(0.1, 4_000, False, id="too late by the wall clock alone: the worker was frozen"),
        pytest.param(0.1, -1, False, id="the wall clock was set back: the age is unknown"),
    ],
)
def test_an_age_is_short_by_both_clocks(monotonic_seconds: float, wall_ms: int, is_fresh: bool) -> None:
    clock, monotonic = VirtualClock(1_000_000), [50.0]
    freshness = Freshness(clock, lambda: monotonic[0])
    since = freshness.now()
    monotonic[0] += monotonic_seconds
    clock.time_ms += wall_ms
    assert freshness.is_fresh(since, 4.0) is is_fresh
