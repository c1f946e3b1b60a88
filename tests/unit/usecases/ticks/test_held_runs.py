"""A run that waits for an earlier run of its job is not overdue, unless no worker would take it."""

from typing import Any

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.overlap import OverlapPolicy
from shared.names import Lane, QueueName
from shared.usecases.attempts.guard_start import Admission
from shared.usecases.ticks import measure_overdue
from tests.support.builders import BUCKET, DUE_AT, in_state, one_off
from tests.support.usecases.world import World

MINUTE = 60_000
LATER = DUE_AT + 10 * MINUTE
HELD_FOR = LATER - (DUE_AT + MINUTE)


def run_of(world: World, job: Job, number: int) -> Execution:
    return world.standing(job.id_at(DUE_AT + number * MINUTE))


def change(world: World, execution: Execution, state: State, **fields: Any) -> None:
    world.table.executions[execution.id].execution = in_state(execution, state, **fields)


def held(number: int = 1) -> tuple[World, Job]:
    """The first run of a job is at work, and the second waits for it since nine minutes."""
    world = World(DUE_AT)
    world.ledger.note_swept_through(BUCKET - 1)
    return world, hold(world, number)


def hold(world: World, number: int) -> Job:
    world.clock.time_ms = DUE_AT
    job = world.recurring(number, overlap_policy=OverlapPolicy.QUEUE_ONE)
    first = run_of(world, job, 0)
    world.file_successor.execute(first)
    assert world.guard_start.execute(first) is Admission.START
    change(world, first, State.RUNNING, lease_until=LATER + MINUTE)
    world.clock.time_ms = DUE_AT + MINUTE
    assert world.guard_start.execute(run_of(world, job, 1)) is Admission.HOLD
    world.clock.time_ms = LATER
    return job


def told(world: World) -> tuple[int, int]:
    report = world.sweep.execute()
    return report.oldest_unclaimed_ms, report.oldest_waiting_ms


def with_later_runs_ended(world: World, job: Job) -> World:
    """Only the first two runs are open: the third is due meanwhile, and is skipped by an executor."""
    change(world, run_of(world, job, 2), State.SKIPPED)
    return world


@pytest.mark.parametrize("lane_is_silent", [False, True])
def test_run_that_waits_for_the_earlier_run_is_not_unclaimed(lane_is_silent: bool) -> None:
    """The earlier run may be at work for hours in a receiver, so that no call of its lane starts meanwhile."""
    world, job = held()
    with_later_runs_ended(world, job)
    world.queue.backlog[QueueName.STANDARD] = int(lane_is_silent)
    assert told(world) == (0, HELD_FOR)


def test_run_is_unclaimed_once_the_earlier_run_has_ended() -> None:
    world, job = held()
    change(with_later_runs_ended(world, job), run_of(world, job, 0), State.SUCCEEDED, owner=None)
    assert told(world) == (HELD_FOR, 0)


def test_run_that_no_worker_has_seen_is_unclaimed() -> None:
    """Its earlier run is at work, but nobody has decided that this one waits."""
    world = World(DUE_AT)
    world.ledger.note_swept_through(BUCKET - 1)
    job = world.recurring(overlap_policy=OverlapPolicy.QUEUE_ONE)
    first = run_of(world, job, 0)
    world.file_successor.execute(first)
    world.guard_start.execute(first)
    change(world, first, State.RUNNING, lease_until=LATER + MINUTE)
    world.clock.time_ms = LATER
    assert told(world) == (HELD_FOR, 0)


def test_earlier_run_whose_worker_died_is_unclaimed_itself() -> None:
    world, job = held()
    lost = run_of(world, job, 0)
    change(with_later_runs_ended(world, job), lost, State.RUNNING, lease_until=LATER - MINUTE - 1)
    assert told(world) == (0, HELD_FOR), "this pass sends its message"
    world.clock.time_ms += 3 * MINUTE
    assert told(world) == (3 * MINUTE, HELD_FOR + 3 * MINUTE)


def test_execution_with_a_start_deadline_that_no_worker_admits_is_unclaimed() -> None:
    world = World(LATER)
    world.ledger.note_swept_through(BUCKET - 1)
    world.put(one_off(1, state=State.QUEUED, start_deadline_at=LATER + MINUTE))
    assert told(world) == (LATER - DUE_AT, 0)


@pytest.mark.parametrize("step", ["store.get_many", "run_locks.read"])
def test_every_guarded_run_is_unclaimed_where_its_wait_cannot_be_read(step: str) -> None:
    world, job = held()
    with_later_runs_ended(world, job)
    world.steps.fail(step, times=10)
    assert told(world)[0] == HELD_FOR


def test_a_run_without_held_runs_reads_no_locks() -> None:
    world = World(LATER)
    world.ledger.note_swept_through(BUCKET - 1)
    world.put(one_off(1, state=State.QUEUED))
    assert told(world) == (LATER - DUE_AT, 0)
    assert "run_locks.read" not in world.steps.taken


def test_only_the_oldest_guarded_runs_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_overdue, "MAX_GUARDED", 2)
    world, job = held()
    with_later_runs_ended(world, job)
    for number in (2, 3):
        with_later_runs_ended(world, hold(world, number))
    world.steps.taken.clear()
    assert told(world) == (0, HELD_FOR)
    assert world.steps.taken.count("run_locks.read") == 2


def test_start_of_a_run_that_waited_counts_as_deferred() -> None:
    """The lag of its start is the length of the earlier run, which says nothing about Punctual."""
    world, job = held()
    change(world, run_of(world, job, 0), State.SUCCEEDED, owner=None)
    world.guard_start.wake_waiting(run_of(world, job, 0))
    (message,) = world.queue.messages[-1:]
    assert message.wakeup.keys == (run_of(world, job, 1).id,)
    assert (message.wakeup.waited, message.wakeup.lane) == (1, Lane.STANDARD)
