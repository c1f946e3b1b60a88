"""The worker of bulk redrives: its rate by arithmetic, its lease, and its share of the time for each tenant."""

from collections.abc import Callable

import pytest

from shared.adapters.dynamodb.executions.claimer import MAX_STATEMENTS
from shared.bootstrap.dynamo_ports import AT_ONCE
from shared.domain.bulk.task import SETTLED_MS
from shared.domain.dead_letters.redrive_task import MAX_RATE, RedriveTask, TaskCounts, TaskState
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.usecases.bulk.lease_page import LEASE_MS
from shared.usecases.dead_letters import process_bulk_redrives
from shared.usecases.dead_letters.process_bulk_redrives import PAGE
from shared.usecases.dead_letters.start_redrive import NewRedrive
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.redrives import (
    EVERYTHING,
    LATER,
    dead,
    failed_run,
    redrives_of,
    standing,
    start,
    undo,
)
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

ROUND_TRIP_MS = 15
"""Assumed for one call of a port; the requests of a batch go side by side."""


def bury(world: World, count: int) -> list[Execution]:
    return [dead(world, number, due_at=DUE_AT + number) for number in range(count)]


def started_by_three_tenants(count: int) -> World:
    world = World(LATER)
    for place in range(3):
        name = f"acme-{place}"
        world.create_tenant.execute(name)
        for number in range(place * count, (place + 1) * count):
            dead(world, number, due_at=DUE_AT + number, tenant_id=name)
        new = NewRedrive(criteria=EVERYTHING, rate=MAX_RATE)
        world.start_redrive.execute(world.tenants.tenants[name], new)
    return world


def filed(world: World, letters: list[Execution]) -> list[Execution]:
    return [redrive for letter in letters for redrive in redrives_of(world, letter)]


def runs(count: int) -> Callable[[], bool]:
    left = iter([True] * count + [False])
    return lambda: next(left)


def test_calls_of_a_second_allow_the_maximum_rate() -> None:
    world = World(LATER)
    letters = bury(world, MAX_RATE)
    task = start(world, rate=MAX_RATE)
    world.steps.taken.clear()
    world.process_bulk_tasks.execute()
    assert len(filed(world, letters)) == MAX_RATE
    assert standing(world, task).state is TaskState.FINISHED
    assert len(world.steps.taken) * ROUND_TRIP_MS <= 1_000, world.steps.taken


def test_batches_of_a_page_fit_into_one_round_trip() -> None:
    assert PAGE / MAX_STATEMENTS <= AT_ONCE


def test_dead_letters_of_one_job_read_its_definition_once_a_page() -> None:
    world = World(LATER)
    made = world.recurring()
    first = failed_run(world)
    letters = [first]
    for number in range(1, 40):
        run = made.occurrence(first.nominal_at - number * 60_000, created_at=made.created_at)
        letters.append(dead(world, id=run.id, job_id=made.id, nominal_at=run.nominal_at))
    start(world, rate=MAX_RATE)
    world.steps.taken.clear()
    world.process_bulk_tasks.execute()
    assert len(filed(world, letters)) == 40
    assert world.steps.count("jobs.get") == 1


def test_rejected_read_of_a_job_is_reported_to_operators_and_refuses_no_dead_letter() -> None:
    world = World(LATER)
    world.recurring()
    failed_run(world)
    task = start(world)
    world.steps.reject("jobs.get")
    assert world.process_bulk_tasks.execute().unreadable == [task.id]
    assert standing(world, task).counts == TaskCounts()


def test_redrives_of_tenants_take_turns_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_bulk_redrives, "PAGE", 10)
    world = started_by_three_tenants(30)
    world.process_bulk_tasks.execute(runs(6))
    assert [task.counts.redriven for task in world.redrives.tasks.values()] == [20, 20, 20]


def test_run_that_reaches_one_task_begins_with_another_each_minute() -> None:
    world = started_by_three_tenants(2)
    for _ in range(3):
        world.process_bulk_tasks.execute(runs(1))
        world.clock.time_ms += 60_000
    assert [task.counts.redriven for task in world.redrives.tasks.values()] == [2, 2, 2]


def test_leased_task_is_left_alone_until_the_lease_expires() -> None:
    world = World(LATER)
    letters = bury(world, 3)
    task = start(world)
    world.steps.crash_after("redrive_batches.mark_all")
    with pytest.raises(Crash):
        world.process_bulk_tasks.execute()
    world.steps.calm()
    world.clock.time_ms += LEASE_MS - 1
    world.process_bulk_tasks.execute()
    assert filed(world, letters) == []
    world.clock.time_ms += 1
    world.process_bulk_tasks.execute()
    assert len(filed(world, letters)) == 3
    assert standing(world, task).counts == TaskCounts(redriven=3)


@pytest.mark.parametrize("moment", range(40))
def test_worker_that_outlived_its_lease_neither_moves_the_cursor_nor_doubles_a_redrive(moment: int) -> None:
    world = World(LATER)
    letters = bury(world, 3)
    task = start(world)

    def overtake(at: int, _: str) -> None:
        if at == moment:
            world.clock.time_ms += LEASE_MS
            world.process_bulk_tasks.execute()

    world.steps.at_each = overtake
    world.process_bulk_tasks.execute()
    world.steps.calm()
    world.process_bulk_tasks.execute()
    assert len(filed(world, letters)) == 3
    assert (standing(world, task).state, standing(world, task).counts.redriven) == (TaskState.FINISHED, 3)


def test_second_of_two_workers_that_lease_a_task_at_once_leaves_it_to_the_first() -> None:
    world = World(LATER)
    letters = bury(world, 3)
    task = start(world)
    first = task.leased(LATER + LEASE_MS)
    world.steps.before("redrives.replace", lambda: world.redrives.replace(task, first))
    world.process_bulk_tasks.execute()
    assert filed(world, letters) == []
    assert standing(world, task) == first


def test_failed_page_ends_its_lease() -> None:
    world = World(LATER)
    letters = bury(world, 3)
    task = start(world)
    world.steps.fail("redrive_batches.note_all_beside")
    assert world.process_bulk_tasks.execute().unavailable == 1
    assert standing(world, task).lease_until == 0
    world.process_bulk_tasks.execute()
    assert len(filed(world, letters)) == 3


def test_redrive_whose_mark_is_unknown_is_filed_by_the_next_try_and_the_others_by_this_one() -> None:
    world = World(LATER)
    letters = bury(world, 4)
    task = start(world)
    world.redrive_batches.unwritten, world.redrive_batches.unanswered = {1}, {2}
    assert world.process_bulk_tasks.execute().unavailable == 1
    assert [len(redrives_of(world, letter)) for letter in letters] == [1, 0, 0, 1]
    assert standing(world, task).counts == TaskCounts()
    world.process_bulk_tasks.execute()
    assert [len(redrives_of(world, letter)) for letter in letters] == [1, 1, 1, 1]
    assert standing(world, task).counts == TaskCounts(redriven=4)


def test_undo_while_a_page_is_under_way_takes_the_lease_and_cancels_its_redrives() -> None:
    world = World(LATER)
    letters = bury(world, 5)
    task = start(world)
    world.steps.after("redrive_batches.mark_all", lambda: world.undo_redrive.execute(TENANT, task.id))
    world.process_bulk_tasks.execute()
    assert standing(world, task).state is TaskState.UNDOING
    assert standing(world, task).lease_until == 0
    undone = undo(world, task)
    assert (undone.state, undone.counts.cancelled) == (TaskState.UNDONE, 5)
    assert {redrive.state for redrive in filed(world, letters)} == {State.CANCELLED}
    assert world.clock.now_ms() == LATER + SETTLED_MS


def test_next_due_time_continues_behind_the_last_page_and_never_lies_in_the_past() -> None:
    world = World(LATER)
    bury(world, 5)
    task: RedriveTask = start(world, rate=2)
    world.clock.time_ms += 10_000
    world.process_bulk_tasks.execute()
    assert standing(world, task).next_due_at == LATER + 10_000 + 2_500
