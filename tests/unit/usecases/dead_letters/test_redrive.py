"""REDRIVE: one execution more for a dead letter, however often it is asked for, and nothing else is touched."""

import copy

import pytest

from shared.domain.errors import InvalidStateError, NotFoundError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import MAX_REDRIVES, RedriveOf
from shared.domain.executions.retention import DAY_SECONDS
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import JobState
from shared.domain.listings.position import history_position
from shared.domain.schedules.schedule import Backfill, Rate, format_instant
from shared.names import Lane
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    TENANT,
    in_every_state,
    in_state,
    one_off,
    with_changes,
)
from tests.support.usecases.redrives import GONE, LATER, bury, dead, failed_run, press, redrives_of, run_out
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World


def test_the_redrive_is_a_fresh_execution_of_the_same_request_due_now() -> None:
    world = World(LATER)
    failed = dead(world)
    made = world.redrive.execute(TENANT, str(failed.id))
    redrive = made.execution
    assert not made.replayed
    assert (redrive.state, redrive.attempt, redrive.progress.outcomes, redrive.progress.end_reason) == (
        State.QUEUED,
        0,
        (),
        None,
    )
    assert (redrive.job_id, redrive.call.request, redrive.call.retry) == (
        failed.job_id,
        failed.call.request,
        failed.call.retry,
    )
    assert (redrive.id.dispatch_at, redrive.scheduled_at) == (LATER, failed.scheduled_at)
    assert redrive.redrive_of == RedriveOf(original=failed.id, number=1)
    assert world.sent() == [redrive.id]


def test_redrive_is_called_with_its_own_id_and_for_the_same_instant() -> None:
    world = World(LATER)
    failed = dead(world)
    redrive = press(world, failed)
    assert run_out(world, redrive).state is State.SUCCEEDED
    (call,) = world.sender.calls
    headers = dict(call.callback.headers)
    assert headers["webhook-id"] == str(redrive.id)
    assert headers["X-Job-Id"] == failed.job_id


def test_redriven_execution_changes_only_by_the_id_of_its_redrive() -> None:
    world = World(LATER)
    failed = dead(world)
    redrive = press(world, failed)
    run_out(world, redrive)
    standing = world.standing(failed.id)
    assert standing.progress.redriven_by is not None
    assert standing.progress.redriven_by.execution == redrive.id
    assert with_changes(standing, redriven_by=None) == failed
    assert world.table.executions[failed.id].expires_at_s == EXPIRES_AT_S


@pytest.mark.parametrize("waits_ms", [0, 1, 60_000])
def test_pressing_twice_is_pressing_once(waits_ms: int) -> None:
    world = World(LATER)
    failed = dead(world)
    first = press(world, failed)
    world.clock.time_ms += waits_ms
    again = world.redrive.execute(TENANT, str(failed.id))
    assert (again.execution.id, again.replayed) == (first.id, True)
    assert len(redrives_of(world, failed)) == 1


def test_a_success_is_never_redriven_whatever_is_pressed() -> None:
    world = World(LATER)
    failed = dead(world)
    redrive = press(world, failed)
    run_out(world, redrive)
    assert press(world, failed).id == redrive.id
    with pytest.raises(InvalidStateError):
        press(world, redrive)
    assert len(redrives_of(world, failed)) == 1


def test_redrive_after_a_failed_redrive_has_the_next_number_of_the_same_original() -> None:
    world = World(LATER, answer_to=lambda _: GONE)
    failed = dead(world)
    ids = set()
    pressed: Execution = failed
    for number in (1, 2, 3):
        world.clock.time_ms += 1_000
        pressed = press(world, pressed if number % 2 else failed)
        assert pressed.redrive_of == RedriveOf(original=failed.id, number=number)
        assert run_out(world, pressed).state is State.FAILED
        ids.add(pressed.id)
    assert len(ids) == 3


def test_a_cancelled_redrive_makes_room_for_another() -> None:
    world = World(LATER)
    failed = dead(world)
    first = press(world, failed)
    world.cancel_redrive.execute(TENANT, str(first.id))
    world.clock.time_ms += 1
    second = press(world, failed)
    assert second.redrive_of == RedriveOf(original=failed.id, number=2)
    with pytest.raises(InvalidStateError):
        press(world, first)


@pytest.mark.parametrize("moment", range(40))
def test_concurrent_redrives_of_a_dead_letter_get_the_same_execution(moment: int) -> None:
    world = World(LATER)
    failed = dead(world)
    rival: list[ExecutionId] = []

    def act(at: int, _: str) -> None:
        if at == moment:
            world.clock.time_ms += 7
            rival.append(press(world, failed).id)

    world.steps.at_each = act
    mine = press(world, failed).id
    world.steps.calm()
    assert len(redrives_of(world, failed)) == 1
    assert {mine, *rival} == {mine}


@pytest.mark.parametrize("moment", range(3, 20, 2))
def test_crashed_redrive_is_finished_by_the_next_request(moment: int) -> None:
    world = World(LATER)
    failed = large(world)

    def die(at: int, _: str) -> None:
        if at == moment:
            raise Crash

    world.steps.at_each = die
    try:
        press(world, failed)
    except Crash:
        world.clock.time_ms += 90_000
        world.table.drop_expired(world.clock.time_ms, lambda: True)
    world.steps.calm()
    redrive = press(world, failed)
    assert redrives_of(world, failed) == [redrive]
    assert redrive.id in world.sent()
    assert run_out(world, redrive).state is State.SUCCEEDED
    assert history_position(redrive) in {place for *_, place in world.table.extras}


def test_an_answer_that_is_lost_chooses_no_second_one() -> None:
    world = World(LATER)
    failed = dead(world)
    world.steps.lose_answer("store.mark_redriven")
    with pytest.raises(UnavailableError):
        press(world, failed)
    world.clock.time_ms += 5
    press(world, failed)
    (only,) = redrives_of(world, failed)
    assert only.id.dispatch_at == LATER


@pytest.mark.parametrize("execution", in_every_state(), ids=lambda one: one.state.value)
def test_only_a_failed_execution_is_redriven(execution: Execution) -> None:
    if execution.state in (State.FAILED, State.MOVED):
        return
    world = World(LATER)
    world.put(execution)
    before = copy.deepcopy(world.table)
    with pytest.raises(InvalidStateError, match=execution.state.value):
        press(world, execution)
    assert world.table == before


@pytest.mark.parametrize("text", ["", "exe_", "exe_1" + "0" * 30, "job_1" + "0" * 30, "x" * 5_000])
def test_redrive_of_an_unknown_execution_is_not_found(text: str) -> None:
    world = World(LATER)
    with pytest.raises(NotFoundError):
        world.redrive.execute(TENANT, text)


def test_redrive_of_a_dead_letter_of_another_tenant_is_not_found() -> None:
    world = World(LATER)
    failed = dead(world, tenant_id="somebody-else")
    with pytest.raises(NotFoundError):
        press(world, failed)


def test_a_chain_and_the_number_of_its_runs_are_not_touched() -> None:
    world = World(LATER)
    made = world.recurring(max_runs=2, overlap_policy="skip")
    first = failed_run(world)
    before = world.occurrences(made)
    redrive = press(world, first)
    assert (redrive.recurrence, redrive.run) == (None, 1)
    assert run_out(world, redrive).state is State.SUCCEEDED
    after = {one.id for one in world.occurrences(made).values()} | {first.id, redrive.id}
    assert after == {one.id for one in before.values()} | {first.id, redrive.id}
    assert world.table.jobs[TENANT, made.id].state is JobState.ACTIVE


def test_the_redrive_of_a_run_stands_in_the_history_of_its_job() -> None:
    world = World(LATER)
    made = world.recurring()
    first = failed_run(world)
    redrive = press(world, first)
    page = world.list_executions.execute(TENANT, made.id, limit=10)
    assert {redrive.id, first.id} <= {one.id for one in page.executions}


def test_the_redrive_of_a_one_off_stands_in_its_history_and_is_no_job() -> None:
    world = World(LATER)
    failed = dead(world)
    redrive = press(world, failed)
    page = world.list_executions.execute(TENANT, failed.job_id, limit=10)
    assert [one.id for one in page.executions] == [redrive.id, failed.id]
    with pytest.raises(NotFoundError):
        world.find_job.execute(TENANT, f"job_{redrive.id.body}")
    assert world.find_job.execute(TENANT, failed.job_id) == world.standing(failed.id)


@pytest.mark.parametrize("state", [JobState.ACTIVE, JobState.PAUSED, JobState.COMPLETED])
def test_runs_of_jobs_that_stand_are_redriven(state: JobState) -> None:
    world = World(LATER)
    world.recurring(state=state)
    redrive = press(world, failed_run(world))
    assert run_out(world, redrive).state is State.SUCCEEDED


@pytest.mark.parametrize("state", [JobState.DELETING, JobState.DELETED, None])
def test_a_deletion_holds_against_every_redrive(state: JobState | None) -> None:
    world = World(LATER)
    made = world.recurring(state=state or JobState.ACTIVE)
    first = failed_run(world)
    if state is None:
        del world.table.jobs[TENANT, made.id]
    with pytest.raises(InvalidStateError, match="deleted"):
        press(world, first)
    assert len(world.table.executions) == 1


def test_a_deletion_that_comes_after_the_redrive_was_filed_holds_too() -> None:
    world = World(LATER)
    made = world.recurring()
    redrive = press(world, failed_run(world))
    world.delete_job.execute(TENANT, made.id)
    assert run_out(world, redrive).state is State.CANCELLED
    assert world.sender.calls == []


def large(world: World) -> Execution:
    """A dead letter whose request stands apart, and is to go with it."""
    failed = dead(world)
    apart = with_changes(failed, request=b"", payload_id=failed.job_id)
    world.table.executions[failed.id].execution = apart
    world.table.payloads[TENANT, failed.job_id] = failed.call.request
    world.table.payload_expires_at_s[TENANT, failed.job_id] = LATER // 1000 + 60
    return apart


def test_a_large_request_stays_for_as_long_as_its_redrive_may_need_it() -> None:
    world = World(LATER)
    failed = large(world)
    redrive = press(world, failed)
    world.table.drop_expired(LATER + 13 * DAY_SECONDS * 1000, lambda: True)
    assert run_out(world, redrive).state is State.SUCCEEDED


def test_the_end_of_a_redrive_takes_nothing_away_from_the_next_one() -> None:
    """The first, which ends late, must not shorten what the request is kept for."""
    world = World(LATER, answer_to=lambda _: GONE)
    failed = large(world)
    press(world, failed)
    kept = world.table.payload_expires_at_s[TENANT, failed.job_id]
    world.finalize.execute(failed)
    assert world.table.payload_expires_at_s[TENANT, failed.job_id] >= kept


def test_a_large_request_of_a_living_job_is_not_made_to_expire() -> None:
    world = World(LATER)
    world.recurring(payload_id="name")
    first = failed_run(world)
    world.table.payloads[TENANT, "name"] = b"sealed"
    press(world, first)
    assert (TENANT, "name") not in world.table.payload_expires_at_s


def test_execution_without_its_request_is_not_redriven() -> None:
    world = World(LATER)
    failed = large(world)
    del world.table.payloads[TENANT, failed.job_id]
    with pytest.raises(InvalidStateError, match="kept"):
        press(world, failed)
    assert world.standing(failed.id).progress.redriven_by is None


def test_a_redrive_whose_record_has_gone_is_not_made_again() -> None:
    """TTL takes what has expired in no order: the redrive may go first, though it ended last."""
    world = World(LATER)
    failed = dead(world)
    redrive = press(world, failed)
    run_out(world, redrive)
    world.clock.time_ms = LATER + 15 * DAY_SECONDS * 1000
    del world.table.executions[redrive.id]
    with pytest.raises(NotFoundError):
        press(world, failed)
    assert redrive.id not in world.table.executions


def test_number_of_redrives_of_an_execution_is_limited() -> None:
    world = World(LATER)
    original = one_off(9)
    last = RedriveOf(original=original.id, number=MAX_REDRIVES)
    failed = bury(world, with_changes(in_state(one_off(), State.FAILED), attempt=1, redrive_of=last))
    with pytest.raises(InvalidStateError, match=str(MAX_REDRIVES)):
        press(world, failed)


def test_a_run_that_was_caught_up_with_is_redriven_in_the_lane_of_its_job() -> None:
    world = World(LATER)
    failed = bury(world, dead(world, lane=Lane.CRITICAL).progressed(lane=Lane.BULK))
    redrive = press(world, failed)
    assert (redrive.lane, redrive.progress.lane) == (Lane.CRITICAL, None)


def test_a_start_deadline_that_has_passed_holds_no_redrive_back() -> None:
    world = World(LATER)
    failed = dead(world, start_deadline_at=DUE_AT + 1)
    assert run_out(world, press(world, failed)).state is State.SUCCEEDED


def test_late_message_for_a_redriven_run_does_not_file_its_successor_again() -> None:
    """The rescue of a message for a run that was redriven files the successor as ever, and that is not marked."""
    world = World(LATER)
    made = world.recurring()
    first = failed_run(world)
    press(world, first)
    world.file_successor.execute(world.standing(first.id))
    following = [one for one in world.occurrences(made).values() if one.nominal_at > first.nominal_at]
    assert [one.progress.redriven_by for one in following] == [None] * len(following)
    assert following


def test_redrive_of_a_backfill_run_is_for_the_same_past_instant() -> None:
    world = World(LATER)
    past = Rate(interval_ms=3_600_000, anchor=DUE_AT - 36_000_000)
    schedule = Backfill(
        of=past, from_at=past.anchor, to_at=DUE_AT, count=9, interval_ms=60_000, anchor=DUE_AT
    )
    world.recurring(schedule=schedule)
    first = failed_run(world)
    redrive = press(world, first)
    assert redrive.scheduled_at == first.scheduled_at == past.anchor
    assert run_out(world, redrive).state is State.SUCCEEDED
    assert dict(world.sender.calls[0].callback.headers)["X-Scheduled-At"] == format_instant(past.anchor)
