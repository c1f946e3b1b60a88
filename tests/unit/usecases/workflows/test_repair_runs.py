"""What a sweeper does for runs of workflows: each of its two ways to a run is enough."""

from typing import Any

import pytest

from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.ids import ExecutionId
from shared.domain.workflows.run import RunState
from shared.domain.workflows.run_rules import cancelled
from shared.ports.executions import ScanPage
from shared.usecases.workflows.repair_runs import UnsettledRuns
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node


def page_of(world: WorkflowWorld, stored: ExecutionId) -> ScanPage:
    """The shard of an item."""
    return world.store.scan(stored.bucket, stored.shard, after=None, limit=100)


def repaired(world: WorkflowWorld, page: ScanPage, **only: Any) -> UnsettledRuns:
    rows, runs = only.get("rows", page.rows), only.get("runs", page.runs)
    return world.cases.workflows.repair_runs.execute(rows, runs)


def test_run_learns_of_an_end_by_the_row_of_its_task_alone() -> None:
    world = WorkflowWorld()
    workflow = world.define(node("a"), node("b", "a"))
    run = world.start(workflow)
    world.steps.before("runs.update", die)
    with pytest.raises(Crash):
        world.work_one()
    assert world.states(run, workflow.graph) == {"a": "chosen", "b": "waits"}
    page = page_of(world, world.execution(run, workflow.graph, "a").id)
    assert repaired(world, page, runs=()).rows == []
    assert world.states(run, workflow.graph) == {"a": "succeeded", "b": "chosen"}


def test_run_and_ended_task_stay_on_the_list_while_the_run_cannot_be_read() -> None:
    world = WorkflowWorld()
    workflow = world.define(node("a"), node("b", "a"))
    run = world.start(workflow)
    world.steps.before("runs.update", die)
    with pytest.raises(Crash):
        world.work_one()
    task = page_of(world, world.execution(run, workflow.graph, "a").id)
    shard = page_of(world, run.id)
    world.steps.fail("runs.get_many")
    world.steps.fail("runs.get")
    left = repaired(world, shard, rows=task.rows)
    assert left.failed == 1
    assert [row.id for row in left.open_runs] == [run.id]
    assert [row.id for row in left.rows] == [row.id for row in task.rows]


def test_run_keeps_its_shard_on_the_list_until_it_has_ended() -> None:
    """Its last task waits for a retry in a later minute, long after the shard of the run could have been closed."""
    world = WorkflowWorld()
    retry = RetryPolicy(max_attempts=2, delays_seconds=(1_800,))
    run = world.start(world.define(node("a"), node("b", "a"), retry=retry, deadline_seconds=7_200))
    world.answers["b"] = FAILS
    world.clock.time_ms += 5 * MINUTE_MS
    world.work_one()
    world.work_one()
    world.sweep_after(20)
    assert world.called() == {"a": 1, "b": 1}
    open_shards = {(each.bucket, each.shard) for each in world.ledger.open_before(1 << 40)}
    assert (run.id.bucket, run.id.shard) in open_shards


def test_repair_stops_the_tasks_of_a_run_whose_cancellation_crashed() -> None:
    world = WorkflowWorld()
    workflow = world.define(node("a"), node("b", "a"))
    run = world.start(workflow)
    stored = world.stored(run)
    world.runs.update(stored, cancelled(stored, workflow.graph, world.clock.now_ms()))
    assert world.stored(run).state is RunState.CANCELLING
    assert repaired(world, page_of(world, run.id), rows=()).open_runs == []
    assert world.stored(run).state is RunState.CANCELLED
    world.work()
    assert world.called() == {}
