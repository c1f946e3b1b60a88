"""The ramp of event sources: a burst waits for batches that are added from minute to minute, or for none."""

from functools import cache

import pytest

from infra.concurrency import Pollers, Source
from shared.names import QueueName
from tests.simulation.backlog import Backlog, p99
from tests.simulation.event_source import IDLE_MS, EventSource, Ramp, ramp_of
from tests.simulation.faults import FaultMix
from tests.simulation.world import World

JOBS = 450
TENANTS = 30
"""No pack has executions of two tenants, but a batch has."""
RAMP = Ramp(first=5, per_minute=300, at_most=20)


@cache
def burst(source: Source | None) -> tuple[int, int]:
    """The p99 lag of a burst from rest, in ms, and the most batches at a time."""
    world = World(1, FaultMix())
    if source is not None:
        world.lanes.sources[QueueName.STANDARD] = EventSource(ramp_of(source))
    backlog, start = Backlog(world), world.hub.now_ms
    due = [
        job
        for number in range(TENANTS)
        for job in backlog.due(backlog.tenant(f"t{number}"), [start + 5_000] * (JOBS // TENANTS))
    ]
    world.hub.run_until(start + 60_000)
    lags = backlog.lags(due)
    busiest = world.lanes.busiest[QueueName.STANDARD]
    assert backlog.begun(due) == JOBS
    backlog.end()
    return p99(lags), busiest


def test_burst_from_rest_waits_for_the_ramp_of_a_maximum_concurrency() -> None:
    slow, busiest = burst(300)
    at_once, _ = burst(None)
    assert 5 <= busiest < JOBS // 10, "a source without a ramp hands out all batches of ten"
    assert slow > 2 * at_once


def test_provisioned_pollers_take_a_burst_from_rest() -> None:
    lag, busiest = burst(Pollers(minimum=20, maximum=60))
    slow, _ = burst(300)
    assert busiest > JOBS // 20
    assert lag < slow / 2


def test_source_adds_batches_while_messages_wait_up_to_its_maximum() -> None:
    source = EventSource(RAMP)
    assert source.limit(0) == 5
    for at in range(0, 10_000, 100):
        source.is_behind(at)
    assert source.limit(2_000 + IDLE_MS) == 20
    source.is_behind(10_000)
    assert source.limit(10_000) == 20


def test_source_begins_anew_after_a_minute_without_a_backlog() -> None:
    source = EventSource(RAMP)
    source.is_behind(0)
    source.is_behind(1_000)
    assert source.limit(1_000) == 10
    assert source.limit(1_001 + IDLE_MS) == 5
    source.is_behind(1_001 + IDLE_MS)
    assert source.limit(1_001 + IDLE_MS) == 5


@pytest.mark.parametrize(
    ("source", "ramp"),
    [
        (300, Ramp(first=5, per_minute=300, at_most=300)),
        (2, Ramp(first=2, per_minute=300, at_most=2)),
        (Pollers(minimum=20, maximum=60), Ramp(first=200, per_minute=1_000, at_most=600)),
    ],
)
def test_ramp_follows_from_the_event_source_of_a_lane(source: Source, ramp: Ramp) -> None:
    assert ramp_of(source) == ramp
