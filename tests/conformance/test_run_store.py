"""RunStore: no end of a task is lost, no choice is made twice, and none after the run was cancelled."""

from dataclasses import replace

import pytest

from shared.domain.delivery.outcome_callbacks import CallbackTarget
from shared.domain.errors import NotFoundError
from shared.domain.executions.notification import notification
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import MAX_TASKS, Graph, Node, OnFailure, RunIf
from shared.domain.workflows.identities import run_of as run_id_of
from shared.domain.workflows.run import BulkRedrive, Parent, Run, RunState, TaskState
from shared.domain.workflows.run_end import ended_run, opened
from shared.domain.workflows.run_rules import cancelled, decided, execution_of, recorded, redriven
from shared.domain.workflows.workflow import new_run, task_execution
from tests.support.builders import EXPIRES_AT_S
from tests.support.conformance.labs import Lab
from tests.support.workflows import COUNTS, NOW, WORKFLOW_ID, graph, node, run_id, run_of, workflow_of

JOIN = graph(node("a"), node("b"), node("c", "a", "b"), node("h", "a", run_if=RunIf.ANY_FAILED))


def stored(lab: Lab, of: Graph = JOIN) -> Run:
    run = run_of(workflow_of(of))
    assert lab.runs.put_if_absent(run) is None
    return run


def of_parent(of: Graph = JOIN, state: RunState = RunState.RUNNING) -> Run:
    """The run that an execution of a job started."""
    workflow = workflow_of(of)
    parent = Parent(execution=run_id(NOW, 3), job_id="job_nightly")
    return new_run(workflow, run_id_of(parent.execution), COUNTS, b"r" * 16, NOW, parent=parent, state=state)


def with_end(run: Run, key: str, state: State = State.SUCCEEDED, of: Graph = JOIN) -> Run:
    execution_id = execution_of(run, of, of.indexes()[key])
    assert execution_id is not None
    return recorded(run, of, {execution_id: state})


def now_stored(lab: Lab, run_id: ExecutionId) -> Run:
    run = lab.runs.get(run_id)
    assert run is not None
    return run


def test_a_run_is_read_back_whole(lab: Lab) -> None:
    run = stored(lab)
    assert lab.runs.get(run.id) == run
    assert lab.runs.get_many([run.id, run_id(NOW + 1)]) == {run.id: run}
    assert lab.runs.get(run_id(NOW + 1)) is None


def test_name_of_the_input_of_a_run_stays_through_changes(lab: Lab) -> None:
    run = replace(run_of(workflow_of(JOIN)), input_id="0123456789abcdef" * 2)
    assert lab.runs.put_if_absent(run) is None
    assert lab.runs.get(run.id) == run
    assert lab.runs.update(run, with_end(run, "a")).run.input_id == run.input_id


def test_a_repeated_put_finds_the_run_as_it_is(lab: Lab) -> None:
    run = stored(lab)
    after = lab.runs.update(run, with_end(run, "a")).run
    assert lab.runs.put_if_absent(run) == after


def test_ends_of_different_tasks_that_know_nothing_of_one_another_both_count(lab: Lab) -> None:
    run = stored(lab)
    first = lab.runs.update(run, with_end(run, "a"))
    second = lab.runs.update(run, with_end(run, "b"))
    assert first.is_written
    assert second.is_written
    assert second.run == with_end(with_end(run, "a"), "b"), "the second shows both"
    assert now_stored(lab, run.id) == second.run


def test_joined_ends_are_recorded_all_or_none_and_beside_those_of_others(lab: Lab) -> None:
    wide = graph(*(node(key) for key in "abcd"))
    run = stored(lab, wide)
    two = with_end(with_end(run, "a", of=wide), "b", State.FAILED, wide)
    others = with_end(with_end(run, "c", of=wide), "d", State.CANCELLED, wide)
    assert lab.runs.update(run, two).is_written
    joined = lab.runs.update(run, others)
    assert joined.is_written
    assert [task and task.state.value for task in joined.run.tasks] == [
        "succeeded",
        "failed",
        "succeeded",
        "cancelled",
    ]


def test_joined_ends_of_which_one_is_recorded_are_refused_and_lose_none(lab: Lab) -> None:
    wide = graph(*(node(key) for key in "abcd"))
    run = stored(lab, wide)
    first = lab.runs.update(run, with_end(run, "a", State.FAILED, wide)).run
    refused = lab.runs.update(run, with_end(with_end(run, "a", of=wide), "b", of=wide))
    assert not refused.is_written
    assert refused.run == first == now_stored(lab, run.id)
    rest = lab.runs.update(first, with_end(first, "b", of=wide))
    assert rest.is_written
    assert now_stored(lab, run.id) == with_end(first, "b", of=wide)


def test_an_end_that_is_recorded_does_not_change(lab: Lab) -> None:
    run = stored(lab)
    failed = lab.runs.update(run, with_end(run, "a", State.FAILED)).run
    refused = lab.runs.update(run, with_end(run, "a", State.SUCCEEDED))
    assert not refused.is_written
    assert refused.run == failed


def test_a_repeated_update_counts_as_written(lab: Lab) -> None:
    run = stored(lab)
    after = decided(with_end(with_end(run, "a"), "b"), JOIN, NOW + 5)
    first, again = lab.runs.update(run, after), lab.runs.update(run, after)
    assert first.is_written
    assert again.is_written
    assert again.run == first.run == after


def test_a_task_is_chosen_once(lab: Lab) -> None:
    run = stored(lab)
    both = lab.runs.update(run, with_end(with_end(run, "a"), "b")).run
    one = lab.runs.update(both, decided(both, JOIN, NOW + 5))
    other = lab.runs.update(both, decided(both, JOIN, NOW + 6))
    assert one.is_written
    assert not other.is_written
    assert other.run == one.run


def test_task_is_not_chosen_after_its_run_was_cancelled_but_its_end_counts(lab: Lab) -> None:
    run = stored(lab)
    chooses = decided(with_end(with_end(run, "a"), "b"), JOIN, NOW + 5)
    stopped = lab.runs.update(run, cancelled(run, JOIN, NOW + 4)).run
    assert not lab.runs.update(run, chooses).is_written
    assert now_stored(lab, run.id) == stopped
    ended = lab.runs.update(run, with_end(run, "a"))
    assert ended.is_written
    assert ended.run.state is RunState.CANCELLING
    assert ended.run.tasks[2] == stopped.tasks[2], "the cancelled task stays cancelled"


def test_a_run_ends_once_and_then_has_an_expiry(lab: Lab) -> None:
    of = graph(node("a"))
    run = stored(lab, of)
    after = decided(with_end(run, "a", of=of), of, NOW + 5)
    assert after.state is RunState.SUCCEEDED
    assert lab.runs.update(run, after, expires_at_s=EXPIRES_AT_S).is_written
    late = decided(with_end(run, "a", State.FAILED, of), of, NOW + 6)
    assert not lab.runs.update(run, late, expires_at_s=EXPIRES_AT_S).is_written
    assert now_stored(lab, run.id) == after


def test_notification_of_an_end_is_stored_with_it_and_forgotten_by_the_redrive(lab: Lab) -> None:
    of, named = graph(node("a")), run_id(NOW + 5, 3)
    run = stored(lab, of)
    ended = replace(decided(with_end(run, "a", State.FAILED, of), of, NOW + 5), notification=named)
    assert lab.runs.update(run, ended, expires_at_s=EXPIRES_AT_S).is_written
    assert now_stored(lab, run.id) == ended
    page = lab.executions.scan(run.id.bucket, run.id.shard, after=None, limit=9)
    assert [(row.is_open, row.notification) for row in page.runs] == [(False, named)]
    anew = redriven(ended, of, NOW + 9, 60)
    assert lab.runs.update(ended, anew).is_written
    assert now_stored(lab, run.id) == anew
    page = lab.executions.scan(run.id.bucket, run.id.shard, after=None, limit=9)
    assert [(row.is_open, row.notification) for row in page.runs] == [(True, None)]


@pytest.mark.parametrize("size", [1, MAX_TASKS])
def test_notification_of_a_run_is_read_back_with_the_run_as_it_ended(lab: Lab, size: int) -> None:
    of = graph(*(node(f"t{number}") for number in range(size)), on_failure=OnFailure.CONTINUE)
    workflow = workflow_of(of)
    run = run_of(workflow)
    for number in range(size):
        run = with_end(run, f"t{number}", State.FAILED if number % 2 else State.SUCCEEDED, of)
    run = decided(run, of, NOW + 5)
    end = ended_run(workflow, run)
    listener = CallbackTarget(sealed_url=b"sealed", destination="d" * 10)
    told = notification(end, run_id(NOW + 5, 3), listener, is_own=True, created_at=NOW + 5)
    assert lab.executions.put_if_absent(told) is None
    read = lab.executions.get(told.id)
    assert read == told
    assert read.ended_run is not None
    assert opened(read, read.ended_run) == replace(run, fingerprint=b"")
    assert (read.notification_of, read.job_id) == (told.id, workflow.id)


def test_bulk_redrive_of_a_run_is_named_in_the_epoch_that_it_began_alone(lab: Lab) -> None:
    of = graph(node("a"))
    run = stored(lab, of)
    ended = decided(with_end(run, "a", State.FAILED, of), of, NOW + 5)
    assert lab.runs.update(run, ended, expires_at_s=EXPIRES_AT_S).is_written
    own = BulkRedrive(task="rdr_01jmg4bfzkg2c8k9w3qdm7vtqn6y", dead_letter=run_id(NOW, 4))
    begun = redriven(ended, of, NOW + 9, 60, own)
    assert lab.runs.update(ended, begun).run == begun
    assert now_stored(lab, run.id).bulk_redrive == own
    failed = decided(with_end(begun, "a", State.FAILED, of), of, NOW + 12)
    assert lab.runs.update(begun, failed, expires_at_s=EXPIRES_AT_S).is_written
    assert now_stored(lab, run.id).bulk_redrive == own
    alone = redriven(failed, of, NOW + 15, 60)
    assert lab.runs.update(failed, alone).is_written
    assert now_stored(lab, run.id) == alone
    assert alone.bulk_redrive is None


def test_a_redrive_is_made_once_and_a_choice_of_the_former_epoch_is_refused(lab: Lab) -> None:
    of = graph(
        node("a"), node("b", "a", run_if=RunIf.ANY_FAILED), node("c", "b"), on_failure=OnFailure.CONTINUE
    )
    run = stored(lab, of)
    failed = lab.runs.update(run, with_end(run, "a", State.FAILED, of)).run
    slow = decided(failed, of, NOW + 5)
    chosen = lab.runs.update(failed, slow).run
    done = lab.runs.update(chosen, with_end(chosen, "b", State.FAILED, of)).run
    ended = lab.runs.update(done, decided(done, of, NOW + 7), expires_at_s=EXPIRES_AT_S).run
    assert ended.state is RunState.FAILED
    anew = redriven(ended, of, NOW + 9, 60)
    assert lab.runs.update(ended, anew).is_written
    assert now_stored(lab, run.id) == anew
    rival = lab.runs.update(ended, redriven(ended, of, NOW + 10, 60))
    assert not rival.is_written
    assert not lab.runs.update(failed, slow).is_written
    assert now_stored(lab, run.id) == anew


def test_all_tasks_of_the_largest_run_change_in_one_update(lab: Lab) -> None:
    nodes = [node("first"), *(Node(key=f"t{number}", after=("first",)) for number in range(MAX_TASKS - 1))]
    of = graph(*nodes)
    run = stored(lab, of)
    all_chosen = decided(with_end(run, "first", of=of), of, NOW + 5)
    assert lab.runs.update(run, all_chosen).is_written
    stopped = all_chosen
    for number in range(MAX_TASKS - 1):
        stopped = with_end(stopped, f"t{number}", State.FAILED, of)
    ended = decided(stopped, of, NOW + 9)
    assert lab.runs.update(all_chosen, ended, expires_at_s=EXPIRES_AT_S).is_written
    anew = redriven(ended, of, NOW + 10, 60)
    assert lab.runs.update(ended, anew).is_written
    assert now_stored(lab, run.id) == anew


def test_run_keeps_the_execution_that_started_it_through_its_end_and_a_redrive(lab: Lab) -> None:
    of = graph(node("a"))
    run = of_parent(of)
    assert lab.runs.put_if_absent(run) is None
    assert lab.runs.put_if_absent(replace(run, parent=None)) == run
    assert lab.runs.get_many([run.id]) == {run.id: run}
    failed = lab.runs.update(run, with_end(run, "a", State.FAILED, of)).run
    ended = lab.runs.update(failed, decided(failed, of, NOW + 5), expires_at_s=EXPIRES_AT_S).run
    assert (ended.state, ended.parent) == (RunState.FAILED, run.parent)
    anew = lab.runs.update(ended, redriven(ended, of, NOW + 9, 60)).run
    assert (anew.epoch, anew.parent) == (2, run.parent)
    assert now_stored(lab, run.id) == anew


def test_tombstone_of_a_run_keeps_the_execution_that_would_have_started_it(lab: Lab) -> None:
    run, tombstone = of_parent(), of_parent(state=RunState.CANCELLING)
    assert tombstone.state is RunState.CANCELLED
    assert lab.runs.put_if_absent(tombstone, expires_at_s=EXPIRES_AT_S) is None
    assert lab.runs.put_if_absent(run) == tombstone == now_stored(lab, run.id)
    assert now_stored(lab, run.id).parent == run.parent


def test_sweepers_see_of_a_run_which_execution_started_it(lab: Lab) -> None:
    run, by_request = of_parent(), replace(of_parent(), id=run_id(NOW, 9), parent=None)
    assert run.parent is not None
    for each in (run, by_request):
        lab.runs.put_if_absent(each)
    shard = run.parent.execution.bucket, run.parent.execution.shard
    assert shard == (by_request.id.bucket, by_request.id.shard), "one shard has all three"
    rows = {row.id: row for row in lab.executions.scan(*shard, after=None, limit=9).runs}
    assert {key: row.parent for key, row in rows.items()} == {
        run.id: run.parent.execution,
        by_request.id: None,
    }
    listed = lab.executions.read_rows(*shard, [row.sort_key for row in rows.values()])
    assert {row.id: row for row in listed.runs} == rows


def test_an_update_of_an_absent_run_is_refused(lab: Lab) -> None:
    run = run_of(workflow_of(JOIN))
    with pytest.raises(NotFoundError):
        lab.runs.update(run, with_end(run, "a"))


def test_the_runs_of_a_workflow_are_listed_latest_first(lab: Lab) -> None:
    runs = [run_of(workflow_of(JOIN), NOW + 1_000 * number) for number in range(4)]
    for run in runs:
        lab.runs.put_if_absent(run)
    lab.runs.put_if_absent(replace(runs[0], id=run_id(NOW, 9), workflow_id=WORKFLOW_ID[:-1] + "1"))
    latest_first = [run.id for run in reversed(runs)]
    assert lab.runs.page("tnt_a", WORKFLOW_ID, before=None, limit=3) == latest_first[:3]
    assert lab.runs.page("tnt_a", WORKFLOW_ID, before=latest_first[2], limit=3) == latest_first[3:]
    assert lab.runs.page("tnt_b", WORKFLOW_ID, before=None, limit=3) == []


def test_sweepers_see_a_run_and_the_run_of_a_task_and_others_see_neither(lab: Lab) -> None:
    workflow = workflow_of(JOIN)
    run = stored(lab)
    task = task_execution(workflow, run, 0, created_at=NOW)
    lab.executions.put_if_absent(task)
    assert lab.executions.get(task.id) == task
    shards = {(run.id.bucket, run.id.shard), (task.id.bucket, task.id.shard)}
    pages = [lab.executions.scan(*shard, after=None, limit=9) for shard in shards]
    [row] = [row for page in pages for row in page.rows]
    [run_row] = [row for page in pages for row in page.runs]
    assert row.task == task.task
    assert (run_row.id, run_row.is_open, run_row.deadline_at) == (run.id, True, run.deadline_at)
    assert all(page.unreadable == () for page in pages)
    pending = [lab.executions.scan_pending(*shard, after=None, limit=9) for shard in shards]
    assert [each.wakes for page in pending for each in page.rows] == [task.id]
    assert all(page.unreadable == () for page in pending)
    found = [lab.executions.read_shard(*shard, after=None, limit=9) for shard in shards]
    assert [each.id for page in found for each in page.executions] == [task.id]
    assert all(page.unreadable == () for page in found)
    listed = lab.executions.read_rows(run.id.bucket, run.id.shard, [run_row.sort_key])
    assert listed.runs == (run_row,)
    assert run.tasks[0].state == TaskState.CHOSEN  # type: ignore[union-attr]
