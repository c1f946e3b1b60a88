"""Triggers while ports throttle, answers are lost, processes die or stand still, and clocks differ."""

import pytest

from tests.simulation.faults import FaultMix
from tests.simulation.trigger_run import run_triggers

BLOCKS, SEEDS_IN_BLOCK = 4, 10


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_event_starts_what_it_should_and_nothing_else(block: int) -> None:
    for seed in range(block * SEEDS_IN_BLOCK, (block + 1) * SEEDS_IN_BLOCK):
        outcome = run_triggers(seed)
        assert not outcome.faults, f"python -m tests.simulation --of triggers --first {seed} --seeds 1"
        assert outcome.calls > 0


def test_every_event_starts_what_it_should_while_nothing_goes_wrong() -> None:
    """Then the judge knows to the millisecond which windows and bursts there were."""
    for seed in range(1_000, 1_015):
        outcome = run_triggers(seed, FaultMix())
        assert not outcome.faults, f"seed {seed} in calm weather: {outcome.faults}"


def test_same_seed_of_triggers_gives_the_same_trace() -> None:
    first, second = run_triggers(2), run_triggers(2)
    assert first.trace_hash == second.trace_hash
    assert first.calls > 0
