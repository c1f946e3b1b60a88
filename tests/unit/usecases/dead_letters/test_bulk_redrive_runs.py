"""Bulk redrives of runs: each run once, at the pace, within the quota, after any crash; undone before a start."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.dead_letters.redrive_task import RedriveTask, TaskCounts, TaskState
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import MAX_REDRIVES, RedriveOf
from shared.domain.executions.states import State
from shared.domain.tenancy.budget import BudgetName
from shared.domain.tenancy.quota import Quota
from shared.domain.workflows.graph import OnFailure
from shared.domain.workflows.run import Run, RunState
from shared.ports.listings import TenantIndex
from shared.usecases.dead_letters import process_bulk_redrives
from tests.support.builders import TENANT
from tests.support.usecases.redrives import EVERYTHING, dead, redrives_of, standing, start, undo
from tests.support.usecases.steps import Crash
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

PAIR = (node("a"), node("b", "a"))


def failed_world(
    count: int = 1, *nodes: Any, fails: str = "a", **fields: Any
) -> tuple[WorkflowWorld, list[Run]]:
    """A world with failed runs, whose receivers are well again."""
    world = WorkflowWorld(**fields)
    workflow = world.define(*(nodes or PAIR), on_failure=OnFailure.CONTINUE)
    world.answers = dict.fromkeys(fails, FAILS)
    runs = []
    for _ in range(count):
        world.clock.time_ms += 1_000
        runs.append(world.start(workflow))
        world.work()
    world.answers = {}
    world.clock.time_ms += 60_000
    return world, [world.stored(run) for run in runs]


def letters(world: WorkflowWorld) -> list[Execution]:
    rows = (row.execution for row in world.table.executions.values())
    return [each for each in rows if each.state is State.FAILED]


def task_executions(world: WorkflowWorld, run: Run, epoch: int = 2) -> list[Execution]:
    rows = (row.execution for row in world.table.executions.values())
    return [each for each in rows if each.task and each.task.run == run.id and each.task.epoch == epoch]


def process(world: WorkflowWorld, task: RedriveTask) -> TaskCounts:
    world.process_bulk_tasks.execute()
    return standing(world, task).counts


def test_failed_runs_are_redriven_once_each_at_the_pace_and_go_on_where_they_failed() -> None:
    world, runs = failed_world(3, fails="b")
    task, now_ms = start(world, rate=2), world.clock.now_ms()
    assert process(world, task) == TaskCounts(redriven=3)
    assert [world.stored(run).epoch for run in runs] == [2, 2, 2]
    dues = [each.id.dispatch_at for run in runs for each in task_executions(world, run)]
    assert dues == [now_ms, now_ms + 500, now_ms + 1_000]
    assert standing(world, task).state is TaskState.FINISHED
    world.work()
    assert [world.stored(run).state for run in runs] == [RunState.SUCCEEDED] * 3
    assert world.called()["a"] == 3, "what has succeeded stands"


def test_run_with_several_dead_letters_is_redriven_at_the_first_and_skipped_at_the_others() -> None:
    world, (run,) = failed_world(1, node("a"), node("b"), node("c"), fails="abc")
    task = start(world, rate=1)
    assert process(world, task) == TaskCounts(redriven=1, skipped=2)
    assert world.stored(run).epoch == 2


def test_dead_letters_of_one_run_on_several_pages_redrive_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_bulk_redrives, "PAGE", 1)
    world, (run,) = failed_world(1, node("a"), node("b"), node("c"), fails="abc")
    assert process(world, start(world)) == TaskCounts(redriven=1, skipped=2)
    assert world.stored(run).epoch == 2


def test_executions_that_are_due_at_once_each_take_their_part_of_the_rate() -> None:
    world, runs = failed_world(2, node("a"), node("b"), node("c"), fails="abc")
    now_ms = world.clock.now_ms()
    process(world, start(world, rate=1))
    first, second = ({each.id.dispatch_at for each in task_executions(world, run)} for run in runs)
    assert (first, second) == ({now_ms}, {now_ms + 3_000})


def test_runs_and_jobs_share_one_pace_in_the_order_of_their_dead_letters() -> None:
    world, (run,) = failed_world()
    job = dead(world, due_at=run.created_at + 30_000)
    now_ms = world.clock.now_ms()
    assert process(world, start(world, rate=1)) == TaskCounts(redriven=2)
    assert task_executions(world, run)[0].id.dispatch_at == now_ms
    assert redrives_of(world, job)[0].id.dispatch_at == now_ms + 1_000


@pytest.mark.parametrize("moment", range(90))
def test_crash_at_any_step_neither_omits_nor_doubles_the_redrive_of_a_run(moment: int) -> None:
    world, runs = failed_world(2, node("a"), node("b"), fails="ab")
    task = start(world)

    def die(at: int, _: str) -> None:
        if at == moment + offset:
            raise Crash

    offset = 2 * len(world.steps.taken)
    world.steps.at_each = die
    try:
        world.process_bulk_tasks.execute()
    except Crash:
        world.clock.time_ms += 60_000
    world.steps.calm()
    assert process(world, task) == TaskCounts(redriven=2, skipped=2)
    assert [world.stored(run).epoch for run in runs] == [2, 2]
    world.recover()
    assert [world.stored(run).state for run in runs] == [RunState.SUCCEEDED] * 2
    assert world.called() == {"a": 4, "b": 4}


@pytest.mark.parametrize("moment", range(0, 90, 3))
def test_concurrent_processes_redrive_a_run_once(moment: int) -> None:
    world, runs = failed_world(2)
    task = start(world)
    offset = 2 * len(world.steps.taken)
    world.steps.at_each = lambda at, _: world.process_bulk_tasks.execute() if at == moment + offset else None
    world.process_bulk_tasks.execute()
    world.steps.calm()
    assert process(world, task) == TaskCounts(redriven=2)
    assert [world.stored(run).epoch for run in runs] == [2, 2]


@pytest.mark.parametrize("moment", range(60))
def test_single_redrive_at_any_step_of_a_bulk_redrive_makes_one_epoch(moment: int) -> None:
    world, (run,) = failed_world()
    task = start(world)
    offset, pressed = 2 * len(world.steps.taken), []

    def press(at: int, _: str) -> None:
        if at == moment + offset:
            pressed.append(world.redriven(run, epoch=1))

    world.steps.at_each = press
    world.process_bulk_tasks.execute()
    world.steps.calm()
    counts = process(world, task)
    assert world.stored(run).epoch == 2
    assert counts.redriven + counts.skipped == 1
    assert counts.redriven == (world.stored(run).bulk_redrive is not None)


def test_runs_that_go_on_or_have_succeeded_since_are_skipped() -> None:
    world, (first, second, third) = failed_world(3)
    world.redriven(first)
    world.work()
    world.redriven(second)
    world.answers = {"a": FAILS}
    world.redriven(third)
    world.queue.messages.clear()
    task = start(world)
    assert process(world, task) == TaskCounts(skipped=3)
    assert [world.stored(run).epoch for run in (first, second, third)] == [2, 2, 2]


def test_failed_redrive_of_a_run_is_redriven_by_the_next_bulk_redrive_alone() -> None:
    world, (run,) = failed_world()
    world.answers = {"a": FAILS}
    process(world, start(world))
    world.work()
    assert world.stored(run).state is RunState.FAILED
    world.clock.time_ms += 60_000
    assert process(world, start(world)) == TaskCounts(redriven=1, skipped=1)
    assert world.stored(run).epoch == 3


def test_cancelled_run_and_run_that_is_gone_are_refused() -> None:
    world, (cancelled, gone) = failed_world(2)
    item = world.table.runs[cancelled.id]
    item.run = replace(item.run, state=RunState.CANCELLED)
    del world.table.runs[gone.id]
    assert process(world, start(world)) == TaskCounts(refused=2)


def test_run_without_a_definition_is_refused() -> None:
    world, (run,) = failed_world()
    world.table.runs[run.id].run = replace(run, revision=7)
    assert process(world, start(world)) == TaskCounts(refused=1)


def with_quota(world: WorkflowWorld, limit: int) -> None:
    tenant = world.tenants.tenants[TENANT]
    world.tenants.tenants[TENANT] = replace(tenant, quotas={**tenant.quotas, Quota.DUE_PER_MINUTE: limit})


def test_full_minute_moves_runs_to_the_next_and_refuses_none() -> None:
    world, runs = failed_world(3)
    with_quota(world, 2)
    world.clock.time_ms += 120_000
    now_ms = world.clock.now_ms()
    task = start(world, rate=1_000)
    assert process(world, task) == TaskCounts(redriven=3)
    minutes = [task_executions(world, run)[0].id.dispatch_at // 60_000 - now_ms // 60_000 for run in runs]
    assert minutes == [0, 1, 2]


def test_bulk_redrive_waits_while_the_quota_is_used_up_as_far_as_it_looks_ahead() -> None:
    world, runs = failed_world(9)
    with_quota(world, 2)
    world.clock.time_ms += 120_000
    task = start(world, rate=1_000)
    counts = process(world, task)
    assert 5 <= counts.redriven <= 6
    assert counts.refused == 0
    assert process(world, task) == counts, "no minute of the next five has room"
    for _ in range(6):
        world.clock.time_ms += 60_000
        counts = process(world, task)
    assert counts == TaskCounts(redriven=9)
    dues = [task_executions(world, run)[0].id.dispatch_at // 60_000 for run in runs]
    assert len(set(dues)) == 9


def test_run_that_no_minute_has_room_for_is_refused() -> None:
    world, _ = failed_world()
    with_quota(world, 1)
    world.clock.time_ms += 120_000
    assert process(world, start(world)) == TaskCounts(refused=1)


def test_undo_cancels_runs_that_have_not_started_and_leaves_the_others() -> None:
    world, (first, second) = failed_world(2)
    task = start(world, rate=1)
    process(world, task)
    world.work_one()
    assert world.stored(first).epoch == 2
    undone = undo(world, task)
    assert undone.counts == TaskCounts(redriven=2, cancelled=1, already_started=1)
    assert world.stored(second).state is RunState.CANCELLED
    world.work()
    assert world.stored(first).state is RunState.SUCCEEDED
    assert world.called()["a"] == 3, "the call of the undone run was never made"


def test_undone_run_is_redriven_by_the_next_bulk_redrive() -> None:
    world, (run,) = failed_world()
    task = start(world)
    process(world, task)
    undo(world, task)
    world.clock.time_ms += 60_000
    assert process(world, start(world)) == TaskCounts(redriven=1)
    world.work()
    assert (world.stored(run).state, world.stored(run).epoch) == (RunState.SUCCEEDED, 3)


def test_undo_keeps_redrives_of_others() -> None:
    world, (run,) = failed_world()
    task = start(world)
    world.redriven(run)
    assert process(world, task) == TaskCounts(skipped=1)
    assert undo(world, task).counts == TaskCounts(skipped=1)
    assert not world.stored(run).state.is_terminal


@pytest.mark.parametrize("moment", range(60))
def test_crash_at_any_step_of_an_undo_leaves_no_run_half_undone(moment: int) -> None:
    world, (run,) = failed_world(1, node("a"), node("b"), fails="ab")
    task = start(world)
    process(world, task)
    offset = 2 * len(world.steps.taken)

    def die(at: int, _: str) -> None:
        if at == moment + offset:
            raise Crash

    world.steps.at_each = die
    try:
        undo(world, task)
    except Crash:
        world.clock.time_ms += 60_000
    world.steps.calm()
    ended = undo(world, task)
    assert ended.counts == TaskCounts(redriven=1, skipped=1, cancelled=1)
    assert world.stored(run).state is RunState.CANCELLED
    world.recover()
    assert world.called() == {"a": 1, "b": 1}


def test_task_that_starts_while_its_run_is_undone_counts_as_started() -> None:
    world, _ = failed_world(1, node("a"), node("b"), fails="ab")
    task = start(world)
    process(world, task)
    world.steps.before("runs.update", world.work_one)
    counts = undo(world, task).counts
    assert counts.cancelled == 0
    assert counts.already_started == 1


def test_plan_counts_a_run_once_and_what_was_redriven_apart() -> None:
    world, (first, second) = failed_world(2, node("a"), node("b"), fails="ab")
    world.redriven(first)
    plan = world.start_redrive.plan(TENANT, EVERYTHING)
    assert (len(plan.matching), plan.already_redriven, len(plan.fresh)) == (4, 3, 1)
    assert {each.task.run for each in plan.fresh if each.task} == {second.id}
    assert world.stored(second).epoch == 1


def test_filters_select_dead_letters_of_workflows_as_those_of_jobs() -> None:
    world, (run,) = failed_world()
    other = dead(world, due_at=run.created_at + 30_000)
    assert process(world, start(world, job_id=other.job_id)) == TaskCounts(redriven=1)
    assert world.stored(run).epoch == 1
    world.clock.time_ms += 1_000
    assert process(world, start(world, job_id=run.workflow_id, status=404)) == TaskCounts()
    world.clock.time_ms += 1_000
    assert process(world, start(world, job_id=run.workflow_id, status=500)) == TaskCounts(redriven=1)
    assert world.stored(run).epoch == 2


def scheduled() -> tuple[WorkflowWorld, Execution, Run]:
    world = WorkflowWorld()
    workflow = world.define(*PAIR)
    world.answers = {"a": FAILS}
    job = world.schedule(workflow)
    assert isinstance(job, Execution)
    world.work()
    world.answers = {}
    world.clock.time_ms += 60_000
    parent, run = world.parent(job)
    assert parent.state is State.FAILED
    world.table.executions[parent.id].entry = TenantIndex.FAILED
    return world, parent, run


def test_run_that_a_job_started_is_left_to_the_redrive_of_its_execution() -> None:
    world, parent, run = scheduled()
    assert process(world, start(world)) == TaskCounts(redriven=1, skipped=1)
    assert world.stored(run).epoch == 1
    assert len(redrives_of(world, parent)) == 1


def test_run_that_a_job_started_is_redriven_by_a_filter_that_leaves_its_execution_out() -> None:
    world, parent, run = scheduled()
    assert process(world, start(world, job_id=run.workflow_id)) == TaskCounts(redriven=1)
    assert world.stored(run).epoch == 2
    world.work()
    world.clock.time_ms += 60_000
    assert process(world, start(world)).redriven == 0, "the run has succeeded since"
    assert redrives_of(world, parent) == []


def test_run_is_redriven_although_the_redrive_of_its_execution_was_cancelled() -> None:
    world, parent, run = scheduled()
    task = start(world)
    assert process(world, task) == TaskCounts(redriven=1, skipped=1)
    assert undo(world, task).counts.cancelled == 1
    world.clock.time_ms += 60_000
    of_workflow = replace(EVERYTHING, job_id=run.workflow_id)
    assert len(world.start_redrive.plan(TENANT, of_workflow).fresh) == 1
    assert process(world, start(world, job_id=run.workflow_id)) == TaskCounts(redriven=1)
    assert world.stored(run).epoch == 2
    assert len(redrives_of(world, parent)) == 1


def test_run_is_redriven_where_its_execution_may_not_be() -> None:
    """Otherwise neither would be: the execution was redriven as often as it may be."""
    world, parent, run = scheduled()
    row = world.table.executions[parent.id]
    many = RedriveOf(original=parent.id, number=MAX_REDRIVES)
    row.execution = replace(row.execution, redrive_of=many)
    plan = world.start_redrive.plan(TENANT, EVERYTHING)
    assert {each.task is not None for each in plan.fresh} == {True, False}, (
        "the refusal shows when it is made"
    )
    assert process(world, start(world)) == TaskCounts(redriven=1, refused=1)
    assert world.stored(run).epoch == 2


def test_run_without_room_is_refused_after_an_hour_and_holds_up_no_other_dead_letter() -> None:
    world, (run,) = failed_world(1, node("a"), node("b"), fails="ab")
    job = dead(world, due_at=run.created_at + 30_000)
    with_quota(world, 2)
    spend = world.process_bulk_redrives.redrive_page.runs().spend
    busy = set[int]()
    task = start(world, rate=1000)
    for minute in range(70):
        first = world.clock.now_ms() // 60_000
        for each in set(range(first, first + 8)) - busy:
            assert spend.in_minute(TENANT, BudgetName.DUE, each, 2, 1)
            busy.add(each)
        counts = process(world, task)
        assert minute > 59 or counts == TaskCounts(), "it waits"
        world.clock.time_ms += 60_000
    assert counts == TaskCounts(redriven=1, skipped=1, refused=1)
    assert standing(world, task).state is TaskState.FINISHED
    assert len(redrives_of(world, job)) == 1
    assert world.stored(run).epoch == 1


def test_standstill_of_the_redriver_takes_nothing_from_the_time_that_a_run_waits() -> None:
    world, (run,) = failed_world(1, node("a"), node("b"), fails="ab")
    with_quota(world, 2)
    task = start(world)
    world.clock.time_ms += 2 * 3_600_000
    spend = world.process_bulk_redrives.redrive_page.runs().spend
    first = world.clock.now_ms() // 60_000
    for minute in range(first, first + 7):
        assert spend.in_minute(TENANT, BudgetName.DUE, minute, 2, 1)
    assert process(world, task) == TaskCounts(), "it waits"
    world.clock.time_ms += 3 * 60_000
    assert process(world, task) == TaskCounts(redriven=1, skipped=1)
    assert world.stored(run).epoch == 2


def test_page_that_is_processed_again_takes_the_executions_of_its_runs_once() -> None:
    world, runs = failed_world(3)
    with_quota(world, 6)
    world.clock.time_ms += 120_000
    now_ms = world.clock.now_ms()
    task = start(world, rate=1000)
    world.steps.before("runs.update", unavailable, times=6)
    for _ in range(8):
        counts = process(world, task)
    assert counts == TaskCounts(redriven=3)
    dues = {each.id.dispatch_at // 60_000 for run in runs for each in task_executions(world, run)}
    assert dues == {now_ms // 60_000}


def unavailable() -> None:
    raise UnavailableError("no answer")


def test_plan_counts_a_job_whose_redrive_was_undone() -> None:
    world, (run,) = failed_world()
    job = dead(world, due_at=run.created_at + 30_000)
    task = start(world, job_id=job.job_id)
    process(world, task)
    undo(world, task)
    world.clock.time_ms += 60_000
    plan = world.start_redrive.plan(TENANT, EVERYTHING)
    assert (len(plan.fresh), plan.already_redriven) == (2, 0)
    assert process(world, start(world)).redriven == 2
