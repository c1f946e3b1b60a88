"""Jobs that start workflows: each execution begins a run, and ends as the run does."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import Recurring
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.timing import Every
from shared.domain.tenancy.suspension import Suspension
from shared.domain.workflows.identities import run_of
from shared.domain.workflows.run import Parent, Run, RunState
from shared.domain.workflows.workflow import new_run
from shared.usecases.chains.stop_running_executions import STOPPING_MS
from shared.usecases.workflows.begin_run import MARGIN_MS
from shared.usecases.workflows.repair_runs import UnsettledRuns
from tests.support.builders import TENANT
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

CHAIN = (node("a"), node("b", "a"))


def begun(world: WorkflowWorld, **fields: Any) -> Execution:
    """An execution whose run has just begun: the call of its first task is still to come."""
    made = world.schedule(world.define(*CHAIN), **fields)
    assert isinstance(made, Execution)
    world.work_one()
    return made


def test_a_due_execution_begins_a_run_and_succeeds_with_it():
    world = WorkflowWorld()
    made = begun(world)
    parent, run = world.parent(made)
    assert (parent.state, run.state) == (State.RUNNING, RunState.RUNNING)
    assert run.parent == Parent(execution=made.id, job_id=made.job_id)
    assert parent.progress.lease_until == run.deadline_at + MARGIN_MS
    assert parent.claimed_at == world.clock.now_ms()
    world.work()
    parent, run = world.parent(made)
    assert (parent.state, run.state) == (State.SUCCEEDED, RunState.SUCCEEDED)
    assert [(each.attempt, each.reason) for each in parent.progress.outcomes] == [(1, Reason.OK)]
    assert world.called() == {"a": 1, "b": 1}


def test_a_failed_run_fails_its_execution_and_announces_it():
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    made = begun(world, on_failure="https://receiver.example/failed")
    world.work()
    parent, run = world.parent(made)
    assert (parent.state, run.state) == (State.FAILED, RunState.FAILED)
    assert parent.progress.end_reason is EndReason.NOT_RETRYABLE
    assert parent.progress.outcomes[-1].reason is Reason.RUN_FAILED
    assert world.called() == {"a": 1, "b": 1, "failed": 1}


def test_a_cancelled_run_cancels_its_execution():
    world = WorkflowWorld()
    made = begun(world)
    world.cancel(world.parent(made)[1])
    parent, run = world.parent(made)
    assert (parent.state, run.state) == (State.CANCELLED, RunState.CANCELLED)
    assert parent.progress.end_reason is EndReason.CANCELLED
    world.work()
    assert not world.called()


def test_a_run_that_reaches_its_deadline_fails_its_execution():
    world = WorkflowWorld()
    made = world.schedule(world.define(*CHAIN, deadline_seconds=120))
    assert isinstance(made, Execution)
    world.work_one()
    world.queue.messages.clear()
    world.sweep_after(6)
    parent, run = world.parent(made)
    assert (parent.state, run.state) == (State.FAILED, RunState.TIMED_OUT)
    assert parent.progress.outcomes[-1].reason is Reason.RUN_TIMED_OUT


def test_a_job_cannot_start_a_workflow_that_does_not_exist():
    world = WorkflowWorld()
    workflow = world.define(*CHAIN)
    for missing in (replace(workflow, id="wfl_100000000000000000000000zzz"), replace(workflow, id="x")):
        with pytest.raises(InvalidValueError) as refused:
            world.schedule(missing)
        assert refused.value.path == ("workflow",)


@pytest.mark.parametrize("expires", [False, True], ids=["deleted", "expired"])
def test_an_execution_fails_without_retries_when_its_workflow_was_deleted(expires):
    world = WorkflowWorld()
    workflow = world.define(*CHAIN)
    made = world.schedule(workflow)
    assert isinstance(made, Execution)
    world.put_workflow.delete(TENANT, workflow.id)
    if expires:
        world.table.workflows.clear()
    world.work()
    failed = world.standing(made.id)
    assert (failed.state, failed.progress.end_reason) == (State.FAILED, EndReason.NOT_RETRYABLE)
    assert failed.progress.outcomes[-1].reason is Reason.WORKFLOW_GONE
    assert not world.called()


def test_a_run_that_stands_goes_on_although_its_workflow_is_deleted():
    world = WorkflowWorld()
    made = begun(world)
    world.put_workflow.delete(TENANT, world.parent(made)[1].workflow_id)
    world.recover()
    assert [each.state for each in world.parent(made)] == ["succeeded", "succeeded"]


def overlapping(policy: OverlapPolicy) -> tuple[WorkflowWorld, Execution, Execution]:
    """The first run of a job is open while its second instant is due."""
    world = WorkflowWorld()
    rules = Recurring(overlap_policy=policy, max_runs=2)
    made = world.schedule(world.define(*CHAIN), Every(60), recurring=rules)
    assert isinstance(made, Job)
    [first] = world.occurrences(made).values()
    world.clock.time_ms = first.id.dispatch_at
    world.attempt(first)
    [first, second] = world.occurrences(made).values()
    assert first.state is State.RUNNING
    world.clock.time_ms = second.id.dispatch_at
    world.attempt(second)
    return world, first, second


def test_an_instant_is_skipped_while_the_run_before_it_is_open():
    world, first, second = overlapping(OverlapPolicy.SKIP)
    assert world.standing(second.id).progress.end_reason is EndReason.OVERLAP
    world.queue.messages = [each for each in world.queue.messages if second.id not in each.wakeup.keys]
    world.work()
    assert world.standing(first.id).state is State.SUCCEEDED
    assert len(world.table.runs) == 1


def test_a_queued_instant_begins_when_the_run_before_it_has_ended():
    world, first, second = overlapping(OverlapPolicy.QUEUE_ONE)
    assert run_of(second.id) not in world.table.runs
    world.work()
    assert [each.state for each in world.parent(first)] == ["succeeded", "succeeded"]
    assert [each.state for each in world.parent(second)] == ["succeeded", "succeeded"]
    assert world.parent(second)[1].created_at >= (world.parent(first)[1].ended_at or 0)


def test_a_cancelled_execution_without_stop_retries_is_refused_while_its_run_is_open():
    world = WorkflowWorld()
    made = begun(world)
    with pytest.raises(InvalidStateError, match="cancel the run"):
        world.cancel_job.execute(TENANT, made.job_id)
    assert world.parent(made)[1].state is RunState.RUNNING


def test_stop_retries_cancels_the_run_of_an_execution_before_the_answer():
    world = WorkflowWorld()
    made = begun(world)
    world.cancel_job.execute(TENANT, made.job_id, stop_retries=True)
    assert [each.state for each in world.parent(made)] == ["cancelled", "cancelled"]
    world.work()
    assert not world.called()


def test_a_lapsed_lease_begins_a_run_that_is_absent_and_costs_no_attempt():
    world = WorkflowWorld()
    made = begun(world)
    del world.table.runs[run_of(made.id)]
    world.queue.messages.clear()
    _forget_tasks(world)
    world.clock.time_ms += 10 * 3_600_000
    world.recover()
    parent, run = world.parent(made)
    assert (parent.state, run.state, parent.attempt) == (State.SUCCEEDED, RunState.SUCCEEDED, 1)
    assert world.called() == {"a": 1, "b": 1}


def _forget_tasks(world: WorkflowWorld) -> None:
    for key, row in list(world.table.executions.items()):
        if row.execution.task is not None:
            del world.table.executions[key]


def test_a_redriven_execution_starts_another_run():
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    made = begun(world)
    world.work()
    world.answers.clear()
    world.redrive_execution(made)
    world.work()
    states = sorted(item.run.state for item in world.table.runs.values())
    assert states == [RunState.FAILED, RunState.SUCCEEDED]
    redriven = world.standing(made.id).progress.redriven_by
    assert redriven is not None
    assert world.standing(redriven.execution).state is State.SUCCEEDED
    assert world.called() == {"a": 2, "b": 2}


def test_a_redriven_run_does_not_reopen_its_execution():
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    made = begun(world)
    world.work()
    world.answers.clear()
    world.redriven(world.parent(made)[1])
    world.work()
    parent, run = world.parent(made)
    assert (parent.state, run.state) == (State.FAILED, RunState.SUCCEEDED)
    assert world.called() == {"a": 1, "b": 2}


def recurring(world: WorkflowWorld) -> tuple[Job, Execution]:
    """A job and its first execution, whose run has begun."""
    made = world.schedule(world.define(*CHAIN), Every(60))
    assert isinstance(made, Job)
    [first] = world.occurrences(made).values()
    world.clock.time_ms = first.id.dispatch_at
    world.attempt(first)
    return made, first


def test_a_deleted_job_cancels_its_open_run_before_the_answer():
    world = WorkflowWorld()
    made, first = recurring(world)
    world.cancel_job.execute(TENANT, made.id)
    assert world.parent(first)[1].state is RunState.CANCELLED
    assert world.standing(first.id).state is State.CANCELLED
    world.work()
    assert not world.called()


def triggered(world: WorkflowWorld, job: Job) -> Execution:
    """An execution outside the schedule, whose run has begun."""
    execution = world.trigger_job.execute(world.tenant, job.id).execution
    world.attempt(execution)
    return execution


def takes_long(world: WorkflowWorld) -> None:
    world.clock.time_ms += STOPPING_MS


def test_a_deleted_job_cancels_the_run_of_a_trigger_although_the_steps_before_took_long():
    world = WorkflowWorld()
    made, first = recurring(world)
    extra = triggered(world, made)
    world.steps.before("jobs.past_chains", lambda: takes_long(world))
    world.cancel_job.execute(TENANT, made.id)
    assert world.table.jobs[TENANT, made.id].state is JobState.DELETED
    assert {world.parent(each)[1].state for each in (first, extra)} == {RunState.CANCELLED}
    world.work()
    assert not world.called()


def swept(world: WorkflowWorld, run: Run) -> UnsettledRuns:
    page = world.store.scan(run.id.bucket, run.id.shard, after=None, limit=100)
    return world.cases.workflows.repair_runs.execute(page.rows, page.runs)


def test_a_sweep_cancels_the_run_that_the_deletion_of_its_job_did_not_reach_in_time():
    world = WorkflowWorld()
    made, _ = recurring(world)
    oldest = triggered(world, made)
    run = world.parent(oldest)[1]
    for _ in range(100):
        world.clock.time_ms += 1
        world.trigger_job.execute(world.tenant, made.id)
    swept(world, run)
    assert world.stored(run).state is RunState.RUNNING
    world.steps.after("jobs.extras", lambda: takes_long(world))
    world.cancel_job.execute(TENANT, made.id)
    assert world.table.jobs[TENANT, made.id].state is JobState.DELETED
    assert world.stored(run).state is RunState.RUNNING
    assert swept(world, run).failed == 0
    assert (world.stored(run).state, world.standing(oldest.id).state) == (RunState.CANCELLED, State.CANCELLED)
    world.work()
    assert not world.called()


def test_a_sweep_leaves_a_run_that_was_redriven_after_the_deletion_of_its_job():
    world = WorkflowWorld()
    world.answers["a"] = FAILS
    made, first = recurring(world)
    while not world.parent(first)[1].state.is_terminal:
        world.work_one()
    world.cancel_job.execute(TENANT, made.id)
    world.answers.clear()
    redriven = world.redriven(world.parent(first)[1])
    swept(world, redriven)
    world.work()
    assert world.stored(redriven).state is RunState.SUCCEEDED


def test_a_run_that_stands_goes_on_although_its_beginning_was_refunded_until_too_late():
    """The run was put, and no answer arrived. The start deadline passes before the next claim."""
    world = WorkflowWorld()
    made = world.schedule(world.define(*CHAIN), start_deadline_seconds=1)
    assert isinstance(made, Execution)
    world.clock.time_ms = made.id.dispatch_at + 900
    world.steps.lose_answer("runs.put_if_absent", times=3)
    world.work_one()
    waiting, _ = world.parent(made)
    assert (waiting.state, waiting.attempt) == (State.WAITING, 0)
    world.clock.time_ms += 60_000
    world.work()
    parent, run = world.parent(made)
    assert (parent.state, run.state, parent.attempt) == (State.SUCCEEDED, RunState.SUCCEEDED, 1)


def test_an_execution_that_is_too_late_for_its_first_claim_leaves_a_run_that_cannot_begin():
    world = WorkflowWorld()
    made = world.schedule(world.define(*CHAIN), start_deadline_seconds=1)
    assert isinstance(made, Execution)
    world.clock.time_ms = made.id.dispatch_at + 900
    world.steps.fail("runs.put_if_absent", times=3)
    world.work_one()
    world.clock.time_ms += 60_000
    world.work()
    parent, run = world.parent(made)
    assert (parent.state, parent.progress.end_reason) == (State.SKIPPED, EndReason.LATE)
    assert (run.state, run.parent) == (RunState.CANCELLED, Parent(execution=made.id, job_id=made.job_id))
    assert not world.called()


def test_a_fault_of_the_store_costs_no_attempt_however_often_it_comes():
    world = WorkflowWorld()
    made = world.schedule(world.define(*CHAIN))
    assert isinstance(made, Execution)
    world.steps.fail("runs.put_if_absent", times=40)
    world.work()
    parent, run = world.parent(made)
    assert (parent.state, run.state, parent.attempt) == (State.SUCCEEDED, RunState.SUCCEEDED, 1)
    assert parent.progress.refunded > 5


def test_an_ended_run_ends_its_open_execution_without_a_message_or_a_row_of_a_task():
    world = WorkflowWorld()
    made = begun(world)
    _, run = world.parent(made)
    world.queue.messages.clear()
    _forget_tasks(world)
    ended = new_run(
        world.table.revisions[TENANT, run.workflow_id, 1],
        run.id,
        run.counts,
        run.fingerprint,
        run.created_at,
        run.parent,
        RunState.CANCELLING,
    )
    world.table.runs[run.id].run = ended
    world.sweep_after(10)
    assert world.standing(made.id).state is State.CANCELLED


def test_a_suspended_tenant_begins_its_run_afterwards():
    world = WorkflowWorld()
    made = world.schedule(world.define(*CHAIN), runs_when_suspended=True)
    assert isinstance(made, Execution)
    suspended = replace(world.tenant, suspensions=(Suspension(from_at=world.clock.now_ms() - 1),))
    world.tenants.tenants[TENANT] = suspended
    outcome = world.cases.workflows.begin_run.execute(made, world.clock.now_ms())
    assert isinstance(outcome, CallbackResponse)
    assert outcome.refunds
    assert not world.table.runs
