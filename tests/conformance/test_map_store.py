"""MapStore: no end of an item is lost, none is recorded twice, and none of another epoch."""

from dataclasses import replace

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.executions.states import State
from shared.domain.workflows.map_items import (
    MapItems,
    chosen_items,
    end_of_map,
    ended_item,
    item_execution_id,
    stopped_items,
    with_ends,
)
from shared.domain.workflows.run import Run, RunState, TaskProgress, TaskReason, TaskState
from shared.domain.workflows.task_map import MAX_ITEMS
from shared.domain.workflows.workflow import task_execution
from tests.support.builders import EXPIRES_AT_S
from tests.support.conformance.labs import Lab
from tests.support.workflows import NOW, graph, node, run_of, workflow_of

FAN_OUT = graph(node("list"), node("each", "list", over="list"))


def with_map_chosen(epoch: int = 1, at: int = NOW + 5) -> Run:
    """A run whose map is chosen in this epoch."""
    run = run_of(workflow_of(FAN_OUT))
    source = TaskProgress(state=TaskState.SUCCEEDED, epoch=1, at=NOW)
    chosen = TaskProgress(state=TaskState.CHOSEN, epoch=epoch, at=at)
    return replace(run, tasks=(source, chosen), epoch=epoch)


def stored(lab: Lab, count: int = 3) -> tuple[Run, MapItems]:
    run = with_map_chosen()
    items = chosen_items(run, 1, "each", count, None)
    assert lab.maps.put(items) is None
    return run, items


def end(run: Run, items: MapItems, position: int, state: State = State.SUCCEEDED) -> TaskProgress:
    execution_id = item_execution_id(run, items, position)
    assert execution_id is not None
    return ended_item(execution_id, items.epoch, state)


@pytest.mark.parametrize("count", [0, 1, MAX_ITEMS])
def test_items_of_a_map_are_read_back_whole(lab: Lab, count: int) -> None:
    run, items = stored(lab, count)
    assert lab.maps.get(run.id, "each") == items
    assert lab.maps.get(run.id, "other") is None


def test_stopped_map_without_items_is_read_back_whole(lab: Lab) -> None:
    run = replace(with_map_chosen(), state=RunState.CANCELLING)
    stopped = stopped_items(run, 1, "each", None)
    assert lab.maps.put(stopped) is None
    assert lab.maps.get(run.id, "each") == stopped
    assert (stopped.items, stopped.stopped) == (None, TaskReason.RUN_CANCELLED)


def test_repeated_put_of_a_map_finds_it_as_it_is(lab: Lab) -> None:
    run, items = stored(lab)
    after, _ = lab.maps.record(run.id, "each", {1: end(run, items, 1)})
    assert lab.maps.put(items) == after
    other = chosen_items(run, 1, "each", 2, None)
    assert lab.maps.put(other) == after, "no other count replaces the first"


def test_ends_of_different_items_that_know_nothing_of_one_another_both_count(lab: Lab) -> None:
    run, items = stored(lab)
    first = {0: end(run, items, 0)}
    rest = {1: end(run, items, 1, State.FAILED), 2: end(run, items, 2)}
    assert lab.maps.record(run.id, "each", first) == (with_ends(items, first), True)
    both, is_written = lab.maps.record(run.id, "each", rest)
    assert is_written
    assert both == with_ends(items, first | rest), "the second shows both"
    assert end_of_map(both).state is TaskState.FAILED
    assert lab.maps.get(run.id, "each") == both


def test_repeated_end_of_an_item_is_no_new_one_and_changes_nothing(lab: Lab) -> None:
    run, items = stored(lab)
    first, _ = lab.maps.record(run.id, "each", {0: end(run, items, 0, State.FAILED)})
    assert lab.maps.record(run.id, "each", {0: end(run, items, 0, State.FAILED)}) == (first, False)
    late = {0: end(run, items, 0), 1: end(run, items, 1)}
    assert lab.maps.record(run.id, "each", late) == (first, False), (
        "an end is recorded once, and ends together"
    )


def test_end_of_an_item_that_the_map_does_not_have_is_refused(lab: Lab) -> None:
    run, items = stored(lab, 1)
    assert lab.maps.record(run.id, "each", {1: end(run, items, 0)}) == (items, False)
    assert lab.maps.record(run.id, "other", {0: end(run, items, 0)}) == (None, False)


def test_next_epoch_takes_over_what_has_succeeded_and_refuses_late_ends_of_the_former(lab: Lab) -> None:
    run, items = stored(lab)
    ends = {0: end(run, items, 0), 1: end(run, items, 1, State.FAILED), 2: end(run, items, 2)}
    before, _ = lab.maps.record(run.id, "each", ends)
    assert before is not None
    assert lab.maps.conclude(before, b"sealed", EXPIRES_AT_S)
    again = with_map_chosen(2, NOW + 900)
    kept = lab.maps.get(run.id, "each")
    assert kept == replace(before, result=b"sealed")
    assert kept is not None
    after = chosen_items(again, 1, "each", 3, kept)
    assert lab.maps.replace(kept, after) is None
    assert lab.maps.get(run.id, "each") == after
    assert [(item.state, item.epoch) for item in after.items or ()] == [
        (TaskState.SUCCEEDED, 1),
        (TaskState.CHOSEN, 2),
        (TaskState.SUCCEEDED, 1),
    ]
    assert lab.maps.replace(kept, after) == after, "a slow process finds the next epoch"
    assert lab.maps.record(run.id, "each", {1: end(run, items, 1)}) == (after, False)
    assert not lab.maps.conclude(kept, b"other", EXPIRES_AT_S)
    assert lab.maps.get(run.id, "each") == after


def test_record_of_a_map_that_is_gone_is_not_replaced(lab: Lab) -> None:
    run = with_map_chosen()
    items = chosen_items(run, 1, "each", 2, None)
    with pytest.raises(UnavailableError):
        lab.maps.replace(items, items)
    assert lab.maps.get(run.id, "each") is None
    assert not lab.maps.conclude(items, b"", EXPIRES_AT_S)
    assert not lab.maps.keep(run.id, "each", EXPIRES_AT_S)


def test_expiry_of_a_map_comes_with_its_end_and_is_only_extended(lab: Lab) -> None:
    run, items = stored(lab, 1)
    assert lab.map_expiry(run.id, "each") is None
    assert lab.maps.keep(run.id, "each", EXPIRES_AT_S), "it does not expire"
    assert lab.map_expiry(run.id, "each") is None
    done, _ = lab.maps.record(run.id, "each", {0: end(run, items, 0)})
    assert done is not None
    assert lab.maps.conclude(done, b"", EXPIRES_AT_S)
    assert lab.maps.conclude(done, b"sealed", EXPIRES_AT_S), "it is safe to repeat"
    assert lab.maps.keep(run.id, "each", EXPIRES_AT_S - 5)
    assert lab.map_expiry(run.id, "each") == EXPIRES_AT_S
    assert lab.maps.keep(run.id, "each", EXPIRES_AT_S + 5)
    assert lab.map_expiry(run.id, "each") == EXPIRES_AT_S + 5
    kept = lab.maps.get(run.id, "each")
    assert kept == replace(done, result=b"sealed")
    assert kept is not None
    again = with_map_chosen(2)
    assert lab.maps.replace(kept, chosen_items(again, 1, "each", 1, kept)) is None
    assert lab.map_expiry(run.id, "each") is None, "a redriven map runs for as long as it takes"


def test_execution_of_an_item_is_read_back_whole(lab: Lab) -> None:
    needed = graph(*FAN_OUT.nodes, node("join", "each", needs=["each"]))
    workflow, run = workflow_of(needed), with_map_chosen()
    item = task_execution(workflow, run, 1, created_at=NOW, item=41, items=100)
    assert lab.executions.put_if_absent(item) is None
    assert lab.executions.get(item.id) == item
    assert item.task is not None
    assert (item.task.item, item.task.items, item.task.max_result_bytes) == (41, 100, 39)
    other = task_execution(workflow, run, 1, created_at=NOW, item=42, items=100)
    assert (other.id == item.id, other.fingerprint == item.fingerprint) == (False, False)


def test_map_of_a_workflow_is_read_back_with_its_path(lab: Lab) -> None:
    of = graph(node("list"), node("each", "list", over="list", path="/a~1b/0"))
    workflow = workflow_of(of)
    assert lab.workflows.create(workflow) is None
    assert lab.workflows.revision(workflow.tenant_id, workflow.id, 1) == workflow


def test_lists_of_runs_and_sweeps_see_no_record_of_a_map(lab: Lab) -> None:
    run, _ = stored(lab)
    assert lab.runs.put_if_absent(run) is None
    assert lab.runs.page(run.tenant_id, run.workflow_id, before=None, limit=10) == [run.id]
    page = lab.executions.scan(run.id.bucket, run.id.shard, after=None, limit=10)
    assert ([row.id for row in page.runs], page.rows, page.unreadable) == ([run.id], (), ())
