"""REDRIVE in bulk: each dead letter once, at a pace, whoever dies on the way; and undone as far as it has not begun."""

from dataclasses import replace

import pytest

from shared.domain.dead_letters.redrive_task import AHEAD_MS, RedriveTask, TaskCounts, TaskState
from shared.domain.errors import (
    IdempotencyKeyReusedError,
    InvalidStateError,
    NotFoundError,
    UnavailableError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.usecases.dead_letters import process_bulk_redrives
from shared.usecases.dead_letters.start_redrive import NewRedrive
from tests.support.builders import DUE_AT, TENANT, with_changes
from tests.support.usecases.redrives import (
    EVERYTHING,
    GONE,
    LATER,
    dead,
    redrives_of,
    run_out,
    standing,
    start,
    undo,
)
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of 50, so that few dead letters make several pages."""
    monkeypatch.setattr(process_bulk_redrives, "PAGE", 50)


def failed_jobs(world: World, count: int) -> list[Execution]:
    """Dead letters a second apart, oldest first."""
    return [dead(world, number, due_at=DUE_AT + number * 1_000) for number in range(count)]


def all_redrives(world: World, dead_letters: list[Execution]) -> list[Execution]:
    return [one for each in dead_letters for one in redrives_of(world, each)]


def test_every_dead_letter_is_redriven_once_in_order_and_at_the_pace() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 120)
    task = start(world, rate=4)
    report = world.process_bulk_tasks.execute()
    made = all_redrives(world, buried)
    assert [one.id.dispatch_at for one in made] == [LATER + number * 250 for number in range(120)]
    assert report.redriven == 120
    ended = standing(world, task)
    assert (ended.state, ended.counts) == (TaskState.FINISHED, TaskCounts(redriven=120))
    assert world.redrives.slots == {}
    assert world.redrives.expires_at_s[TENANT, task.id] > LATER // 1000


def test_no_second_has_more_than_the_rate_even_after_a_standstill() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 120)
    start(world, rate=7)
    runs = iter([True, True, False])
    world.process_bulk_tasks.execute(lambda: next(runs))
    world.clock.time_ms += 300_000
    world.process_bulk_tasks.execute()
    made = all_redrives(world, buried)
    assert all(one.id.dispatch_at >= one.created_at for one in made)
    dues = sorted(one.id.dispatch_at for one in made)
    assert len(dues) == 120
    for first, eighth in zip(dues, dues[7:], strict=False):
        assert eighth - first >= 999


def test_redrives_beyond_the_look_ahead_are_left_to_a_later_run() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 150)
    task = start(world, rate=1)
    world.clock.time_ms = LATER
    world.redrives.tasks[TENANT, task.id] = replace(task, next_due_at=LATER + AHEAD_MS - 10_000)
    world.process_bulk_tasks.execute()
    assert len(all_redrives(world, buried)) == 50
    world.clock.time_ms += 60_000
    world.process_bulk_tasks.execute()
    assert len(all_redrives(world, buried)) == 100


@pytest.mark.parametrize("moment", range(60))
def test_crash_at_any_step_neither_omits_nor_doubles_a_redrive(moment: int) -> None:
    world = World(LATER)
    buried = failed_jobs(world, 3)
    task = start(world)

    def die(at: int, _: str) -> None:
        if at == moment:
            raise Crash

    world.steps.at_each = die
    try:
        world.process_bulk_tasks.execute()
    except Crash:
        world.clock.time_ms += 60_000
    world.steps.calm()
    world.process_bulk_tasks.execute()
    made = all_redrives(world, buried)
    assert [one.redrive_of.number for one in made if one.redrive_of] == [1, 1, 1]
    assert standing(world, task).counts == TaskCounts(redriven=3)
    assert {one.id for one in made} <= set(world.sent())


@pytest.mark.parametrize("moment", range(60))
def test_concurrent_processes_of_a_bulk_redrive_redrive_every_dead_letter_once(moment: int) -> None:
    world = World(LATER)
    buried = failed_jobs(world, 3)
    task = start(world)
    world.steps.at_each = lambda at, _: world.process_bulk_tasks.execute() if at == moment else None
    world.process_bulk_tasks.execute()
    world.steps.calm()
    world.process_bulk_tasks.execute()
    assert len(all_redrives(world, buried)) == 3
    assert standing(world, task).counts.redriven == 3


def test_second_bulk_redrive_skips_open_and_succeeded_redrives() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 2)
    start(world)
    world.process_bulk_tasks.execute()
    run_out(world, all_redrives(world, buried)[0])
    world.clock.time_ms += 60_000
    again = start(world)
    world.process_bulk_tasks.execute()
    assert standing(world, again).counts == TaskCounts(skipped=2)
    assert len(all_redrives(world, buried)) == 2


def test_failed_redrive_is_a_new_dead_letter_and_is_redriven_once_by_the_next_task() -> None:
    world = World(LATER, answer_to=lambda _: GONE)
    (buried,) = failed_jobs(world, 1)
    start(world)
    world.process_bulk_tasks.execute()
    (first,) = redrives_of(world, buried)
    assert run_out(world, first).state is State.FAILED
    world.process_bulk_tasks.execute()
    assert len(redrives_of(world, buried)) == 1
    world.clock.time_ms += 60_000
    again = start(world)
    world.process_bulk_tasks.execute()
    assert standing(world, again).counts == TaskCounts(redriven=1, skipped=1)
    assert [one.redrive_of.number for one in redrives_of(world, buried) if one.redrive_of] == [1, 2]


def test_bulk_redrive_skips_executions_that_fail_while_it_runs() -> None:
    world = World(LATER, answer_to=lambda _: GONE)
    buried = failed_jobs(world, 60)
    start(world)
    runs = iter([True, False])
    world.process_bulk_tasks.execute(lambda: next(runs))
    first = redrives_of(world, buried[0])[0]
    run_out(world, first)
    world.clock.time_ms += 60_000
    world.process_bulk_tasks.execute()
    assert len(all_redrives(world, buried)) == 60


def test_dead_letter_that_cannot_be_redriven_holds_up_no_other() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 3)
    row = world.table.executions[buried[1].id]
    row.execution = with_changes(buried[1], request=b"", payload_id="gone")
    task = start(world)
    world.process_bulk_tasks.execute()
    assert standing(world, task).counts == TaskCounts(redriven=2, refused=1)


def test_filters_and_range_say_which() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 4)
    span = PositionRange(after=IndexPosition(at=DUE_AT + 1_000), before=IndexPosition(at=DUE_AT + 3_000))
    start(world, span=span)
    world.process_bulk_tasks.execute()
    redriven = [each for each in buried if redrives_of(world, each)]
    assert [one.id for one in redriven] == [buried[1].id, buried[2].id]


def test_dead_letters_of_other_tenants_are_not_redriven() -> None:
    world = World(LATER)
    theirs = dead(world, tenant_id="somebody-else")
    start(world)
    world.process_bulk_tasks.execute()
    assert redrives_of(world, theirs) == []


def test_bulk_redrive_with_a_key_is_made_once_despite_repeated_requests() -> None:
    world = World(LATER)
    failed_jobs(world, 2)
    first = start(world, key="k")
    world.process_bulk_tasks.execute()
    world.clock.time_ms += 60_000
    new = NewRedrive(criteria=EVERYTHING, rate=10)
    again = world.start_redrive.execute(world.tenant, new, "k")
    assert (again.task.id, again.replayed) == (first.id, True)
    assert again.task.state is TaskState.FINISHED
    with pytest.raises(IdempotencyKeyReusedError):
        world.start_redrive.execute(world.tenant, replace(new, rate=11), "k")


@pytest.mark.parametrize("call", ["idempotency.claim", "redrives.create"])
def test_a_key_heals_what_died_or_was_not_answered(call: str) -> None:
    world = World(LATER)
    world.steps.lose_answer(call)
    with pytest.raises(UnavailableError):
        start(world, key="k")
    world.clock.time_ms += 5
    task = start(world, key="k")
    assert len(world.redrives.tasks) == 1
    assert task.created_at == LATER


def test_tenant_has_at_most_one_open_bulk_redrive() -> None:
    world = World(LATER)
    task = start(world)
    with pytest.raises(InvalidStateError, match=task.id):
        start(world, rate=3)
    world.process_bulk_tasks.execute()
    start(world, rate=3)


def test_a_plan_writes_nothing_and_counts() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 3)
    plan = world.start_redrive.plan(TENANT, EVERYTHING)
    assert ([one.id for one in plan.matching], plan.is_complete) == ([one.id for one in buried], True)
    assert all_redrives(world, buried) == []
    assert world.redrives.tasks == {}


def test_undo_cancels_what_has_not_started_and_counts_what_was_too_late() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 120)
    task = start(world)
    world.process_bulk_tasks.execute()
    made = all_redrives(world, buried)
    for one in made[:7]:
        run_out(world, one)
    undone = undo(world, task)
    assert undone.state is TaskState.UNDONE
    assert (undone.counts.cancelled, undone.counts.already_started) == (113, 7)
    states = [world.standing(one.id).state for one in made]
    assert states == [State.SUCCEEDED] * 7 + [State.CANCELLED] * 113
    assert world.redrives.slots == {}


def test_undo_in_the_middle_stops_what_was_not_filed() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 120)
    task = start(world)
    runs = iter([True, False])
    world.process_bulk_tasks.execute(lambda: next(runs))
    undone = undo(world, task)
    assert len(all_redrives(world, buried)) == 50
    assert (undone.counts.cancelled, undone.counts.already_started) == (50, 0)


@pytest.mark.parametrize("moment", range(40))
def test_undo_catches_what_is_filed_behind_its_back(moment: int) -> None:
    """Somebody works a page off while undoing begins and walks: all of that page is undone in the end."""
    world = World(LATER)
    buried = failed_jobs(world, 3)
    task = start(world)

    def act(at: int, _: str) -> None:
        if at == moment:
            world.undo_redrive.execute(TENANT, task.id)
            world.process_bulk_tasks.execute()

    world.steps.at_each = act
    world.process_bulk_tasks.execute()
    world.steps.calm()
    if standing(world, task).undo_asked_at is None:
        return
    undone = undo(world, task)
    assert undone.state is TaskState.UNDONE
    made = all_redrives(world, buried)
    assert all(world.standing(one.id).state is State.CANCELLED for one in made)
    assert undone.counts.cancelled == len(made)


def test_dead_letter_of_an_undone_redrive_can_be_redriven_again() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 2)
    undo(world, start(world))
    again = start(world)
    world.process_bulk_tasks.execute()
    assert [one.redrive_of.number for one in all_redrives(world, buried) if one.redrive_of] == [1, 1]
    assert standing(world, again).counts.redriven == 2


def test_redrives_after_an_undo_of_filed_ones_are_the_next_ones() -> None:
    world = World(LATER)
    (buried,) = failed_jobs(world, 1)
    task = start(world)
    world.process_bulk_tasks.execute()
    undo(world, task)
    again = start(world)
    world.process_bulk_tasks.execute()
    first, second = redrives_of(world, buried)
    assert (first.state, second.state) == (State.CANCELLED, State.QUEUED)
    assert standing(world, again).counts.redriven == 1
    assert undo(world, again).counts.cancelled == 1


def test_undo_lets_redrives_of_others_be() -> None:
    world = World(LATER)
    first, second = failed_jobs(world, 2)
    pressed = world.redrive.execute(TENANT, str(first.id)).execution
    world.clock.time_ms += 1
    undone = undo(world, _started(world))
    assert undone.counts == TaskCounts(skipped=1, redriven=1, cancelled=1)
    assert world.standing(pressed.id).state is State.QUEUED
    assert redrives_of(world, second)[0].state is State.CANCELLED


def _started(world: World) -> RedriveTask:
    task = start(world)
    world.process_bulk_tasks.execute()
    return task


def test_undo_of_a_bulk_redrive_is_idempotent() -> None:
    world = World(LATER)
    failed_jobs(world, 1)
    undone = undo(world, _started(world))
    assert world.undo_redrive.execute(TENANT, undone.id) == undone


def test_an_undo_waits_for_another_that_is_open() -> None:
    world = World(LATER)
    failed_jobs(world, 1)
    first = _started(world)
    start(world, rate=5)
    with pytest.raises(InvalidStateError):
        world.undo_redrive.execute(TENANT, first.id)


@pytest.mark.parametrize("task_id", ["", "rdr_", "rdr_" + "0" * 26, "x" * 3_000])
def test_unknown_redrive_task_is_not_found(task_id: str) -> None:
    with pytest.raises(NotFoundError):
        World(LATER).undo_redrive.execute(TENANT, task_id)


def test_rejected_request_is_counted_on_no_job_and_reported_to_operators() -> None:
    world = World(LATER)
    failed_jobs(world, 2)
    task = start(world)
    world.steps.reject("batches.put_all_if_absent")
    assert world.process_bulk_tasks.execute().unreadable == [task.id]
    assert standing(world, task).counts == TaskCounts()


def test_a_store_that_does_not_answer_is_asked_again_by_the_next_run() -> None:
    world = World(LATER)
    buried = failed_jobs(world, 2)
    task = start(world)
    world.steps.fail("batches.put_all_if_absent")
    assert world.process_bulk_tasks.execute().unavailable == 1
    assert standing(world, task).counts == TaskCounts()
    world.process_bulk_tasks.execute()
    assert len(all_redrives(world, buried)) == 2
