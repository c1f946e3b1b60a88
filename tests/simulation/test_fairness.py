"""A noisy tenant does not raise another one's lag; a tenant of more weight gets more of what is short; lanes do not
wait for each other. Deterministic: the same seed gives the same run."""

import pytest

from shared.names import Lane
from tests.simulation.backlog import Backlog, p99
from tests.simulation.faults import FaultMix
from tests.simulation.world import World
from tests.support.fakes import fair_queue

WORKERS = 80
"""As many as 800 messages in flight; a deployment has 300 workers for this lane unless it asks for others."""
SEEDS = (1, 2, 3)
"""Of a hundred calls the p99 is but the second longest: those of several runs are taken together."""
NOISY_JOBS = 5_000
WINDOW_MS = 4_000
QUIET_EVERY_MS = 37


def lag_of_the_quiet(
    noisy_jobs: int, *, noisy_lane: Lane = Lane.STANDARD, seeds: tuple[int, ...] = SEEDS
) -> tuple[int, int]:
    """The p99 of a tenant with a steady trickle, and how many calls the other one got at the most in the meantime."""
    runs = [_lags_of_the_quiet(seed, noisy_jobs, noisy_lane) for seed in seeds]
    return p99(sorted(lag for lags, _ in runs for lag in lags)), max(got for _, got in runs)


def _lags_of_the_quiet(seed: int, noisy_jobs: int, noisy_lane: Lane) -> tuple[list[int], int]:
    world = World(seed, FaultMix())
    world.lanes.workers = WORKERS
    backlog, start = Backlog(world), world.hub.now_ms
    noisy = backlog.due("acme", [start] * noisy_jobs, lane=noisy_lane)
    quiet = backlog.due("globex", range(start + 2_000, start + 2_000 + WINDOW_MS, QUIET_EVERY_MS))
    world.hub.run_until(start + 2_000 + WINDOW_MS + 1_500)
    got = sum(1 for _ in backlog.calls(noisy))
    lags = backlog.lags(quiet)
    backlog.end()
    return lags, got


def test_five_thousand_due_jobs_of_one_tenant_do_not_double_the_lag_of_another() -> None:
    baseline, _ = lag_of_the_quiet(0)
    lag, got = lag_of_the_quiet(NOISY_JOBS)
    assert 0 < got < NOISY_JOBS, "the backlog lasted for the whole time"
    assert lag <= 2 * baseline, f"{lag} ms, and {baseline} ms alone"


def test_without_fair_queues_a_backlog_raises_the_lag_of_another_tenant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the test above would find."""
    monkeypatch.setattr(fair_queue.FairQueue, "noisy", lambda *_: set())
    baseline, _ = lag_of_the_quiet(0, seeds=(1,))
    lag, _ = lag_of_the_quiet(NOISY_JOBS, seeds=(1,))
    assert lag > 10 * baseline


def test_a_lane_does_not_wait_for_another() -> None:
    baseline, _ = lag_of_the_quiet(0, seeds=(1,))
    lag, got = lag_of_the_quiet(2_000, noisy_lane=Lane.BULK, seeds=(1,))
    assert got > 500, "and went on beside it"
    assert lag <= 1.2 * baseline


def test_tenant_gets_calls_from_a_backlog_by_its_weight() -> None:
    world = World(2, FaultMix())
    world.lanes.workers = WORKERS
    backlog, start = Backlog(world), world.hub.now_ms
    light = backlog.due(backlog.tenant("light"), [start] * 1_500)
    heavy = backlog.due(backlog.tenant("heavy", weight=3), [start] * 1_500)
    world.hub.run_until(start + 2_500)
    got = [sum(1 for _ in backlog.calls(each)) for each in (light, heavy)]
    backlog.end()
    assert max(got) < 1_500
    assert 2.5 < got[1] / got[0] < 3.5
