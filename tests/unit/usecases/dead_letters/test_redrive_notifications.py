"""REDRIVE of a notification that failed: it tells of the same end, and is no more of its job than that was."""

from typing import Any

import pytest

from shared.domain.dead_letters.redrive_task import TaskCounts, TaskState
from shared.domain.errors import InvalidStateError, UnknownVersionError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import JobState
from tests.support.builders import TENANT
from tests.support.fakes.table import Damage
from tests.support.usecases.notifications import (
    OK,
    answering,
    body_of,
    both,
    ended,
    notifications,
    telling,
    told_one_off,
)
from tests.support.usecases.redrives import GONE, press, run_out, standing, start
from tests.support.usecases.world import World


def untold(world: World, execution: Execution) -> Execution:
    """The notification of an execution that is run now, which its receiver wants no more."""
    told_of = ended(world, execution)
    ((telling_of_it,),) = notifications(world).values()
    failed = run_out(world, telling_of_it)
    assert (failed.notification_of, failed.state) == (told_of.id, State.FAILED)
    world.sender.answer_to = lambda _: OK
    world.sender.calls.clear()
    return failed


def of_one_off() -> tuple[World, Execution]:
    world = answering(OK, told=GONE)
    return world, untold(world, told_one_off(world))


def of_recurring(**fields: Any) -> tuple[World, Execution]:
    world = answering(OK, told=GONE)
    world.recurring(callbacks=both(world), **fields)
    (row,) = world.table.executions.values()
    return world, untold(world, row.execution)


@pytest.mark.parametrize("situation", [of_one_off, of_recurring])
def test_redriven_notification_reports_the_same_end_once_more(situation: Any) -> None:
    world, failed = situation()
    redrive = press(world, failed)
    assert (redrive.notification_of, redrive.recurrence) == (failed.notification_of, None)
    assert run_out(world, redrive).state is State.SUCCEEDED
    (call,) = telling(world)
    assert body_of(call)["data"]["execution_id"] == str(failed.notification_of)
    assert [len(each) for each in notifications(world).values()] == [2]


@pytest.mark.parametrize("situation", [of_one_off, of_recurring])
def test_redriven_notification_is_not_in_the_history_of_its_job(situation: Any) -> None:
    world, failed = situation()
    before = world.list_executions.execute(TENANT, failed.job_id, limit=50).executions
    redrive = press(world, failed)
    assert world.list_executions.execute(TENANT, failed.job_id, limit=50).executions == before
    assert world.standing(redrive.id) == redrive


def test_deletion_of_the_job_does_not_cancel_the_redrive_of_a_notification() -> None:
    world, failed = of_recurring()
    redrive = press(world, failed)
    world.lifecycle.delete.execute(TENANT, failed.job_id)
    assert run_out(world, redrive).state is State.SUCCEEDED
    assert len(telling(world)) == 1


@pytest.mark.parametrize("state", [JobState.DELETING, JobState.DELETED])
def test_notification_can_be_redriven_after_its_job_was_deleted(state: JobState) -> None:
    world, failed = of_recurring()
    job = world.table.jobs[TENANT, failed.job_id]
    object.__setattr__(job, "state", state)
    assert run_out(world, press(world, failed)).state is State.SUCCEEDED


def gone(world: World, execution_id: ExecutionId) -> None:
    del world.table.executions[execution_id]


def broken(world: World, execution_id: ExecutionId) -> None:
    world.table.executions[execution_id].damage = Damage.BROKEN


def newer(world: World, execution_id: ExecutionId) -> None:
    world.table.executions[execution_id].damage = Damage.NEWER


@pytest.mark.parametrize("lose", [gone, broken])
def test_redrive_of_a_notification_needs_its_readable_execution(lose: Any) -> None:
    world, failed = of_one_off()
    assert failed.notification_of is not None
    lose(world, failed.notification_of)
    before = set(world.table.executions)
    with pytest.raises(InvalidStateError, match="tells of"):
        press(world, failed)
    assert world.standing(failed.id).progress.redriven_by is None
    assert set(world.table.executions) == before
    task = start(world)
    world.clock.time_ms += 1
    world.process_bulk_tasks.execute()
    assert standing(world, task).counts == TaskCounts(refused=1)


def test_redrive_of_a_notification_waits_where_its_execution_has_a_newer_version() -> None:
    """Whoever is of that version can read it: nothing is decided before."""
    world, failed = of_one_off()
    assert failed.notification_of is not None
    newer(world, failed.notification_of)
    with pytest.raises(UnknownVersionError):
        press(world, failed)
    assert world.standing(failed.id).progress.redriven_by is None
    task = start(world)
    world.clock.time_ms += 1
    assert world.process_bulk_tasks.execute().unreadable == [task.id]
    assert (standing(world, task).state, standing(world, task).counts) == (TaskState.RUNNING, TaskCounts())
    world.table.executions[failed.notification_of].damage = None
    world.process_bulk_tasks.execute()
    assert standing(world, task).counts == TaskCounts(redriven=1)


def test_redrive_of_a_notification_is_idempotent_after_its_execution_has_gone() -> None:
    world, failed = of_one_off()
    redrive = press(world, failed)
    run_out(world, redrive)
    assert failed.notification_of is not None
    gone(world, failed.notification_of)
    again = world.redrive.execute(TENANT, str(failed.id))
    assert (again.execution.id, again.replayed) == (redrive.id, True)
