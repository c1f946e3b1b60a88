"""Tables that are restored to an earlier instant: what was acknowledged before it holds."""

import pytest

from tests.simulation.restore import Restored, judge, run_restored
from tests.simulation.verdicts import Verdict

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
def test_restored_tables_lose_no_acknowledged_job_and_repeat_only_calls_after_the_backup(seed: int) -> None:
    run = run_restored(seed)
    assert isinstance(run, Restored), run
    assert list(judge(run)) == []


def test_executions_that_had_ended_after_the_backup_are_called_again_in_these_seeds() -> None:
    runs = [run_restored(seed) for seed in range(5)]
    assert sum(run.repeated for run in runs if isinstance(run, Restored)) > 0


def test_restore_without_moving_the_mark_of_the_sweeper_leaves_executions_unfinished() -> None:
    """The judge finds what the operator must not forget, though not in every run."""
    runs = [run_restored(seed, moves_mark=False) for seed in SEEDS[:10]]
    found = {fault.verdict for run in runs if isinstance(run, list) for fault in run}
    assert found == {Verdict.RESTLESS}
