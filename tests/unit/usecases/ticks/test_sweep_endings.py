"""SWEEP: workers that died with the last attempt, and pointers whose target has moved on."""

from dataclasses import replace

import pytest

from shared.domain.bucket import bucket_end_ms, bucket_of
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.names import Lane
from tests.support.builders import DUE_AT, in_state, one_off
from tests.support.fakes.table import Damage, ReminderRow
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

MINUTE = 60_000
NOW = bucket_end_ms(bucket_of(DUE_AT)) + 10_000
DEAD = NOW - 1


def swept_before() -> World:
    world = World(NOW)
    world.ledger.note_swept_through(bucket_of(DUE_AT) - 1)
    return world


def last_attempt(world: World, **overrides: object) -> tuple[Job, Execution]:
    """An occurrence whose worker died with its last attempt, before it filed the successor."""
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(
        row.execution, State.RUNNING, **({"attempt": 5, "lease_until": DEAD} | overrides)
    )
    return job, row.execution


def test_a_worker_lost_with_the_last_attempt_ends_the_execution_and_the_chain_goes_on() -> None:
    world = swept_before()
    job, head = last_attempt(world)
    assert world.sweep.execute().worker_lost == 1
    ended = world.table.executions[head.id]
    assert (ended.execution.state, ended.execution.progress.end_reason) == (
        State.FAILED,
        EndReason.WORKER_LOST,
    )
    assert (ended.is_dead_letter, ended.expires_at_s) == (True, world.retention.expires_at_s(NOW))
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]


def test_worker_lost_after_retries_were_stopped_ends_the_execution() -> None:
    world = swept_before()
    _, head = last_attempt(world, attempt=1, stop_retries=True)
    world.sweep.execute()
    assert world.standing(head.id).state is State.FAILED


@pytest.mark.parametrize("fields", [{"attempt": 4}, {"lease_until": NOW}])
def test_an_attempt_that_is_left_or_a_live_lease_ends_nothing(fields: dict[str, int]) -> None:
    world = swept_before()
    _, head = last_attempt(world, **fields)
    assert world.sweep.execute().worker_lost == 0
    assert world.standing(head.id) == head


def test_the_successor_comes_before_the_end_so_that_a_crash_between_them_is_met_again() -> None:
    world = swept_before()
    job, head = last_attempt(world)
    world.steps.before("store.give_up", lambda: world.standing(job.id_at(DUE_AT + MINUTE)))
    world.steps.crash_after("queue.send")
    with pytest.raises(Crash):
        world.sweep.execute()
    assert world.standing(head.id).state is State.RUNNING
    world.clock.time_ms += MINUTE
    world.sweep.execute()
    assert world.standing(head.id).state is State.FAILED


def test_where_the_successor_cannot_be_filed_the_execution_is_left_for_the_next_pass() -> None:
    world = swept_before()
    _, head = last_attempt(world)
    world.steps.fail("queue.send")
    assert world.sweep.execute().unavailable == 1
    assert world.standing(head.id).state is State.RUNNING
    world.clock.time_ms += MINUTE
    assert world.sweep.execute().worker_lost == 1


def test_a_worker_that_came_back_in_time_is_not_overruled() -> None:
    world = swept_before()
    _, head = last_attempt(world)
    done = in_state(head, State.SUCCEEDED, owner=None, lease_until=None)
    world.steps.before("store.give_up", lambda: setattr(world.table.executions[head.id], "execution", done))
    assert world.sweep.execute().worker_lost == 0
    assert world.standing(head.id) == done


@pytest.mark.parametrize("damage", [None, Damage.NEWER, Damage.BROKEN])
def test_a_row_whose_successor_cannot_be_filed_for_good_blocks_nobody(damage: Damage | None) -> None:
    """Another request stands at the successor's key, or a newer version wrote it: people have to look at that."""
    world = swept_before()
    job, head = last_attempt(world)
    stranger = job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT)
    world.put(replace(stranger, fingerprint=b"another request!"))
    world.table.executions[stranger.id].damage = damage
    late = world.put(one_off(99, due_at=DUE_AT + 1))
    report = world.sweep.execute()
    assert report.quarantined == [str(head.id)]
    assert world.sent() == [late.id]


def pointed_at(world: World, target: Execution, attempt: int = 2) -> ReminderRow:
    """A pointer in the swept bucket, for a target that is far away."""
    pointer = RetryReminder(
        dispatch_at=DUE_AT,
        target=target.id,
        claims=attempt,
        tenant_id=target.tenant_id,
        lane=Lane.STANDARD,
        created_at=DUE_AT - 3_600_000,
    )
    world.store.put_reminder(pointer)
    world.put(target)
    return next(iter(world.table.pointers.values()))


LONG_AGO = one_off(due_at=DUE_AT - 7_200_000)


def test_a_pointer_whose_target_still_waits_wakes_it() -> None:
    world = swept_before()
    row = pointed_at(world, in_state(LONG_AGO, State.WAITING, attempt=2, next_attempt_at=DUE_AT))
    world.sweep.execute()
    assert world.sent() == [LONG_AGO.id]
    assert row.pointer.state is State.PENDING


@pytest.mark.parametrize(
    ("state", "fields"),
    [
        (State.WAITING, {"attempt": 3, "next_attempt_at": DUE_AT + MINUTE}),
        (State.RUNNING, {"attempt": 3}),
        (State.SUCCEEDED, {"attempt": 3}),
        (State.CANCELLED, {"attempt": 2}),
    ],
)
def test_a_pointer_whose_target_has_moved_on_ends_and_its_shard_closes(
    state: State, fields: dict[str, int]
) -> None:
    world = swept_before()
    row = pointed_at(world, in_state(LONG_AGO, state, **fields))
    assert world.sweep.execute().closed >= 1
    assert world.sent() == []
    assert (bucket_of(DUE_AT), 0) not in world.ledger.rows
    assert row.expires_at_s == row.pointer.expires_at_s


def test_a_pointer_without_a_target_ends() -> None:
    world = swept_before()
    pointed_at(world, in_state(LONG_AGO, State.SUCCEEDED))
    world.table.executions.clear()
    world.sweep.execute()
    assert world.sent() == []
    assert (bucket_of(DUE_AT), 0) not in world.ledger.rows
