"""UNDO of a bulk redrive that had filters: every redrive that it made is found, whatever has changed since."""

from collections.abc import Callable
from typing import Any

import pytest

from shared.domain.bulk.task import SETTLED_MS
from shared.domain.dead_letters.redrive_task import TaskCounts, TaskState
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import JobState
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.names import Lane
from shared.usecases.dead_letters import process_bulk_redrives
from tests.support.builders import DUE_AT, TENANT, job, with_changes
from tests.support.usecases.redrives import (
    GONE,
    LATER,
    dead,
    failed_run,
    press,
    redrives_of,
    run_out,
    standing,
    start,
    undo,
)
from tests.support.usecases.world import World

SPAN = PositionRange(after=IndexPosition(at=DUE_AT - 1), before=IndexPosition(at=DUE_AT + 1))


def tagged_otherwise(world: World, failed: Execution) -> None:
    _change(world, failed, tags=("b",))


def without_tags(world: World, failed: Execution) -> None:
    _change(world, failed, tags=())


def in_another_lane(world: World, failed: Execution) -> None:
    _change(world, failed, lane=Lane.CRITICAL)


def paused(world: World, failed: Execution) -> None:
    _change(world, failed, state=JobState.PAUSED)


def removed(world: World, failed: Execution) -> None:
    del world.table.jobs[TENANT, failed.job_id]


def _change(world: World, failed: Execution, **fields: Any) -> None:
    made = world.table.jobs[TENANT, failed.job_id]
    world.table.jobs[TENANT, failed.job_id] = with_changes(made, **fields)


@pytest.mark.parametrize("change", [tagged_otherwise, without_tags, in_another_lane, paused, removed])
@pytest.mark.parametrize(
    "criteria",
    [
        {"tag": "a"},
        {"job_id": job(1).id},
        {"lane": Lane.BULK},
        {"reason": EndReason.ATTEMPTS_USED_UP.value},
        {"status": 500},
        {"span": SPAN},
        {"tag": "a", "lane": Lane.BULK, "job_id": job(1).id, "status": 500, "span": SPAN},
    ],
    ids=lambda criteria: "+".join(criteria),
)
def test_undo_finds_every_redrive_of_its_task(
    criteria: dict[str, Any], change: Callable[[World, Execution], None]
) -> None:
    world = World(LATER)
    world.recurring(tags=("a",))
    failed = failed_run(world)
    world.table.executions[failed.id].execution = with_changes(failed, **_ends())
    task = start(world, **criteria)
    world.process_bulk_tasks.execute()
    (redrive,) = redrives_of(world, failed)
    change(world, failed)
    undone = undo(world, task)
    assert (undone.state, undone.counts.redriven, undone.counts.cancelled) == (TaskState.UNDONE, 1, 1)
    assert world.standing(redrive.id).state is State.CANCELLED


def _ends() -> dict[str, Any]:
    like = dead(World(LATER))
    return {"outcomes": like.progress.outcomes, "end_reason": like.progress.end_reason}


def test_a_job_that_has_got_the_tag_since_is_let_be() -> None:
    world = World(LATER)
    world.recurring(tags=("a",))
    failed = failed_run(world)
    other = dead(world, 2, tags=("b",))
    task = start(world, tag="a")
    world.process_bulk_tasks.execute()
    world.clock.time_ms += 1
    pressed = world.redrive.execute(TENANT, str(other.id)).execution
    world.table.executions[other.id].execution = with_changes(world.standing(other.id), tags=("a",))
    undone = undo(world, task)
    assert undone.counts.cancelled == 1
    assert world.standing(redrives_of(world, failed)[0].id).state is State.CANCELLED
    assert world.standing(pressed.id).state is State.QUEUED


def test_undo_walks_only_the_range_of_the_redrive_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tags change in the middle of the bulk redrive: what it made before and behind that is undone."""
    monkeypatch.setattr(process_bulk_redrives, "PAGE", 50)
    world = World(LATER)
    buried = [dead(world, number, due_at=DUE_AT + number, tags=("a",)) for number in range(120)]
    task = start(world, tag="a")
    runs = iter([True, False])
    world.process_bulk_tasks.execute(lambda: next(runs))
    for each in buried:
        row = world.table.executions[each.id]
        row.execution = with_changes(row.execution, tags=())
    world.process_bulk_tasks.execute()
    assert standing(world, task).counts.redriven == 50
    undone = undo(world, task)
    assert (undone.state, undone.counts.cancelled) == (TaskState.UNDONE, 50)
    assert world.clock.now_ms() == LATER + SETTLED_MS


def test_a_redrive_that_is_met_from_two_dead_letters_counts_once() -> None:
    """What failed again is a dead letter of its own, and stands behind the first one all the same."""
    world = World(LATER, answer_to=lambda _: GONE)
    failed = dead(world)
    start(world)
    world.process_bulk_tasks.execute()
    (again,) = redrives_of(world, failed)
    run_out(world, again)
    world.clock.time_ms += 60_000
    task = start(world)
    world.process_bulk_tasks.execute()
    assert standing(world, task).counts == TaskCounts(redriven=1, skipped=1)
    assert undo(world, task).counts == TaskCounts(redriven=1, skipped=1, cancelled=1)


def test_redrive_of_a_dead_letter_out_of_the_range_is_undone() -> None:
    """Somebody presses and fails while the bulk redrive is at it: then it makes the next one, behind that."""
    world = World(LATER, answer_to=lambda _: GONE)
    failed = dead(world)
    task = start(world)
    world.clock.time_ms += 1
    world.steps.before("redrive_batches.mark_all", lambda: run_out(world, press(world, failed)))
    world.process_bulk_tasks.execute()
    first, second = redrives_of(world, failed)
    assert (first.state, second.state) == (State.FAILED, State.QUEUED)
    assert undo(world, task).counts == TaskCounts(redriven=1, cancelled=1)
    assert world.standing(second.id).state is State.CANCELLED
