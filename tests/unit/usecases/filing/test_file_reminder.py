"""Retries within reach of the lanes get a delayed message; later ones get a pointer, never a chain of delays."""

from dataclasses import replace

import pytest

from shared.domain.bucket import KEPT_OPEN_MS, ShardCounts, ShardRange, bucket_of
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.names import Lane
from tests.support.builders import DUE_AT, in_state, one_off
from tests.support.fakes.table import ReminderRow
from tests.support.usecases.world import World

ALL = ShardRange(index=0, of=1)
REACH_MS = 900_000


def waiting(world: World, *, wait_ms: int, shard: int = 0) -> Execution:
    at = world.clock.time_ms + wait_ms
    draft = one_off(shard=shard)
    return world.put(in_state(draft, State.WAITING, attempt=2, next_attempt_at=at))


def pointers(world: World) -> list[ReminderRow]:
    return list(world.table.pointers.values())


def test_a_retry_within_15_minutes_is_a_message_that_sqs_holds() -> None:
    world = World(DUE_AT)
    execution = waiting(world, wait_ms=REACH_MS)
    world.file.wake_for_retry(execution, DUE_AT + REACH_MS)
    assert [message.visible_at for message in world.queue.messages] == [DUE_AT + REACH_MS]
    assert pointers(world) == []


def test_a_later_retry_is_a_pointer_in_the_bucket_in_which_it_is_due() -> None:
    world = World(DUE_AT)
    at = DUE_AT + 3_600_000
    execution = waiting(world, wait_ms=3_600_000)
    world.file.wake_for_retry(execution, at)
    assert world.sent() == []
    assert [row.pointer for row in pointers(world)] == [
        RetryReminder(
            dispatch_at=at,
            target=execution.id,
            claims=2,
            tenant_id=execution.tenant_id,
            lane=Lane.STANDARD,
            created_at=DUE_AT,
            state=State.PENDING,
        )
    ]


@pytest.mark.parametrize("shard", [0, 1, 7])
def test_a_watcher_wakes_the_target_whatever_shard_it_is_in(shard: int) -> None:
    """Shard 7 is one that this minute does not have: the target was due at midnight."""
    world = World(DUE_AT, counts=ShardCounts(normal=2, quarter=4, midnight=8))
    at = DUE_AT + 3_600_000
    execution = waiting(world, wait_ms=3_600_000, shard=shard)
    world.file.wake_for_retry(execution, at)
    world.clock.time_ms = at - 90_000
    world.watch.execute(ALL)
    assert world.sent() == [execution.id]
    assert world.queue.messages[0].wakeup.not_before == at


def test_reminders_of_a_minute_are_spread_over_its_shards() -> None:
    world = World(DUE_AT, counts=ShardCounts(normal=4, quarter=4, midnight=4))
    at = DUE_AT + 3_600_000
    for number in range(12):
        execution = world.put(in_state(one_off(number), State.WAITING, attempt=2, next_attempt_at=at))
        world.file.wake_for_retry(execution, at)
    shards = [row.pointer.location.shard for row in pointers(world)]
    assert sorted(shards) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_filing_the_same_pointer_twice_leaves_one() -> None:
    world = World(DUE_AT)
    execution = waiting(world, wait_ms=3_600_000)
    for _ in range(2):
        world.file.wake_for_retry(execution, DUE_AT + 3_600_000)
    assert len(pointers(world)) == 1


def test_a_pointer_that_was_put_too_late_for_the_scan_is_sent_for() -> None:
    world = World(DUE_AT)
    at = DUE_AT + 3_600_000
    execution = waiting(world, wait_ms=3_600_000)
    world.steps.after("store.put_reminder", lambda: setattr(world.clock, "time_ms", at - 120_000))
    world.file.wake_for_retry(execution, at)
    assert world.sent() == [execution.id]


def test_a_pointer_into_a_closed_bucket_reopens_it_before_and_after() -> None:
    world = World(DUE_AT)
    execution = waiting(world, wait_ms=3_600_000)
    at = DUE_AT + 3_600_000
    world.steps.after("store.put_reminder", lambda: setattr(world.clock, "time_ms", at + 600_000))
    world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        world.file.wake_for_retry(execution, at)
    assert (bucket_of(at), 0) in world.ledger.rows


def test_a_frozen_writers_pointer_in_a_bucket_closed_meanwhile_is_swept() -> None:
    world = World(DUE_AT)
    execution = waiting(world, wait_ms=0)
    past = replace(pointer_to(execution), dispatch_at=DUE_AT - 3_600_000)
    world.steps.after("store.put_reminder", lambda: stall(world))
    world.file.file_reminder(past)
    assert (bucket_of(past.dispatch_at), 0) in world.ledger.rows


def stall(world: World) -> None:
    """The writer stands still until its reopening has ended, and the shard was closed again."""
    world.clock.time_ms += KEPT_OPEN_MS
    world.ledger.rows.clear()


def pointer_to(execution: Execution) -> RetryReminder:
    return RetryReminder(
        dispatch_at=execution.progress.next_attempt_at or 0,
        target=execution.id,
        claims=execution.attempt,
        tenant_id=execution.tenant_id,
        lane=execution.lane,
        created_at=DUE_AT,
    )
