"""What becomes of a run when its tasks end, it is cancelled, its deadline passes, or it is redriven."""

import pytest

from shared.domain.errors import InvalidStateError
from shared.domain.executions.states import State
from shared.domain.workflows.graph import Graph, Node, OnFailure, RunIf
from shared.domain.workflows.run import Run, RunState, TaskReason, TaskState
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
from shared.domain.workflows.workflow import task_execution
from tests.support.workflows import NOW, graph, node, run_of, workflow_of

HANDLER = RunIf.ANY_FAILED


def begun(*nodes: Node, on_failure: OnFailure = OnFailure.FAIL_FAST) -> tuple[Run, Graph]:
    of = graph(*nodes, on_failure=on_failure)
    return run_of(workflow_of(of)), of


def ended(run: Run, of: Graph, now_ms: int = NOW + 1_000, **ends: State) -> Run:
    for key, state in ends.items():
        execution_id = execution_of(run, of, of.indexes()[key])
        assert execution_id is not None, f"{key} was not chosen"
        run = decided(recorded(run, of, {execution_id: state}), of, now_ms)
    return run


def states(run: Run, of: Graph) -> dict[str, str]:
    pairs = zip(of.nodes, run.tasks, strict=True)
    return {each.key: str(task.state) if task else "waits" for each, task in pairs}


def test_a_run_begins_with_the_tasks_that_wait_for_none():
    run, of = begun(node("a"), node("b"), node("c", "a", "b"))
    assert states(run, of) == {"a": "chosen", "b": "chosen", "c": "waits"}


def test_a_join_is_chosen_once_all_its_predecessors_have_succeeded():
    run, of = begun(node("a"), node("b"), node("c", "a", "b"))
    first = ended(run, of, a=State.SUCCEEDED)
    assert states(first, of)["c"] == "waits"
    assert only_records_ends(run, first)
    both = ended(first, of, b=State.SUCCEEDED)
    assert newly_chosen(first, both) == [2]
    assert not only_records_ends(first, both)
    assert ended(both, of, c=State.SUCCEEDED).state is RunState.SUCCEEDED


def test_an_end_of_another_execution_does_not_count():
    run, of = begun(node("a"))
    other, _ = begun(node("b"))
    foreign = execution_of(other, graph(node("b")), 0)
    assert foreign is not None
    assert recorded(run, of, {foreign: State.FAILED}) == run


def test_fail_fast_cancels_what_has_not_started_and_runs_the_handler_of_the_failed_task():
    run, of = begun(
        node("a"),
        node("b"),
        node("c", "b"),
        node("h", "a", run_if=HANDLER),
        node("n", "a", "h", run_if=RunIf.ALL_ENDED),
    )
    run = ended(run, of, a=State.FAILED)
    assert run.state is RunState.FAILING
    assert states(run, of) == {
        "a": "failed",
        "b": "chosen",
        "c": "cancelled",
        "h": "chosen",
        "n": "cancelled",
    }
    assert [of.nodes[index].key for index in to_be_stopped(run, of)] == ["b"]
    run = ended(run, of, b=State.CANCELLED, h=State.SUCCEEDED)
    assert run.state is RunState.SUCCEEDED, "the only failure was handled"


def test_fail_fast_runs_the_handler_of_a_task_that_fails_later():
    run, of = begun(node("a"), node("b"), node("h", "b", run_if=HANDLER))
    run = ended(run, of, a=State.FAILED)
    assert states(run, of)["h"] == "waits"
    run = ended(run, of, b=State.FAILED)
    assert states(run, of)["h"] == "chosen"
    assert ended(run, of, h=State.SUCCEEDED).state is RunState.FAILED, "nothing handles the failure of a"


def test_continue_skips_what_can_no_longer_run_and_runs_the_rest():
    run, of = begun(
        node("a"),
        node("b"),
        node("c", "a"),
        node("d", "b"),
        node("e", "c", run_if=RunIf.ALL_ENDED),
        on_failure=OnFailure.CONTINUE,
    )
    run = ended(run, of, a=State.FAILED, b=State.SUCCEEDED)
    assert states(run, of) == {"a": "failed", "b": "succeeded", "c": "skipped", "d": "chosen", "e": "chosen"}
    skipped = run.tasks[2]
    assert skipped is not None
    assert skipped.reason is TaskReason.UPSTREAM_NOT_SUCCEEDED
    assert ended(run, of, d=State.SUCCEEDED, e=State.SUCCEEDED).state is RunState.FAILED


def test_a_run_whose_handlers_were_skipped_because_nothing_failed_has_succeeded():
    run, of = begun(node("a"), node("h", "a", run_if=HANDLER))
    run = ended(run, of, a=State.SUCCEEDED)
    assert states(run, of)["h"] == "skipped"
    assert run.state is RunState.SUCCEEDED


def test_a_failed_handler_fails_the_run():
    run, of = begun(node("a"), node("h", "a", run_if=HANDLER), on_failure=OnFailure.CONTINUE)
    assert ended(run, of, a=State.FAILED, h=State.FAILED).state is RunState.FAILED


def test_a_failure_beside_a_handled_one_fails_the_run():
    run, of = begun(node("a"), node("b"), node("h", "a", run_if=HANDLER), on_failure=OnFailure.CONTINUE)
    assert ended(run, of, a=State.FAILED, b=State.FAILED, h=State.SUCCEEDED).state is RunState.FAILED


def test_a_cancelled_run_chooses_nothing_and_ends_when_no_task_runs():
    run, of = begun(node("a"), node("b", "a", run_if=RunIf.ALL_ENDED))
    run = cancelled(run, of, NOW + 1_000)
    assert run.state is RunState.CANCELLING
    assert states(run, of) == {"a": "chosen", "b": "cancelled"}
    assert to_be_stopped(run, of) == [0]
    run = ended(run, of, a=State.SUCCEEDED)
    assert run.state is RunState.CANCELLED
    with pytest.raises(InvalidStateError):
        cancelled(run, of, NOW + 2_000)


def test_a_run_past_its_deadline_chooses_nothing():
    run, of = begun(node("a"), node("b", "a"))
    late = ended(run, of, run.deadline_at, a=State.SUCCEEDED)
    assert late.state is RunState.TIMED_OUT
    assert states(late, of)["b"] == "cancelled"
    open_run = decided(run, of, run.deadline_at)
    assert open_run.state is RunState.TIMING_OUT


def test_no_attempt_of_a_task_begins_behind_the_deadline_however_late_it_was_chosen():
    of = graph(node("a"), node("b", "a"))
    workflow = workflow_of(of, deadline_seconds=60)
    run = run_of(workflow)
    for at in (NOW + 1, run.deadline_at - 1_999, run.deadline_at - 1_000):
        chosen = ended(run, of, at, a=State.SUCCEEDED)
        gives_up_at = task_execution(workflow, chosen, 1, created_at=at).gives_up_at
        assert gives_up_at is not None
        assert run.deadline_at - 1_000 < gives_up_at <= run.deadline_at
    late = ended(run, of, run.deadline_at - 999, a=State.SUCCEEDED)
    assert late.state is RunState.TIMED_OUT


def test_the_last_success_behind_the_deadline_is_a_success():
    run, of = begun(node("a"))
    assert ended(run, of, run.deadline_at + 1, a=State.SUCCEEDED).state is RunState.SUCCEEDED


def test_a_redrive_chooses_anew_what_has_not_succeeded():
    run, of = begun(node("a"), node("b"), node("c", "a", "b"), on_failure=OnFailure.CONTINUE)
    failed = ended(run, of, a=State.SUCCEEDED, b=State.FAILED)
    assert failed.state is RunState.FAILED
    anew = redriven(failed, of, NOW + 5_000, 60)
    assert (anew.state, anew.epoch, anew.deadline_at) == (RunState.RUNNING, 2, NOW + 65_000)
    assert states(anew, of) == {"a": "succeeded", "b": "chosen", "c": "waits"}
    assert execution_of(anew, of, 1) != execution_of(failed, of, 1)
    assert execution_of(anew, of, 0) == execution_of(failed, of, 0)
    old = execution_of(failed, of, 1)
    assert old is not None
    assert recorded(anew, of, {old: State.FAILED}) == anew, "an end of an earlier epoch does not count"
    with pytest.raises(InvalidStateError):
        redriven(anew, of, NOW + 6_000, 60)


def test_a_run_that_has_succeeded_is_not_redriven():
    run, of = begun(node("a"))
    with pytest.raises(InvalidStateError):
        redriven(ended(run, of, a=State.SUCCEEDED), of, NOW, 60)


def test_a_task_alone_that_was_cancelled_leaves_its_run_cancelled():
    run, of = begun(node("a"), node("b", "a"))
    run = ended(run, of, a=State.CANCELLED)
    assert states(run, of)["b"] == "skipped"
    assert run.state is RunState.CANCELLED


def test_the_execution_of_a_task_is_the_same_in_each_process_and_gives_up_at_the_deadline():
    of = graph(node("a"))
    workflow = workflow_of(of, deadline_seconds=60)
    run = run_of(workflow)
    one, other = (task_execution(workflow, run, 0, created_at=at) for at in (NOW, NOW + 9))
    assert (one.id, one.fingerprint, one.task) == (other.id, other.fingerprint, other.task)
    assert one.gives_up_at == run.deadline_at
    assert not one.is_guarded, "the first claim needs no second one"
    assert one.id == execution_of(run, of, 0)
    assert one.job_id == workflow.id
    assert run.tasks[0].state == TaskState.CHOSEN  # type: ignore[union-attr]
