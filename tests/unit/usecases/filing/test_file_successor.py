"""The chain of a recurring job: every occurrence makes sure that the next one exists, once, at the same key."""

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Cron
from tests.support.builders import DUE_AT, in_state, one_off, with_changes
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

MINUTE = 60_000


def started(world: World, of: Job, nominal_at: int = DUE_AT) -> None:
    """The occurrence at an instant has begun."""
    row = world.table.executions[of.id_at(nominal_at)]
    row.execution = in_state(row.execution, State.RUNNING)


def test_two_writers_file_one_successor_at_the_key_that_the_job_names() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    started(world, job)
    for _ in range(2):
        world.file_successor.execute(world.standing(job.id_at(DUE_AT)))
        world.clock.time_ms += 1_000
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE]
    assert job.id_at(DUE_AT + MINUTE) in world.table.executions


def test_the_successor_is_fresh_and_a_near_one_is_sent() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    started(world, job)
    world.file_successor.execute(world.standing(job.id_at(DUE_AT)))
    successor = world.standing(job.id_at(DUE_AT + MINUTE))
    second = job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT, run=2)
    assert successor == with_changes(second, state=State.QUEUED)
    assert world.sent() == [successor.id]


def test_a_far_successor_is_left_to_the_watchers() -> None:
    world = World(DUE_AT)
    job = world.recurring(schedule=Cron(line="20 21 * * *", timezone="UTC"), chain_from=DUE_AT - 12_345)
    started(world, job, DUE_AT - 12_345)
    world.file_successor.execute(world.standing(job.id_at(DUE_AT - 12_345)))
    assert [execution.state for execution in world.occurrences(job).values()] == [
        State.RUNNING,
        State.PENDING,
    ]
    assert world.sent() == []


def test_a_one_off_has_no_successor() -> None:
    world = World(DUE_AT)
    world.file_successor.execute(in_state(one_off(), State.RUNNING))
    assert (world.table.executions, world.steps.taken) == ({}, [])


def test_tombstone_stops_filing_of_successors() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    tombstone = with_changes(world.standing(job.id_at(DUE_AT)), state=State.CANCELLED, ends_chain=True)
    world.file_successor.execute(tombstone)
    assert world.steps.taken == []


@pytest.mark.parametrize(
    "state", [State.SUCCEEDED, State.FAILED, State.CANCELLED, State.RUNNING, State.WAITING]
)
def test_the_chain_goes_on_whatever_became_of_an_occurrence(state: State) -> None:
    world = World(DUE_AT)
    job = world.recurring()
    world.file_successor.execute(in_state(world.standing(job.id_at(DUE_AT)), state))
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE]


def test_a_successor_that_has_begun_or_ended_is_not_touched() -> None:
    world = World(DUE_AT + MINUTE)
    job = world.recurring()
    started(world, job)
    done = world.put(in_state(job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT), State.SUCCEEDED))
    world.file_successor.execute(world.standing(job.id_at(DUE_AT)))
    assert (world.standing(done.id), world.sent()) == (done, [])


def test_a_tombstone_at_the_successors_key_ends_the_chain_there() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    started(world, job)
    tombstone = world.put(
        with_changes(
            job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT), state=State.CANCELLED, ends_chain=True
        )
    )
    world.file_successor.execute(world.standing(job.id_at(DUE_AT)))
    assert (world.standing(tombstone.id), world.sent()) == (tombstone, [])


def test_a_writer_that_dies_between_put_and_send_is_healed_by_the_next_one() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    started(world, job)
    world.steps.crash_after("store.put_if_absent")
    with pytest.raises(Crash):
        world.file_successor.execute(world.standing(job.id_at(DUE_AT)))
    world.file_successor.execute(world.standing(job.id_at(DUE_AT)))
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]


def test_a_failed_send_is_not_taken_for_success() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    started(world, job)
    world.queue.fail_once(job.id_at(DUE_AT + MINUTE))
    with pytest.raises(UnavailableError):
        world.file_successor.execute(world.standing(job.id_at(DUE_AT)))


def test_the_next_instant_comes_from_the_nominal_one_however_late_it_ran() -> None:
    world = World(DUE_AT + 59_000)
    job = world.recurring()
    started(world, job)
    world.file_successor.execute(world.standing(job.id_at(DUE_AT)))
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE]
