"""Guarded executions: runs of a job that must not overlap, and one-off jobs that must not start too late."""

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.domain.schedules.overlap import OverlapPolicy
from shared.usecases.attempts.guard_start import Admission
from tests.support.builders import DUE_AT, TENANT, in_state, with_changes
from tests.support.fakes.sender import in_turn
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.world import World

MINUTE = 60_000
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
STEPS = ("run_locks.read", "run_locks.swap", "store.get", "store.cancel", "store.put_if_absent", "queue.send")


def guarded(policy: OverlapPolicy, *answers: CallbackResponse) -> tuple[World, Job]:
    """A job whose first run is due now."""
    world = World(DUE_AT, answer_to=in_turn(*(answers or (OK,))))
    return world, world.recurring(overlap_policy=policy)


def at(world: World, job: Job, number: int) -> Execution:
    """The run of a minute."""
    return world.standing(job.id_at(DUE_AT + number * MINUTE))


def hold_up(world: World, job: Job, number: int = 0) -> Execution:
    """That run has begun, and does not end."""
    world.file_successor.execute(at(world, job, number))
    first = at(world, job, number)
    assert world.guard_start.execute(first) is Admission.START
    running = in_state(first, State.RUNNING, lease_until=DUE_AT + 60 * MINUTE)
    world.table.executions[first.id].execution = running
    world.clock.time_ms = DUE_AT + (number + 1) * MINUTE
    return running


def end(world: World, execution: Execution) -> None:
    world.table.executions[execution.id].execution = in_state(
        execution, State.SUCCEEDED, owner=None, lease_until=None
    )


@pytest.mark.parametrize("policy", OverlapPolicy)
def test_runs_that_do_not_overlap_all_take_place(policy: OverlapPolicy) -> None:
    world, job = guarded(policy)
    for number in range(3):
        world.clock.time_ms = DUE_AT + number * MINUTE
        world.attempt(at(world, job, number))
        assert at(world, job, number).state is State.SUCCEEDED
    assert [at(world, job, number).attempt for number in range(3)] == [1, 1, 1]


def test_a_run_that_comes_due_during_another_is_recorded_as_skipped_and_the_chain_goes_on() -> None:
    world, job = guarded(OverlapPolicy.SKIP)
    hold_up(world, job)
    report = world.attempt(at(world, job, 1))
    skipped = at(world, job, 1)
    assert (skipped.state, skipped.progress.end_reason, skipped.attempt) == (
        State.SKIPPED,
        EndReason.OVERLAP,
        0,
    )
    assert (world.sender.calls, report.returned()) == ([], [])
    assert at(world, job, 2).state in (State.PENDING, State.QUEUED)
    assert world.table.executions[skipped.id].expires_at_s is not None


def test_a_run_between_two_attempts_has_not_ended() -> None:
    world, job = guarded(OverlapPolicy.SKIP, DOWN, OK)
    world.attempt(at(world, job, 0))
    assert at(world, job, 0).state is State.WAITING
    world.clock.time_ms = DUE_AT + MINUTE
    world.attempt(at(world, job, 1))
    assert at(world, job, 1).progress.end_reason is EndReason.OVERLAP


@pytest.mark.parametrize("final", [State.SUCCEEDED, State.FAILED, State.CANCELLED])
def test_ended_run_no_longer_holds_the_run_lock(final: State) -> None:
    world, job = guarded(OverlapPolicy.SKIP)
    running = hold_up(world, job)
    world.table.executions[running.id].execution = in_state(running, final, owner=None, lease_until=None)
    world.attempt(at(world, job, 1))
    assert at(world, job, 1).state is State.SUCCEEDED


def test_a_record_that_is_gone_holds_nobody_up() -> None:
    world, job = guarded(OverlapPolicy.SKIP)
    running = hold_up(world, job)
    del world.table.executions[running.id]
    world.attempt(at(world, job, 1))
    assert at(world, job, 1).state is State.SUCCEEDED


def test_queued_run_starts_when_the_running_execution_has_ended() -> None:
    world, job = guarded(OverlapPolicy.QUEUE_ONE)
    running = hold_up(world, job)
    report = world.attempt(at(world, job, 1))
    waiting = at(world, job, 1)
    assert (waiting.attempt, report.returned()) == (0, [])
    assert waiting.state in (State.PENDING, State.QUEUED)
    assert at(world, job, 2).state in (State.PENDING, State.QUEUED), "the chain does not wait"
    end(world, running)
    world.queue.messages.clear()
    world.guard_start.wake_waiting(running)
    assert world.sent() == [waiting.id]
    world.attempt(waiting)
    assert at(world, job, 1).state is State.SUCCEEDED


def test_run_that_comes_due_while_another_run_waits_is_skipped() -> None:
    world, job = guarded(OverlapPolicy.QUEUE_ONE)
    hold_up(world, job)
    world.attempt(at(world, job, 1))
    world.clock.time_ms += MINUTE
    world.attempt(at(world, job, 2))
    assert at(world, job, 2).progress.end_reason is EndReason.OVERLAP
    assert at(world, job, 1).state in (State.PENDING, State.QUEUED)


def test_waiting_run_starts_before_a_later_run() -> None:
    world, job = guarded(OverlapPolicy.QUEUE_ONE)
    running = hold_up(world, job)
    world.attempt(at(world, job, 1))
    end(world, running)
    world.clock.time_ms += MINUTE
    world.attempt(at(world, job, 2))
    assert at(world, job, 2).progress.end_reason is EndReason.OVERLAP
    world.attempt(at(world, job, 1))
    assert at(world, job, 1).state is State.SUCCEEDED


def test_cancelled_waiting_run_does_not_block_a_later_run() -> None:
    world, job = guarded(OverlapPolicy.QUEUE_ONE)
    running = hold_up(world, job)
    world.attempt(at(world, job, 1))
    waiting = at(world, job, 1)
    world.table.executions[waiting.id].execution = in_state(waiting, State.CANCELLED)
    end(world, running)
    world.clock.time_ms += MINUTE
    world.attempt(at(world, job, 2))
    assert at(world, job, 2).state is State.SUCCEEDED


def test_an_attempt_that_ends_wakes_whoever_waits() -> None:
    world, job = guarded(OverlapPolicy.QUEUE_ONE, OK)
    first = at(world, job, 0)
    world.steps.before("store.finish", lambda: world.guard_start.execute(at(world, job, 1)))
    world.attempt(first)
    assert job.id_at(DUE_AT + MINUTE) in world.sent()
    assert world.run_locks.read(TENANT, job.id).waiting == job.id_at(DUE_AT + MINUTE)
    assert world.queue.messages[-1].wakeup.keys == (job.id_at(DUE_AT + MINUTE),)


def test_a_word_that_was_lost_is_made_up_for_by_the_sweep() -> None:
    world, job = guarded(OverlapPolicy.QUEUE_ONE)
    running = hold_up(world, job)
    lanes = Lanes(world)
    world.attempt(at(world, job, 1))
    end(world, running)
    world.queue.messages.clear()
    for _ in range(12):
        world.clock.time_ms += 20_000
        world.sweep.execute()
        lanes.until(world.clock.time_ms)
    assert at(world, job, 1).state is State.SUCCEEDED


@pytest.mark.parametrize("policy", [OverlapPolicy.SKIP, OverlapPolicy.QUEUE_ONE])
@pytest.mark.parametrize("step", STEPS)
def test_a_port_that_does_not_answer_leaves_the_message_and_loses_nothing(
    policy: OverlapPolicy, step: str
) -> None:
    world, job = guarded(policy)
    hold_up(world, job)
    for trouble in (world.steps.fail, world.steps.lose_answer):
        trouble(step)
        world.attempt(at(world, job, 1))
        world.steps.calm()
    world.attempt(at(world, job, 1))
    standing = at(world, job, 1)
    skipped = (State.SKIPPED, EndReason.OVERLAP)
    if policy is OverlapPolicy.SKIP:
        assert (standing.state, standing.progress.end_reason) == skipped
    else:
        assert world.run_locks.read(TENANT, job.id).waiting == standing.id
    assert job.id_at(DUE_AT + 2 * MINUTE) in world.table.executions


def test_concurrent_runs_take_the_run_lock_once() -> None:
    world, job = guarded(OverlapPolicy.SKIP)
    world.file_successor.execute(at(world, job, 0))
    rivals: list[Admission] = []
    world.steps.before("run_locks.swap", lambda: rivals.append(world.guard_start.execute(at(world, job, 1))))
    assert world.guard_start.execute(at(world, job, 0)) is Admission.RACE
    assert rivals == [Admission.START]


def test_a_plain_claim_of_a_guarded_run_is_refused_until_it_was_admitted() -> None:
    world, job = guarded(OverlapPolicy.SKIP)
    first = at(world, job, 0)
    assert first.awaits_admission
    world.attempt(first)
    assert world.steps.taken.index("run_locks.swap") < len(world.steps.taken)
    assert at(world, job, 0).state is State.SUCCEEDED
    assert world.steps.count("claimer.claim") == 2


def test_retries_are_claimed_without_being_admitted_again() -> None:
    world, job = guarded(OverlapPolicy.SKIP, DOWN, OK)
    world.attempt(at(world, job, 0))
    waiting = at(world, job, 0)
    world.clock.time_ms = waiting.not_before
    swaps = world.steps.count("run_locks.swap")
    world.attempt(waiting)
    assert (at(world, job, 0).state, world.steps.count("run_locks.swap")) == (State.SUCCEEDED, swaps)


class TestStartDeadline:
    """A one-off job that has not started by its deadline ends as skipped."""

    @pytest.mark.parametrize(
        ("late_ms", "state"), [(0, State.SUCCEEDED), (10_000, State.SUCCEEDED), (10_001, State.SKIPPED)]
    )
    def test_guarded_execution_runs_up_to_its_start_deadline_and_not_after(
        self, late_ms: int, state: State
    ) -> None:
        world = World(DUE_AT + late_ms, answer_to=in_turn(OK))
        job = world.put(world.one_off(start_deadline_at=DUE_AT + 10_000))
        world.attempt(job)
        ended = world.standing(job.id)
        assert ended.state is state
        assert ended.progress.end_reason is (EndReason.LATE if state is State.SKIPPED else None)
        assert len(world.sender.calls) == (state is State.SUCCEEDED)

    def test_retry_may_begin_after_the_start_deadline(self) -> None:
        world = World(DUE_AT, answer_to=in_turn(DOWN, OK))
        job = world.put(world.one_off(start_deadline_at=DUE_AT + 10_000, retry=RetryPolicy()))
        world.attempt(job)
        waiting = world.standing(job.id)
        world.clock.time_ms = max(waiting.not_before, DUE_AT + 20_000)
        world.attempt(waiting)
        assert world.standing(job.id).state is State.SUCCEEDED

    def test_a_cancel_in_between_stands(self) -> None:
        world = World(DUE_AT + 20_000)
        job = world.put(world.one_off(start_deadline_at=DUE_AT + 10_000))
        cancelled = with_changes(job, state=State.CANCELLED)
        row = world.table.executions[job.id]
        world.steps.before("store.cancel", lambda: setattr(row, "execution", cancelled))
        world.attempt(job)
        assert world.standing(job.id).state is State.CANCELLED

    def test_where_the_store_does_not_answer_a_fresh_message_asks_again(self) -> None:
        world = World(DUE_AT + 20_000)
        job = world.put(world.one_off(start_deadline_at=DUE_AT + 10_000))
        world.steps.before("store.cancel", lambda: (_ for _ in ()).throw(UnavailableError("throttled")))
        assert world.attempt(job).returned() == []
        assert world.sent() == [job.id]
