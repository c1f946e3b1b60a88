"""Runs of random graphs: whatever ends in whatever order, every task is decided as its `run_if` says."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.executions.states import State
from shared.domain.workflows.graph import Graph, OnFailure, RunIf
from shared.domain.workflows.run import Run, RunState, TaskState
from shared.domain.workflows.run_rules import (
    cancelled,
    decided,
    execution_of,
    newly_chosen,
    only_records_ends,
    recorded,
    redriven,
    to_be_stopped,
)
from tests.support.workflows import NOW, graphs, run_of, workflow_of

ENDS = st.sampled_from([State.SUCCEEDED, State.SUCCEEDED, State.FAILED, State.CANCELLED])
UNCHOSEN_SINCE = (RunState.CANCELLING, RunState.TIMING_OUT)


def check_chosen(run: Run, of: Graph, index: int) -> None:
    """A chosen task's predecessors have ended as its `run_if` wants."""
    after = [run.tasks[of.indexes()[key]] for key in of.nodes[index].after]
    assert all(task is not None and not task.is_open for task in after)
    states = [task.state for task in after if task is not None]
    match of.nodes[index].run_if:
        case RunIf.ALL_SUCCEEDED:
            assert set(states) <= {TaskState.SUCCEEDED}
        case RunIf.ANY_FAILED:
            assert TaskState.FAILED in states
    if run.state is RunState.FAILING:
        assert of.nodes[index].run_if is RunIf.ANY_FAILED


def check_step(before: Run, after: Run, of: Graph) -> None:
    for index in newly_chosen(before, after):
        assert before.state not in UNCHOSEN_SINCE
        check_chosen(after, of, index)
    for old, new in zip(before.tasks, after.tasks, strict=True):
        if old is not None and not old.is_open and before.epoch == after.epoch:
            assert new == old, "what has ended stays as it is"
    assert decided(after, of, NOW) == after, "a decision leaves nothing to be decided"


def one_end(data: st.DataObject, run: Run, of: Graph) -> Run:
    index = data.draw(st.sampled_from(run.open_tasks()))
    execution_id = execution_of(run, of, index)
    assert execution_id is not None
    return decided(recorded(run, of, {execution_id: data.draw(ENDS)}), of, NOW)


def ends_by_itself(data: st.DataObject, run: Run, of: Graph, *, may_cancel: bool) -> Run:
    steps = 0
    while not run.state.is_terminal:
        is_cancel = may_cancel and run.state not in UNCHOSEN_SINCE and data.draw(st.integers(0, 9)) == 0
        after = cancelled(run, of, NOW) if is_cancel else one_end(data, run, of)
        check_step(run, after, of)
        run, steps = after, steps + 1
        assert steps <= len(of.nodes) + 1, "a run with open tasks alone goes on"
    return run


@given(of=graphs(), data=st.data())
def test_a_run_ends_when_all_its_tasks_have_ended_and_every_choice_was_allowed(of, data):
    run = ends_by_itself(data, run_of(workflow_of(of)), of, may_cancel=True)
    assert run.is_complete


@given(of=graphs(), data=st.data())
def test_redrives_choose_only_what_has_not_succeeded_until_the_run_succeeds(of, data):
    run = run_of(workflow_of(of))
    for _ in range(3):
        run = ends_by_itself(data, run, of, may_cancel=True)
        if run.state is RunState.SUCCEEDED:
            return
        anew = redriven(run, of, NOW, 3_600)
        for old, new in zip(run.tasks, anew.tasks, strict=True):
            if old is not None and old.state is TaskState.SUCCEEDED:
                assert new == old
            else:
                assert new is None or new.epoch == anew.epoch
        run = anew


@given(of=graphs(), data=st.data())
def test_processes_that_know_different_ends_never_contradict_one_another(of, data):
    """The order of ends changes nothing. Under `fail_fast` it may: the first failure decides what has not started."""
    of = replace(of, on_failure=OnFailure.CONTINUE)
    run = run_of(workflow_of(of))
    while not run.state.is_terminal:
        indexes = run.open_tasks()
        ends = {index: data.draw(ENDS) for index in indexes}
        everything = in_order(run, of, ends, indexes)
        assert in_order(run, of, ends, data.draw(st.permutations(indexes))) == everything
        run = everything


def in_order(run: Run, of: Graph, ends: dict[int, State], order: list[int]) -> Run:
    for index in order:
        execution_id = execution_of(run, of, index)
        assert execution_id is not None
        after = recorded(run, of, {execution_id: ends[index]})
        assert only_records_ends(run, after)
        run = decided(after, of, NOW)
    return run


@given(of=graphs(), data=st.data())
def test_fail_fast_cancels_all_but_handlers_and_stops_what_has_not_started(of, data):
    run = run_of(workflow_of(of))
    while not run.state.is_terminal:
        run = one_end(data, run, of)
        if run.state is not RunState.FAILING:
            continue
        assert of.on_failure is OnFailure.FAIL_FAST
        stopped = to_be_stopped(run, of)
        for index, node in enumerate(of.nodes):
            task = run.tasks[index]
            if node.run_if is not RunIf.ANY_FAILED:
                assert task is not None
                assert not task.is_open or index in stopped
            else:
                assert index not in stopped


@given(of=graphs(), data=st.data())
def test_a_run_is_failed_exactly_if_a_failure_has_no_successful_handler(of, data):
    run = ends_by_itself(data, run_of(workflow_of(of)), of, may_cancel=False)
    by_key = {node.key: task.state for node, task in zip(of.nodes, run.tasks, strict=True) if task}
    unhandled = [
        key
        for key, state in by_key.items()
        if state is TaskState.FAILED
        and not any(
            key in node.after and node.run_if is RunIf.ANY_FAILED and by_key[node.key] is TaskState.SUCCEEDED
            for node in of.nodes
        )
    ]
    assert (run.state is RunState.FAILED) == bool(unhandled)
