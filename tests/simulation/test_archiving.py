"""The archive under crashes, standstills, expiry and late records: each id that has ended is in one file."""

import pytest

from tests.simulation.archiving import ArchiveSimulation

SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_execution_that_has_ended_is_archived_once(seed: int) -> None:
    assert ArchiveSimulation(seed).run() == []


def test_processes_die_and_records_expire_in_these_seeds() -> None:
    simulation = ArchiveSimulation(0)
    simulation.run()
    assert simulation.crashes
    assert len(simulation.ended) > len(simulation.table.executions)
