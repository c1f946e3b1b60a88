"""Random workflows under faults: every promise holds in some seeds."""

import pytest

from tests.simulation.workflow_run import run_workflows


@pytest.mark.parametrize("seed", range(8))
def test_every_run_ends_once_and_every_task_was_called_in_its_turn(seed: int) -> None:
    outcome = run_workflows(seed)
    assert outcome.faults == []
    assert outcome.calls
