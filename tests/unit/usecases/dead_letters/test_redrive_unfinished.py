"""REDRIVE by whoever comes after one that died: the redrive that was chosen, as good as new, and one of it."""

import pytest

from shared.domain.bulk.task import SETTLED_MS
from shared.domain.dead_letters.redrive_task import RedriveTask, TaskCounts, TaskState
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy, RedriveOf
from shared.domain.executions.retention import DAY_SECONDS
from shared.domain.executions.states import EndReason, State
from tests.support.builders import TENANT
from tests.support.fakes.table import Damage
from tests.support.usecases.redrives import LATER, dead, press, redrives_of, run_out, standing, start, undo
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

AGE_MS = 60_000
IMPATIENT = RetryPolicy(give_up_after_seconds=AGE_MS // 1000)
BUSY = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=503)


def die_at(world: World, moment: int) -> None:
    def die(at: int, _: str) -> None:
        if at == moment:
            raise Crash

    world.steps.at_each = die


def left_behind(world: World, failed: Execution) -> None:
    """Somebody pressed, and died when the redrive was chosen."""
    world.steps.crash_after("store.mark_redriven")
    with pytest.raises(Crash):
        press(world, failed)
    world.steps.calm()


def chosen_in_bulk(world: World) -> RedriveTask:
    """Somebody worked a bulk redrive off, and died when the first of its redrives was chosen."""
    task = start(world)
    world.steps.crash_after("redrive_batches.mark_all")
    with pytest.raises(Crash):
        world.process_bulk_tasks.execute()
    world.steps.calm()
    return task


@pytest.mark.parametrize("moment", range(22))
def test_redrive_filed_late_has_its_whole_maximum_age(moment: int) -> None:
    world = World(LATER)
    failed = dead(world, retry=IMPATIENT)
    die_at(world, moment)
    try:
        press(world, failed)
    except Crash:
        world.clock.time_ms += 2 * AGE_MS
    world.steps.calm()
    was_filed = bool(redrives_of(world, failed))
    redrive = press(world, failed)
    assert redrives_of(world, failed) == [redrive]
    ended = run_out(world, redrive)
    if was_filed and world.clock.now_ms() > LATER + AGE_MS:
        assert (ended.state, ended.progress.end_reason, world.sender.calls) == (
            State.FAILED,
            EndReason.TOO_OLD,
            [],
        )
    else:
        assert (ended.state, len(world.sender.calls)) == (State.SUCCEEDED, 1)


@pytest.mark.parametrize("moment", range(60))
def test_execution_of_a_late_bulk_redrive_has_its_whole_maximum_age(moment: int) -> None:
    world = World(LATER)
    buried = [dead(world, number, retry=IMPATIENT) for number in (1, 2)]
    task = start(world)
    die_at(world, moment)
    filed: list[Execution] = []
    try:
        world.process_bulk_tasks.execute()
    except Crash:
        world.clock.time_ms += 2 * AGE_MS
        filed = [one for each in buried for one in redrives_of(world, each)]
    world.steps.calm()
    world.process_bulk_tasks.execute()
    made = [one for each in buried for one in redrives_of(world, each)]
    assert [one.redrive_of.number for one in made if one.redrive_of] == [1, 1]
    for one in made:
        world.clock.time_ms = max(world.clock.time_ms, one.id.dispatch_at)
        assert run_out(world, one).state is (State.FAILED if one in filed else State.SUCCEEDED)
    assert standing(world, task).counts == TaskCounts(redriven=2)


def test_the_age_holds_from_when_it_was_filed() -> None:
    world = World(LATER)
    failed = dead(world, retry=IMPATIENT)
    left_behind(world, failed)
    world.clock.time_ms += 2 * AGE_MS
    redrive = press(world, failed)
    world.clock.time_ms += AGE_MS + 1
    assert run_out(world, redrive).progress.end_reason is EndReason.TOO_OLD
    assert world.sender.calls == []


def test_a_retry_of_what_was_filed_late_is_set_within_its_age() -> None:
    world = World(LATER, answer_to=lambda _: BUSY)
    failed = dead(world, retry=IMPATIENT)
    left_behind(world, failed)
    world.clock.time_ms += 2 * AGE_MS
    ended = run_out(world, press(world, failed))
    assert (ended.state, ended.id.dispatch_at) == (State.WAITING, LATER)


def test_the_age_of_what_is_due_later_counts_from_then() -> None:
    """A redrive that is filed ahead of its time is not older for that."""
    world = World(LATER)
    failed = [dead(world, number, retry=IMPATIENT) for number in (1, 2)]
    start(world, rate=1)
    world.process_bulk_tasks.execute()
    (redrive,) = redrives_of(world, failed[1])
    assert redrive.id.dispatch_at == redrive.aged_from == LATER + 1_000 > redrive.created_at


def test_the_age_of_a_job_that_was_filed_late_counts_from_when_it_was_due() -> None:
    world = World(LATER)
    late = world.one_off(retry=IMPATIENT)
    assert late.redrive_of is None
    assert late.created_at != late.aged_from == late.id.dispatch_at


def chosen_by_one_who_died(world: World, failed: Execution, task: str | None) -> None:
    """A redrive was chosen for it, and never filed."""
    left_behind(world, failed)
    row = world.table.executions[failed.id]
    assert row.execution.progress.redriven_by is not None
    mark = RedrivenBy(execution=row.execution.progress.redriven_by.execution, task=task)
    row.execution = row.execution.progressed(redriven_by=mark)


def test_a_redrive_that_somebody_pressed_and_died_is_filed_by_a_bulk_redrive_and_is_not_its_own() -> None:
    world = World(LATER)
    failed = dead(world)
    chosen_by_one_who_died(world, failed, None)
    world.clock.time_ms += 5
    task = start(world)
    world.process_bulk_tasks.execute()
    (redrive,) = redrives_of(world, failed)
    assert (redrive.id.dispatch_at, standing(world, task).counts) == (
        LATER,
        TaskCounts(skipped=1),
    )
    assert undo(world, task).counts == TaskCounts(skipped=1)
    assert world.standing(redrive.id).state is State.QUEUED


@pytest.mark.parametrize("moment", range(40))
def test_redrive_without_an_execution_is_undone_with_its_bulk_redrive(moment: int) -> None:
    """Nobody files it afterwards in the name of a redrive that was undone: whoever comes next makes the next one."""
    world = World(LATER)
    failed = dead(world)
    first = start(world)
    die_at(world, moment)
    try:
        world.process_bulk_tasks.execute()
    except Crash:
        world.steps.calm()
    world.steps.calm()
    is_chosen = world.standing(failed.id).progress.redriven_by is not None
    undone = undo(world, first)
    assert (undone.state, undone.counts.cancelled) == (TaskState.UNDONE, int(is_chosen))
    assert all(one.state is State.CANCELLED for one in redrives_of(world, failed))
    assert standing_in_history(world, failed) == {failed.id, *(one.id for one in redrives_of(world, failed))}
    second = start(world)
    world.process_bulk_tasks.execute()
    *_, made = redrives_of(world, failed)
    assert made.redrive_of == RedriveOf(original=failed.id, number=2 if is_chosen else 1)
    assert (made.state, standing(world, second).counts) == (State.QUEUED, TaskCounts(redriven=1))
    assert undo(world, second).counts.cancelled == 1
    assert world.standing(made.id).state is State.CANCELLED


def standing_in_history(world: World, failed: Execution) -> set[object]:
    page = world.list_executions.execute(TENANT, failed.job_id, limit=10)
    return {one.id for one in page.executions}


@pytest.mark.parametrize("moment", range(30))
def test_crashed_undo_of_a_redrive_without_an_execution_is_finished_by_the_next(moment: int) -> None:
    world = World(LATER)
    failed = dead(world)
    task = chosen_in_bulk(world)
    world.undo_redrive.execute(TENANT, task.id)
    die_at(world, moment)
    try:
        world.process_bulk_tasks.execute()
    except Crash:
        world.clock.time_ms += 1
    world.steps.calm()
    assert undo(world, task).counts.cancelled == 1
    (never,) = redrives_of(world, failed)
    assert (never.state, never.progress.end_reason, never.attempt) == (
        State.CANCELLED,
        EndReason.CANCELLED,
        0,
    )
    expires_at_s = world.table.executions[never.id].expires_at_s
    assert (expires_at_s or 0) >= world.retention.expires_at_s(never.id.dispatch_at)
    assert world.sender.calls == []


def test_stalled_redrive_files_nothing_after_its_choice_was_undone() -> None:
    world = World(LATER)
    failed = dead(world)
    task = start(world)
    world.steps.after("redrive_batches.mark_all", lambda: undo(world, task))
    world.process_bulk_tasks.execute()
    (never,) = redrives_of(world, failed)
    assert (never.state, world.sent()) == (State.CANCELLED, [])
    assert standing(world, task).counts.cancelled == 1


def test_undo_skips_a_redrive_whose_record_has_expired() -> None:
    world = World(LATER)
    buried = [dead(world, number) for number in (1, 2)]
    task = start(world)
    world.process_bulk_tasks.execute()
    (gone,) = redrives_of(world, buried[0])
    run_out(world, gone)
    del world.table.executions[gone.id]
    world.clock.time_ms = gone.id.dispatch_at + 14 * DAY_SECONDS * 1000
    undone = undo(world, task)
    assert (undone.state, undone.counts.cancelled, undone.counts.already_started) == (TaskState.UNDONE, 1, 1)
    assert gone.id not in world.table.executions
    assert world.clock.now_ms() >= (undone.undo_asked_at or 0) + SETTLED_MS


def test_execution_filed_during_the_undo_of_its_redrive_is_cancelled() -> None:
    """Somebody presses what a bulk redrive has chosen, and is faster than its undoing."""
    world = World(LATER)
    failed = dead(world)
    task = chosen_in_bulk(world)
    world.undo_redrive.execute(TENANT, task.id)
    world.steps.before("store.put_if_absent", lambda: press(world, failed))
    world.process_bulk_tasks.execute()
    (redrive,) = redrives_of(world, failed)
    assert run_out(world, redrive).state is State.CANCELLED
    assert world.sender.calls == []
    assert undo(world, task).counts.cancelled == 1


def test_a_redrive_that_is_broken_keeps_no_other_from_being_undone() -> None:
    world = World(LATER)
    buried = [dead(world, number) for number in (1, 2)]
    task = start(world)
    world.process_bulk_tasks.execute()
    (broken,), (other,) = (redrives_of(world, each) for each in buried)
    world.table.executions[broken.id].damage = Damage.BROKEN
    undone = undo(world, task)
    assert (undone.state, undone.counts.cancelled) == (TaskState.UNDONE, 1)
    assert world.standing(other.id).state is State.CANCELLED


def test_undo_leaves_redrives_of_a_newer_version_alone() -> None:
    world = World(LATER)
    failed = dead(world)
    task = start(world)
    world.process_bulk_tasks.execute()
    (newer,) = redrives_of(world, failed)
    world.table.executions[newer.id].damage = Damage.NEWER
    assert undo(world, task).state is TaskState.UNDOING
    world.table.executions[newer.id].damage = None
    assert undo(world, task).counts.cancelled == 1
