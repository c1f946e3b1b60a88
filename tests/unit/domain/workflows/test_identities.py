"""IDs of workflows, runs and the executions of tasks."""

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.workflows.identities import (
    is_workflow_id,
    new_workflow_id,
    parse_run_id,
    run_id_text,
    run_of,
    task_execution_id,
)
from tests.support.workflows import COUNTS, NOW, run_id


def test_a_run_id_is_read_back():
    text = run_id_text(run_id())
    assert text.startswith("run_1")
    assert parse_run_id(text) == run_id()


@pytest.mark.parametrize("text", ["", "run_", "exe_10" + "0" * 29, "run_10" + "0" * 28, "run_10" + "u" * 29])
def test_malformed_text_is_no_run_id(text):
    with pytest.raises(InvalidValueError):
        parse_run_id(text)


def test_workflow_ids_sort_by_creation():
    ids = [new_workflow_id(NOW + number, 1 << 79, cell="0") for number in range(3)]
    assert ids == sorted(ids)
    assert all(is_workflow_id(each) for each in ids)
    assert not is_workflow_id("wfl_nonsense")


def test_task_has_an_execution_of_its_own_in_each_epoch():
    made = {
        task_execution_id(run, key, epoch, NOW, COUNTS).entropy
        for run in (run_id(), run_id(entropy=8))
        for key in ("a", "b")
        for epoch in (1, 2)
    }
    assert len(made) == 8


def test_the_execution_of_a_task_lies_in_the_cell_of_its_run():
    assert task_execution_id(run_id(), "a", 1, NOW, COUNTS).cell == run_id().cell


def test_run_of_an_execution_lies_in_its_shard_and_has_one_id_of_its_own():
    execution = run_id()
    of = run_of(execution)
    assert (of.cell, of.dispatch_at, of.shard) == (execution.cell, execution.dispatch_at, execution.shard)
    assert of.entropy != execution.entropy
    assert run_of(execution) == of
    assert len({run_of(run_id(NOW + number)).entropy for number in range(20)}) == 20
