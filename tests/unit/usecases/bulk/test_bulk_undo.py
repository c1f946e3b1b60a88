"""The undo of a bulk operation: what the task changed and nobody since; the rest is counted, and left alone."""

from contextlib import suppress

import pytest

from shared.domain.bulk.actions import BulkAction
from shared.domain.bulk.job_task import HOUR_MS, JobTaskState
from shared.domain.bulk.members import Member
from shared.domain.bulk.patch import JobPatch
from shared.domain.bulk.task import SETTLED_MS
from shared.domain.errors import InvalidStateError
from shared.domain.executions.states import State
from shared.domain.jobs.job import JobState
from shared.names import Lane
from shared.usecases.bulk import process_job_tasks
from tests.support.builders import TENANT, with_changes
from tests.support.usecases.bulk import (
    NOW,
    change,
    delete,
    jobs,
    standing,
    start,
    states,
    stored,
    undo,
    work,
)
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

PATCH = JobPatch(values={Member.LANE: Lane.BULK}, add_tags=("slow",), remove_tags=("billing",))


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_job_tasks, "PAGE", 4)


def test_undo_of_a_pause_resumes_what_it_paused_and_nothing_else() -> None:
    world = World(NOW)
    tagged = jobs(world, 10)
    world.lifecycle.pause.execute(TENANT, tagged[0].id, reason="mine")
    task = start(world)
    work(world)
    undone = undo(world, task)
    assert states(world, tagged) == [JobState.PAUSED] + [JobState.ACTIVE] * 9
    assert stored(world, tagged[0]).pause_reason == "mine"
    assert (undone.state, undone.counts.undone, undone.counts.changed_since) == (JobTaskState.UNDONE, 9, 0)


def test_job_that_was_changed_since_is_left_alone_and_counted() -> None:
    world = World(NOW)
    tagged = jobs(world, 4)
    task = start(world)
    work(world)
    change(world, tagged[0])
    world.lifecycle.resume.execute(TENANT, tagged[1].id)
    world.lifecycle.pause.execute(TENANT, tagged[1].id)
    world.delete_job.execute(TENANT, tagged[2].id)
    undone = undo(world, task)
    assert states(world, tagged) == [JobState.PAUSED, JobState.PAUSED, JobState.DELETED, JobState.ACTIVE]
    counts = undone.counts
    assert (counts.undone, counts.changed_since, counts.gone) == (1, 2, 1)


def test_undo_of_a_resume_pauses_again_for_the_old_reason() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    world.lifecycle.pause.execute(TENANT, tagged[0].id, reason="broken receiver")
    task = start(world, BulkAction.RESUME)
    work(world)
    undone = undo(world, task)
    assert states(world, tagged) == [JobState.PAUSED, JobState.ACTIVE, JobState.ACTIVE]
    assert stored(world, tagged[0]).pause_reason == "broken receiver"
    assert undone.counts.undone == 1


def test_undo_within_the_grace_of_a_deletion_resumes_its_jobs() -> None:
    world = World(NOW)
    tagged = jobs(world, 6)
    task = delete(world)
    work(world)
    world.clock.time_ms += 23 * HOUR_MS
    undone = undo(world, task)
    world.clock.time_ms += 48 * HOUR_MS
    work(world)
    assert states(world, tagged) == [JobState.ACTIVE] * 6
    assert undone.counts.undone == 6


def test_undo_after_the_grace_counts_deleted_jobs_as_gone() -> None:
    world = World(NOW)
    tagged = jobs(world, 2)
    task = delete(world, grace_hours=1)
    work(world)
    world.clock.time_ms += HOUR_MS
    work(world)
    undone = undo(world, task)
    assert states(world, tagged) == [JobState.DELETED] * 2
    assert (undone.counts.undone, undone.counts.gone) == (0, 2)


def test_deletion_without_grace_cannot_be_undone() -> None:
    world = World(NOW)
    jobs(world, 1)
    task = delete(world, grace_hours=0)
    with pytest.raises(InvalidStateError, match="cannot be undone"):
        world.change_job_task.undo(TENANT, task.id)


def test_undo_of_a_patch_restores_the_former_members() -> None:
    world = World(NOW)
    tagged = [*jobs(world, 3, tags=("billing", "b")), *jobs(world, 1, first=9, tags=("slow", "billing"))]
    before = [stored(world, job).definition for job in tagged]
    task = start(world, BulkAction.PATCH, patch=PATCH)
    work(world)
    change(world, tagged[1])
    undone = undo(world, task)
    after = [stored(world, job).definition for job in tagged]
    assert (after[0], *after[2:]) == (before[0], *before[2:])
    assert (after[1].tags, after[1].call.lane) == (("b", "slow"), Lane.BULK)
    assert (undone.counts.undone, undone.counts.changed_since) == (3, 1)


def test_undo_of_a_trigger_cancels_the_runs_that_have_not_started() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    task = start(world, BulkAction.TRIGGER)
    work(world)
    runs = [row.execution for row in world.table.executions.values() if row.execution.recurrence is None]
    begun = next(run for run in runs if run.job_id == tagged[0].id)
    world.table.executions[begun.id].execution = with_changes(begun, state=State.SUCCEEDED, attempt=1)
    undone = undo(world, task)
    assert (undone.counts.undone, undone.counts.changed_since) == (2, 1)
    assert [world.standing(run.id).state for run in runs].count(State.CANCELLED) == 2


def test_undo_stops_a_running_operation() -> None:
    world = World(NOW)
    tagged = jobs(world, 12)
    task = start(world)
    turns = iter([True, False])
    world.process_bulk_tasks.execute(lambda: next(turns))
    undone = undo(world, task)
    assert states(world, tagged) == [JobState.ACTIVE] * 12
    assert (undone.state, undone.counts.done, undone.counts.undone) == (JobTaskState.UNDONE, 4, 4)


@pytest.mark.parametrize("is_request", [True, False])
def test_page_that_is_worked_on_when_the_undo_begins_is_undone_by_its_second_pass(is_request: bool) -> None:
    world = World(NOW)
    tagged = jobs(world, 4)
    task = start(world)

    def overtake() -> None:
        undoing = world.change_job_task.undo(TENANT, task.id)
        if is_request:
            world.process_job_tasks.first_page(undoing)
        else:
            work(world)

    world.steps.after("bulk_pages.begin", overtake)
    work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 4
    assert standing(world, task).state is JobTaskState.UNDOING
    world.clock.time_ms += SETTLED_MS
    work(world)
    assert states(world, tagged) == [JobState.ACTIVE] * 4
    assert (standing(world, task).state, standing(world, task).counts.undone) == (JobTaskState.UNDONE, 4)


def test_repeated_undo_has_no_effect() -> None:
    world = World(NOW)
    jobs(world, 1)
    task = start(world)
    work(world)
    undone = undo(world, task)
    assert world.change_job_task.undo(TENANT, task.id) == undone
    with pytest.raises(InvalidStateError):
        world.change_job_task.cancel(TENANT, task.id)


@pytest.mark.parametrize(
    "action", [BulkAction.PAUSE, BulkAction.RESUME, BulkAction.TRIGGER, BulkAction.PATCH]
)
@pytest.mark.parametrize("moment", range(0, 90, 3))
def test_undo_that_crashes_anywhere_is_completed_by_the_next_run(action: BulkAction, moment: int) -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    if action is BulkAction.RESUME:
        for job in tagged:
            world.lifecycle.pause.execute(TENANT, job.id)
    before = states(world, tagged), [job.tags for job in tagged]
    task = start(world, action, patch=PATCH if action is BulkAction.PATCH else None)
    work(world)
    world.change_job_task.undo(TENANT, task.id)

    def crash(at: int, _: str) -> None:
        if at == moment:
            raise Crash

    world.steps.taken.clear()
    world.steps.at_each = crash
    with suppress(Crash):
        work(world)
    world.steps.calm()
    world.clock.time_ms += SETTLED_MS
    work(world)
    assert (states(world, tagged), [stored(world, job).tags for job in tagged]) == before
    undone = standing(world, task)
    assert (undone.state, undone.counts.undone, undone.counts.changed_since) == (JobTaskState.UNDONE, 3, 0)


def test_undo_of_a_page_without_results_takes_back_its_own_pauses_alone() -> None:
    """The reason of a pause tells the task's own."""
    world = World(NOW)
    tagged = jobs(world, 2)
    task = start(world)
    world.steps.after(
        "bulk_pages.begin", lambda: world.lifecycle.pause.execute(TENANT, tagged[1].id, reason="mine")
    )
    world.steps.before("bulk_pages.finish", die)
    with pytest.raises(Crash):
        work(world)
    undone = undo(world, task)
    assert states(world, tagged) == [JobState.ACTIVE, JobState.PAUSED]
    assert (undone.counts.undone, undone.counts.changed_since) == (1, 0)
