"""Runs of workflows from their request to their end."""

from dataclasses import replace

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.outcome_callbacks import CallbackTarget, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import (
    CallbackUrlNotAllowedError,
    IdempotencyKeyReusedError,
    InvalidStateError,
    InvalidValueError,
    NotFoundError,
    PreconditionFailedError,
)
from shared.domain.executions.callback_token import TOKEN_HEADER
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.workflows.graph import OnFailure, RunIf
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.run import RunState
from tests.support.builders import TENANT
from tests.support.fakes.sender import succeeds
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

DIAMOND = (node("a"), node("b", "a"), node("c", "a"), node("d", "b", "c"))


def test_a_diamond_runs_each_task_once_and_in_order():
    world = WorkflowWorld()
    run = world.start(world.define(*DIAMOND))
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"a": 1, "b": 1, "c": 1, "d": 1}
    order = [call.callback.url.rpartition("/")[2] for call in world.sender.calls]
    assert (order[0], order[3]) == ("a", "d")
    assert world.table.runs[run.id].expires_at_s is not None


def test_a_task_is_an_execution_of_its_workflow_and_no_job():
    world = WorkflowWorld()
    workflow = world.define(*DIAMOND)
    run = world.start(workflow)
    task = world.execution(run, workflow.graph, "a")
    assert (task.job_id, task.is_own_job) == (workflow.id, False)
    assert task.gives_up_at == run.deadline_at
    with pytest.raises(NotFoundError):
        world.find_job.execute(TENANT, f"job_{task.id.body}")


def test_a_large_request_stands_apart_and_arrives():
    world = WorkflowWorld()
    workflow = world.define(node("a"), body=b"x" * 5_000)
    assert workflow.calls[0].payload_id is not None
    run = world.start(workflow)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.sender.calls[0].callback.body == b"x" * 5_000


def test_a_failure_runs_its_handler_and_cancels_what_has_not_started():
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    handler = node("h", "b", run_if=RunIf.ANY_FAILED)
    workflow = world.define(*DIAMOND, handler)
    run = world.start(workflow)
    world.work()
    states = world.states(run, workflow.graph)
    assert (states["b"], states["d"], states["h"]) == ("failed", "cancelled", "succeeded")
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called()["d"] == 0


def test_continue_skips_what_follows_a_failure():
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    workflow = world.define(*DIAMOND, on_failure=OnFailure.CONTINUE)
    run = world.start(workflow)
    world.work()
    assert world.states(run, workflow.graph)["d"] == "skipped"
    assert world.stored(run).state is RunState.FAILED
    assert world.called() == {"a": 1, "b": 1, "c": 1}


def test_a_failed_attempt_that_is_retried_ends_no_task():
    world = WorkflowWorld()
    world.answers["a"] = FAILS
    workflow = world.define(node("a"), node("b", "a"), retry=RetryPolicy(max_attempts=3))
    run = world.start(workflow)
    world.work_one()
    assert world.execution(run, workflow.graph, "a").state is State.WAITING
    assert world.states(run, workflow.graph) == {"a": "chosen", "b": "waits"}
    del world.answers["a"]
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"a": 2, "b": 1}


def test_a_repeated_start_finds_the_first_run():
    world = WorkflowWorld()
    workflow, other = world.define(*DIAMOND), world.define(node("x"))
    run = world.start(workflow, "key")
    assert world.start(workflow, "key") == run
    assert len(world.table.runs) == 1
    with pytest.raises(IdempotencyKeyReusedError):
        world.start(other, "key")


def test_a_cancelled_run_calls_nothing_any_more():
    world = WorkflowWorld()
    workflow = world.define(*DIAMOND)
    run = world.start(workflow)
    assert world.cancel(run).state is RunState.CANCELLED
    world.work()
    assert world.called() == {}
    assert world.execution(run, workflow.graph, "a").progress.end_reason is EndReason.CANCELLED
    assert world.cancel(run).state is RunState.CANCELLED, "a repeated request finds it cancelled"


def test_a_cancellation_ends_waiting_retries_and_makes_running_attempts_the_last():
    world = WorkflowWorld()
    world.answers["a"] = FAILS
    workflow = world.define(node("a"), node("b"), node("c", "a", "b"), retry=RetryPolicy(max_attempts=3))
    run = world.start(workflow)
    seen: list[RunState] = []

    def cancelling(callback):
        if callback.url.endswith("/b"):
            seen.append(world.cancel(run).state)
        return FAILS

    world.sender.answer_to = cancelling
    world.work()
    assert seen == [RunState.CANCELLING]
    assert world.stored(run).state is RunState.CANCELLED
    assert world.called()["b"] == 1
    assert world.called()["c"] == 0


def test_a_run_that_has_ended_is_not_cancelled():
    world = WorkflowWorld()
    run = world.start(world.define(node("a")))
    world.work()
    with pytest.raises(InvalidStateError):
        world.cancel(run)


def test_a_run_is_timed_out_soon_after_its_deadline():
    """The open task lies in another minute than its run: no pass over the run comes because of the task."""
    world = WorkflowWorld()
    retry = RetryPolicy(max_attempts=2, delays_seconds=(2_000,))
    workflow = world.define(node("a"), node("b", "a"), node("c", "b"), retry=retry, deadline_seconds=2_400)
    world.answers["b"] = FAILS
    run = world.start(workflow)
    world.clock.time_ms += 120_000
    world.work_one()
    world.work_one()
    world.queue.messages.clear()
    assert world.execution(run, workflow.graph, "b").state is State.WAITING
    while world.clock.time_ms < run.deadline_at - 180_000:
        world.sweep_after()
        world.queue.messages.clear()
    assert world.stored(run).state is RunState.RUNNING
    world.sweep_after(2)
    assert world.stored(run).state is RunState.TIMED_OUT
    assert world.states(run, workflow.graph) == {"a": "succeeded", "b": "cancelled", "c": "cancelled"}
    assert world.called() == {"a": 1, "b": 1}


def test_a_task_that_is_due_behind_the_deadline_is_not_called():
    world = WorkflowWorld()
    workflow = world.define(node("a"), deadline_seconds=60)
    run = world.start(workflow)
    world.clock.time_ms += 90_000
    world.work()
    assert world.called() == {}
    assert world.stored(run).state is not RunState.SUCCEEDED
    assert world.stored(run).state.is_terminal


def test_a_redrive_repeats_what_has_not_succeeded():
    world = WorkflowWorld()
    world.answers["c"] = FAILS
    workflow = world.define(*DIAMOND, on_failure=OnFailure.CONTINUE)
    run = world.start(workflow)
    world.work()
    assert world.stored(run).state is RunState.FAILED
    del world.answers["c"]
    anew = world.redriven(run, 1)
    assert (anew.epoch, anew.state) == (2, RunState.RUNNING)
    assert world.redriven(run, 1).epoch == 2, "twice pressed is once"
    with pytest.raises(InvalidStateError):
        world.redriven(run)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"a": 1, "b": 1, "c": 2, "d": 1}


def test_a_redrive_with_nothing_left_to_run_ends_at_once():
    world = WorkflowWorld()
    workflow = world.define(node("a"), node("h", "a", run_if=RunIf.ANY_FAILED))
    run = world.start(workflow)

    def cancelling(callback):
        world.cancel(run)
        return succeeds(callback)

    world.sender.answer_to = cancelling
    world.work()
    assert world.stored(run).state is RunState.CANCELLED
    assert world.states(run, workflow.graph) == {"a": "succeeded", "h": "cancelled"}
    assert world.redriven(run).state is RunState.SUCCEEDED
    assert world.states(run, workflow.graph) == {"a": "succeeded", "h": "skipped"}


def test_a_task_is_not_redriven_without_its_run():
    world = WorkflowWorld()
    world.answers["a"] = FAILS
    workflow = world.define(node("a"))
    run = world.start(workflow)
    world.work()
    failed = world.execution(run, workflow.graph, "a")
    assert failed.state is State.FAILED
    with pytest.raises(InvalidStateError):
        world.redrive_execution(failed)


def test_a_foreign_run_looks_like_an_unknown_one():
    world = WorkflowWorld()
    run = world.start(world.define(node("a")))
    with pytest.raises(NotFoundError):
        world.cancel_run.execute("tnt_other", run_id_text(run.id))
    with pytest.raises(NotFoundError):
        world.cancel_run.execute(TENANT, "run_nonsense")


def test_a_deleted_workflow_starts_no_run_and_open_runs_go_on():
    world = WorkflowWorld()
    workflow = world.define(*DIAMOND)
    run = world.start(workflow)
    world.put_workflow.delete(TENANT, workflow.id)
    with pytest.raises(NotFoundError):
        world.start(workflow)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED


def test_an_update_makes_the_next_revision_for_later_runs():
    world = WorkflowWorld()
    workflow = world.define(node("a"))
    run = world.start(workflow)
    new = world.new_workflow(node("a"), node("z", "a"))
    with pytest.raises(PreconditionFailedError):
        world.put_workflow.update(world.tenant, workflow.id, new, revision=7)
    changed = world.put_workflow.update(world.tenant, workflow.id, new, revision=1)
    assert changed.revision == 2
    later = world.start(changed)
    world.work()
    assert (len(world.stored(run).tasks), len(world.stored(later).tasks)) == (1, 2)
    assert world.called() == {"a": 2, "z": 1}


def test_a_request_to_a_forbidden_address_is_refused_with_its_path():
    world = WorkflowWorld()
    with pytest.raises(InvalidValueError) as caught:
        world.define(node("a"), node("b"), url="http://127.0.0.1/{key}")
    assert all(isinstance(error, CallbackUrlNotAllowedError) for error in caught.value.each())
    assert [error.path for error in caught.value.each()] == [
        ("tasks", "0", "request", "url"),
        ("tasks", "1", "request", "url"),
    ]


def test_a_suspended_tenant_delays_tasks_and_skips_none():
    """A task waits, as a redrive does: skipped, it would end its run although nothing went wrong."""
    world = WorkflowWorld()
    workflow = world.define(node("a"))
    run = world.start(workflow)
    assert world.execution(run, workflow.graph, "a").runs_when_suspended


def test_an_asynchronous_task_ends_with_its_report():
    accepted = CallbackResponse(reason=Reason.OK, duration_ms=5, status=202, async_accepted=True)
    world = WorkflowWorld()
    world.answers["a"] = accepted
    workflow = world.define(node("a"), node("b", "a"))
    run = world.start(workflow)
    world.work()
    assert world.states(run, workflow.graph) == {"a": "chosen", "b": "waits"}
    token = dict(world.sender.calls[0].callback.headers)[TOKEN_HEADER]
    world.report_outcome.complete(str(world.execution(run, workflow.graph, "a").id), token)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED


def test_a_task_sends_no_callback_of_its_tenant():
    world = WorkflowWorld()
    target = CallbackTarget(sealed_url=b"sealed", destination="d")
    callbacks = OutcomeCallbacks(on_success=target, on_failure=target)
    world.tenants.tenants[TENANT] = replace(world.tenants.tenants[TENANT], callbacks=callbacks)
    world.start(world.define(node("a"), node("b", "a")))
    world.work()
    tasks, others = list[Execution](), list[Execution]()
    for row in world.table.executions.values():
        (tasks if row.execution.task is not None else others).append(row.execution)
    assert [each.progress.notification for each in tasks] == [None, None]
    assert [each.ended_run is not None for each in others] == [True], "its run does"
