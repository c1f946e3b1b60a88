"""Jobs with calendars that change while ports throttle, answers are lost, and runs of the reconciler die."""

import pytest

from tests.simulation.calendar_run import run_calendars
from tests.simulation.faults import FaultMix

BLOCKS, SEEDS_IN_BLOCK = 4, 6


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_job_runs_on_the_days_of_its_calendar_and_on_no_other(block: int) -> None:
    for seed in range(block * SEEDS_IN_BLOCK, (block + 1) * SEEDS_IN_BLOCK):
        outcome = run_calendars(seed)
        assert not outcome.faults, f"python -m tests.simulation --of calendars --first {seed} --seeds 1"
        assert outcome.calls > 0


def test_every_calendar_is_followed_while_nothing_goes_wrong() -> None:
    """Then no instant is late, and no run of the reconciler leaves a job behind."""
    for seed in range(1_000, 1_006):
        outcome = run_calendars(seed, FaultMix())
        assert not outcome.faults, f"seed {seed} in calm weather: {outcome.faults}"


def test_same_seed_of_calendars_gives_the_same_trace() -> None:
    first, second = run_calendars(3), run_calendars(3)
    assert first.trace_hash == second.trace_hash
    assert first.calls > 0
