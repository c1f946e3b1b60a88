"""The audit trail under crashes, standstills and late records: each record is in one segment, and the chain holds."""

import pytest

from tests.simulation.audit_trailing import TrailSimulation


@pytest.mark.parametrize("seed", range(8))
def test_record_is_in_one_segment_of_a_whole_chain(seed: int) -> None:
    assert TrailSimulation(seed).run() == []


def test_runs_die_and_overtake_one_another_in_these_seeds() -> None:
    simulations = [TrailSimulation(seed) for seed in range(8)]
    for simulation in simulations:
        simulation.run()
    assert sum(each.crashes for each in simulations) > 8
    assert sum(each.overtaken for each in simulations) > 0
