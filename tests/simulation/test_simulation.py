"""Eighty seeds of the simulation; that a seed suffices to see a run again; that every kind of fault strikes."""

from collections import Counter

import pytest

from shared.domain.bucket import MINUTE_MS
from tests.simulation.clients import LOAD_MS, Clients
from tests.simulation.faults import FaultMix, Strike
from tests.simulation.rest import come_to_rest
from tests.simulation.rhythms import every
from tests.simulation.run import run_seed
from tests.simulation.verdicts import Verdict
from tests.simulation.world import World

BLOCKS = 8
SEEDS_IN_BLOCK = 10
run_so_far: dict[int, Counter[Strike]] = {}
"""How often each kind of fault struck, by seed."""


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_promise_is_broken_in_any_seed(block: int) -> None:
    for seed in range(block * SEEDS_IN_BLOCK, (block + 1) * SEEDS_IN_BLOCK):
        outcome = run_seed(seed)
        run_so_far[seed] = outcome.struck
        assert not outcome.faults, f"python -m tests.simulation --first {seed} --seeds 1"


def test_every_kind_of_fault_struck_in_these_seeds() -> None:
    """Of all seeds together: those that were not run just now are run here."""
    for seed in set(range(BLOCKS * SEEDS_IN_BLOCK)) - run_so_far.keys():
        run_so_far[seed] = run_seed(seed).struck
    struck = sum(run_so_far.values(), Counter[Strike]())
    assert {kind for kind in Strike if not struck[kind]} == set()


@pytest.mark.parametrize("seed", [3, 84])
def test_the_same_seed_gives_the_same_trace(seed: int) -> None:
    first, second = run_seed(seed), run_seed(seed)
    assert first.trace_hash == second.trace_hash
    assert first.calls > 0


def test_in_calm_weather_each_attempt_takes_little_more_than_one_message() -> None:
    """In these seeds no job is changed by its key: a change cancels runs whose messages then find nothing to call."""
    outcomes = [run_seed(seed, FaultMix()) for seed in (1, 2, 4, 8, 9)]
    assert not any(outcome.faults for outcome in outcomes)
    sends, calls = sum(outcome.sends for outcome in outcomes), sum(outcome.calls for outcome in outcomes)
    assert sends <= 1.05 * calls


def test_a_job_twenty_minutes_ahead_is_found_by_a_watcher_and_called_once_on_time() -> None:
    world = World(1, FaultMix())
    clients = Clients(world)
    world.functions.start_ticks(lambda: world.start_ms + 40 * MINUTE_MS)
    order = clients.order(delay_seconds=1_200, cancelled=0)
    world.hub.run_until(world.start_ms + LOAD_MS + 40_000)
    assert world.lanes.sends == 0
    world.hub.run_until(world.start_ms + 40 * MINUTE_MS)
    (arrival,) = world.receiver.log
    assert order.due_at is not None
    assert 0 <= arrival.began_at - order.due_at <= 1_500


@pytest.mark.parametrize(
    ("every_seconds", "patience_ms"), [(60, LOAD_MS + 10 * MINUTE_MS), (1, 24 * 60 * MINUTE_MS)]
)
def test_chain_without_an_end_is_found(every_seconds: int, patience_ms: int) -> None:
    """With patience for a few minutes as well as by its many calls."""
    world = World(1, FaultMix())
    world.functions.start_ticks(lambda: world.start_ms + 24 * 60 * MINUTE_MS)
    Clients(world).order(rhythm=every(every_seconds), cancelled=0)
    loaded_ms = world.start_ms + LOAD_MS
    world.hub.run_until(loaded_ms)
    found = come_to_rest(world, world.start_ms + patience_ms, recurs_until_ms=loaded_ms)
    assert {fault.verdict for fault in found} == {Verdict.RESTLESS}
    world.hub.close()
