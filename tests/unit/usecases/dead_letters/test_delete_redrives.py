"""DELETE of a recurring job with redrives beside its schedule: none of them begins, and none is left open."""

from contextlib import suppress

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_backfill import NewBackfill
from shared.usecases.chains.stop_running_executions import STOPPING_MS
from tests.support.builders import DUE_AT, TENANT, in_state, with_changes
from tests.support.usecases.backfills import HOUR, hourly
from tests.support.usecases.notifications import both, notifications
from tests.support.usecases.redrives import LATER, bury, failed_run, redrives_of, run_out, start
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

FEW, MANY = 3, 250


def with_redrives(count: int) -> tuple[World, Job, list[Execution]]:
    """A job of which so many runs have failed, each with a redrive that has not begun."""
    world = World(LATER)
    made = world.recurring(callbacks=both(world))
    first = failed_run(world)
    nominal = [first.nominal_at - number * 60_000 for number in range(1, count)]
    earlier = [made.occurrence(at, created_at=made.created_at) for at in nominal]
    dead = [first, *(bury(world, with_changes(in_state(one, State.FAILED), attempt=1)) for one in earlier)]
    start(world, rate=1_000)
    world.process_bulk_tasks.execute()
    redrives = [one for each in dead for one in redrives_of(world, each)]
    assert len(redrives) == count
    return world, made, redrives


def is_ended_by_deletion(world: World, redrive: Execution) -> bool:
    standing = world.standing(redrive.id)
    return (standing.state, standing.progress.end_reason) == (State.CANCELLED, EndReason.JOB_DELETED)


def test_deletion_cancels_any_number_of_open_redrives() -> None:
    world, made, redrives = with_redrives(MANY)
    world.lifecycle.delete.execute(TENANT, made.id)
    assert all(is_ended_by_deletion(world, one) for one in redrives)
    for one in redrives:
        run_out(world, one)
    assert (world.sender.calls, notifications(world)) == ([], {})


def test_a_full_last_page_is_the_last() -> None:
    world, made, redrives = with_redrives(100)
    world.lifecycle.delete.execute(TENANT, made.id)
    assert all(is_ended_by_deletion(world, one) for one in redrives)


@pytest.mark.parametrize("moment", range(70))
def test_redrives_left_by_a_crashed_deletion_are_ended_by_the_next_and_never_called(moment: int) -> None:
    world, made, redrives = with_redrives(FEW)

    def die(at: int, _: str) -> None:
        if at == moment:
            raise Crash

    world.steps.taken.clear()
    world.steps.at_each = die
    with suppress(Crash):
        world.lifecycle.delete.execute(TENANT, made.id)
    world.steps.calm()
    is_asked_for = world.table.jobs[TENANT, made.id].state in (JobState.DELETING, JobState.DELETED)
    if is_asked_for:
        run_out(world, redrives[0])
        assert world.sender.calls == []
    world.lifecycle.delete.execute(TENANT, made.id)
    assert world.table.jobs[TENANT, made.id].state is JobState.DELETED
    assert all(is_ended_by_deletion(world, one) for one in redrives[1:])
    assert world.standing(redrives[0].id).state in (State.CANCELLED, State.FAILED)


def test_deletion_is_answered_in_time_and_the_remaining_redrives_end_without_a_call() -> None:
    world, made, redrives = with_redrives(MANY)

    def take_long() -> None:
        world.clock.time_ms += STOPPING_MS

    world.steps.after("jobs.extras", take_long, times=9)
    world.lifecycle.delete.execute(TENANT, made.id)
    world.steps.calm()
    assert world.table.jobs[TENANT, made.id].state is JobState.DELETED
    left = [one for one in redrives if not is_ended_by_deletion(world, one)]
    assert len(left) == MANY - 100
    for one in left:
        ended = run_out(world, one)
        assert (ended.state, ended.progress.end_reason) == (State.FAILED, EndReason.JOB_DELETED)
    assert world.sender.calls == []


def test_deletion_stops_one_page_of_redrives_for_each_backfill_after_the_time_for_all_of_them() -> None:
    case = hourly()
    for hours in (50, 40, 30):
        range_of_two = NewBackfill(from_at=DUE_AT - hours * HOUR, to_at=DUE_AT - (hours - 2) * HOUR)
        case.ask(range_of_two, key=f"{hours} hours ago")
    pages = []

    def take_long() -> None:
        pages.append(case.world.clock.now_ms())
        case.world.clock.time_ms += STOPPING_MS

    case.world.steps.after("jobs.extras", take_long, times=99)
    assert case.delete().state is JobState.DELETED
    case.world.steps.calm()
    assert len(pages) == 1 + len(case.backfills()) == 4
    case.assert_ended()
