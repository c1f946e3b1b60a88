"""Missed instants coalesce: one transaction passes over them, and competes with the ordinary successor for its key."""

from dataclasses import replace

import pytest

from shared.domain.bucket import KEPT_OPEN_MS, bucket_of
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.skipped_range import SkippedRange
from tests.support.builders import DUE_AT, in_state, with_changes
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

MINUTE = 60_000
LATE = DUE_AT + 10 * MINUTE + 30_000
"""Ten instants were missed: the chain goes on at the latest, the other nine leave a record."""
LATEST = DUE_AT + 10 * MINUTE
CLOSED = LATEST + 55_000
"""No other instant was missed since, but the bucket of the latest has ended."""
MISSED = SkippedRange(count=9, first_at=DUE_AT + MINUTE, last_at=DUE_AT + 9 * MINUTE, resumed_at=LATEST)


def behind(world: World) -> tuple[Job, Execution]:
    """A job whose head runs far too late."""
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, State.RUNNING, lease_until=LATE + 35_000)
    return job, row.execution


def test_missed_instants_leave_one_record_and_one_run_at_the_latest_of_them() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.file_successor.execute(head)
    found = world.occurrences(job)
    assert list(found) == [DUE_AT, DUE_AT + MINUTE, LATEST]
    skipped, target = found[DUE_AT + MINUTE], found[LATEST]
    assert (skipped.state, skipped.progress.end_reason, skipped.progress.missed) == (
        State.SKIPPED,
        EndReason.COALESCED,
        MISSED,
    )
    assert (target.state, target.progress.missed, target.attempt) == (State.QUEUED, None, 0)
    assert world.sent() == [target.id]


def test_the_definition_remembers_from_where_the_chain_has_no_gap() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.file_successor.execute(head)
    assert world.table.jobs[job.tenant_id, job.id].chain_from == LATEST


def test_the_record_of_the_skipped_ones_expires_like_any_other() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.file_successor.execute(head)
    row = world.table.executions[job.id_at(DUE_AT + MINUTE)]
    assert row.expires_at_s == world.retention.expires_at_s(LATE)


@pytest.mark.parametrize("state", [JobState.DELETING, JobState.DELETED])
def test_a_job_that_is_being_deleted_is_not_jumped(state: JobState) -> None:
    world = World(LATE)
    job, head = behind(world)
    world.table.jobs[job.tenant_id, job.id] = replace(job, state=state)
    world.file_successor.execute(head)
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE]
    assert world.standing(job.id_at(DUE_AT + MINUTE)).progress.missed is None


def test_a_chain_that_was_replaced_is_not_jumped() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.table.jobs[job.tenant_id, job.id] = replace(job, revision=2, chain_revision=2)
    world.file_successor.execute(head)
    assert LATEST not in world.occurrences(job)


def test_a_job_that_was_only_renamed_is_jumped() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.table.jobs[job.tenant_id, job.id] = with_changes(job, revision=2, name="another")
    world.file_successor.execute(head)
    assert LATEST in world.occurrences(job)


def test_a_tombstone_behind_the_head_stops_the_jump_and_the_chain() -> None:
    world = World(LATE)
    job, head = behind(world)
    tombstone = job.occurrence(DUE_AT + MINUTE, created_at=LATE)
    world.put(with_changes(tombstone, state=State.CANCELLED, ends_chain=True))
    world.file_successor.execute(head)
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE]
    assert world.sent() == []


def test_a_late_retry_whose_successor_stands_already_does_not_jump() -> None:
    world = World(LATE)
    job, head = behind(world)
    done = world.put(in_state(job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT), State.SUCCEEDED))
    world.file_successor.execute(with_changes(head, attempt=3))
    assert world.occurrences(job) == {DUE_AT: head, DUE_AT + MINUTE: done}
    assert world.steps.count("jobs.jump") == 0


def test_an_immediate_successor_filed_by_a_writer_with_another_clock_wins() -> None:
    """Two writers judge lateness differently; the chain goes on at one place only."""
    world = World(LATE)
    job, head = behind(world)
    world.steps.before("jobs.jump", lambda: world.put(job.occurrence(DUE_AT + MINUTE, created_at=LATE)))
    world.file_successor.execute(head)
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE]
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]


def test_a_writer_that_judges_the_chain_in_time_meets_the_jump_and_wakes_its_target() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.file_successor.execute(head)
    world.clock.time_ms = DUE_AT + MINUTE
    world.file_successor.execute(head)
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE, LATEST]


def test_two_jumps_of_one_head_leave_the_first_one_standing() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.file_successor.execute(head)
    world.clock.time_ms = LATE + 5 * MINUTE
    world.file_successor.execute(head)
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE, LATEST]
    assert world.standing(job.id_at(DUE_AT + MINUTE)).progress.missed == MISSED


@pytest.mark.parametrize("step", ["jobs.jump", "ledger.reopen"])
def test_a_writer_that_dies_after_the_jump_is_healed_by_the_next_one(step: str) -> None:
    world = World(CLOSED)
    job, head = behind(world)
    world.steps.crash_after(step)
    with pytest.raises(Crash):
        world.file_successor.execute(head)
    world.file_successor.execute(head)
    assert world.sent() == [job.id_at(LATEST)]


def test_a_jump_whose_answer_was_lost_is_healed_by_the_next_try() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.steps.lose_answer("jobs.jump")
    with pytest.raises(UnavailableError):
        world.file_successor.execute(head)
    world.file_successor.execute(head)
    assert list(world.occurrences(job)) == [DUE_AT, DUE_AT + MINUTE, LATEST]
    assert world.sent() == [job.id_at(LATEST)]


def test_record_of_skipped_instants_sends_a_wakeup_for_its_target() -> None:
    world = World(LATE)
    job, head = behind(world)
    world.steps.crash_after("jobs.jump")
    with pytest.raises(Crash):
        world.file_successor.execute(head)
    world.file_successor.execute(world.standing(job.id_at(DUE_AT + MINUTE)))
    assert world.sent() == [job.id_at(LATEST)]


def test_a_target_in_a_bucket_that_may_be_closed_reopens_it_before_and_after() -> None:
    world = World(CLOSED)
    _, head = behind(world)
    shard = (bucket_of(LATEST), 0)

    def stall() -> None:
        world.clock.time_ms += KEPT_OPEN_MS
        world.ledger.rows.pop(shard)

    world.steps.before("jobs.jump", stall)
    world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        world.file_successor.execute(head)
    assert shard in world.ledger.rows
