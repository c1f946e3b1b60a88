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


def test_tenant_that_is_deleted_has_rows_in_files_and_a_restore_brings_others_back() -> None:
    simulations = [ArchiveSimulation(seed) for seed in SEEDS]
    for simulation in simulations:
        simulation.run()
    assert sum(bool(each.leaver.archived) for each in simulations) > len(SEEDS) // 2
    assert sum(each.leaver.came_back for each in simulations) > len(SEEDS) // 2
