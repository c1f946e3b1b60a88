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


def test_execution_that_had_ended_after_the_backup_is_called_again() -> None:
    run = run_restored(2)
    assert isinstance(run, Restored)
    assert run.repeated > 0


def test_restore_without_moving_the_mark_of_the_sweeper_leaves_executions_unfinished() -> None:
    """The judge finds what the operator must not forget."""
    found = run_restored(4, moves_mark=False)
    assert isinstance(found, list)
    assert {fault.verdict for fault in found} == {Verdict.RESTLESS}
