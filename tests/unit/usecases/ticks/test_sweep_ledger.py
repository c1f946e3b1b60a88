"""SWEEP: which shards are swept, when they come round next, and when they are taken off the list."""

from collections.abc import Callable

import pytest

from shared.domain.bucket import LEAST_COUNTS, ShardCounts, bucket_end_ms
from shared.domain.executions.states import State
from shared.ports.dispatch import SweptMark
from shared.usecases.ticks.sweep_buckets import FIRST_LOOK_BACK
from tests.support.builders import BUCKET, DUE_AT, in_state, one_off
from tests.support.usecases.world import World

END = bucket_end_ms(BUCKET)
FIRST_PASS = END + 10_000
MINUTE = 60_000
SHARD = (BUCKET, 0)


def swept_before(counts: ShardCounts | None = None) -> World:
    """Everything up to the bucket before was listed by an earlier sweep."""
    world = World(DUE_AT, counts=counts) if counts else World(DUE_AT)
    world.ledger.note_swept_through(BUCKET - 1)
    return world


def next_pass(world: World) -> int:
    return world.ledger.rows[SHARD].next_pass_at - END


def test_an_empty_shard_is_closed() -> None:
    world = swept_before()
    world.clock.time_ms = FIRST_PASS
    assert world.sweep.execute().closed == 1
    assert world.ledger.rows == {}


@pytest.mark.parametrize("ahead_ms", [2, 30_000, 300_000])
def test_a_shard_stays_open_for_a_sweeper_whose_clock_is_ahead_of_its_tick(ahead_ms: int) -> None:
    """Otherwise no sweeper would look at the rows that are filed until the bucket really ends."""
    world = swept_before()
    ticked_at = FIRST_PASS - 1
    world.clock.time_ms = ticked_at + ahead_ms
    world.sweep.execute(ticked_at=ticked_at)
    assert SHARD in world.ledger.rows


def test_a_shard_in_which_everything_has_ended_is_closed() -> None:
    world = swept_before()
    for number, state in enumerate(state for state in State if state.is_terminal):
        world.put(in_state(one_off(number), state))
    world.clock.time_ms = FIRST_PASS
    assert world.sweep.execute().closed == 1


@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED, State.RUNNING, State.WAITING])
def test_a_shard_with_anything_unfinished_stays_open(state: State) -> None:
    world = swept_before()
    world.put(in_state(one_off(), state))
    world.clock.time_ms = FIRST_PASS
    assert world.sweep.execute().closed == 0
    assert SHARD in world.ledger.rows


def test_passes_come_at_10_s_1_min_5_min_30_min_and_then_hourly() -> None:
    world = swept_before()
    world.put(one_off(state=State.QUEUED))
    swept_at = []
    for second in range(10, 3 * 3600, 10):
        world.clock.time_ms = END + second * 1000
        if world.sweep.execute().resent:
            swept_at.append(second)
    assert swept_at == [10, 60, 300, 1_800, 5_400, 9_000]


@pytest.mark.parametrize(
    ("state", "fields", "expected"),
    [
        (State.RUNNING, {"lease_until": END + 40_000}, 40_001),
        (State.RUNNING, {"lease_until": END + 59_000}, 59_001),
        (State.WAITING, {"next_attempt_at": END + 40_000}, 45_000),
        (State.WAITING, {"next_attempt_at": END + 10 * MINUTE}, 60_000),
        (State.RUNNING, {"lease_until": END + 11_000}, 30_000),
    ],
    ids=["lease ends", "lease ends just before", "retry is due", "later than the schedule", "not at once"],
)
def test_the_next_pass_comes_earlier_where_a_lease_or_a_retry_runs_out(
    state: State, fields: dict[str, int], expected: int
) -> None:
    world = swept_before()
    world.put(in_state(one_off(), state, **fields))
    world.clock.time_ms = FIRST_PASS
    world.sweep.execute()
    assert next_pass(world) == expected


def test_a_shard_that_was_reopened_during_the_pass_is_not_closed() -> None:
    world = swept_before()
    world.clock.time_ms = FIRST_PASS
    world.steps.after("store.scan", lambda: world.ledger.list_shard(BUCKET, 0, FIRST_PASS))
    assert world.sweep.execute().closed == 0
    assert SHARD in world.ledger.rows


def test_a_reopened_shard_is_swept_as_if_for_the_first_time() -> None:
    world = swept_before()
    world.clock.time_ms = FIRST_PASS
    world.sweep.execute()
    filed = world.file.execute(one_off(created_at=FIRST_PASS))
    world.queue.messages.clear()
    world.clock.time_ms = END + MINUTE
    world.sweep.execute()
    assert world.sent() == [filed.id]


def test_buckets_that_nobody_watched_or_swept_for_an_hour_are_all_listed() -> None:
    world = swept_before(ShardCounts(normal=2, quarter=3, midnight=4))
    world.clock.time_ms = END + 60 * MINUTE + 10_000
    rows = [
        world.put(one_off(minute, due_at=DUE_AT + minute * MINUTE, shard=minute % 2)) for minute in range(60)
    ]
    assert world.sweep.execute().shards_swept == 61 * 2 + 3, "in an hour three minutes have three shards"
    assert set(world.sent()) == {row.id for row in rows}


def test_the_very_first_sweep_looks_back_an_hour() -> None:
    world = World(END)
    world.clock.time_ms = FIRST_PASS
    row = world.put(one_off(due_at=DUE_AT - (FIRST_LOOK_BACK - 1) * MINUTE))
    world.sweep.execute()
    assert world.sent() == [row.id]
    assert world.ledger.mark == SweptMark(bucket=BUCKET, recorded=LEAST_COUNTS)


def test_a_shard_is_listed_before_the_mark_moves_past_it() -> None:
    world = swept_before()
    world.clock.time_ms = FIRST_PASS
    world.steps.before("ledger.note_swept_through", lambda: world.ledger.rows[SHARD])
    world.sweep.execute()


def budget(sweeps: int) -> Callable[[], bool]:
    left = [sweeps]

    def has_time() -> bool:
        left[0] -= 1
        return left[0] >= 0

    return has_time


@pytest.mark.parametrize("checks", range(12))
def test_a_sweeper_without_time_stops_and_the_next_one_goes_on_where_it_stopped(checks: int) -> None:
    world = swept_before()
    rows = [world.put(one_off(minute, due_at=DUE_AT + minute * MINUTE)) for minute in range(5)]
    world.clock.time_ms = END + 5 * MINUTE
    world.sweep.execute(budget(checks))
    assert len(world.sent()) <= checks
    world.sweep.execute()
    assert set(world.sent()) == {row.id for row in rows}


def test_sweep_without_time_left_sweeps_no_shard() -> None:
    world = swept_before()
    world.put(one_off(state=State.QUEUED))
    world.ledger.list_shard(BUCKET, 0, FIRST_PASS)
    world.clock.time_ms = FIRST_PASS
    assert world.sweep.execute(lambda: False).shards_swept == 0
    assert world.sweep.execute(budget(4)).shards_swept == 1


def test_the_oldest_bucket_comes_first() -> None:
    world = swept_before()
    rows = [world.put(one_off(minute, due_at=DUE_AT + minute * MINUTE)) for minute in range(5)]
    world.clock.time_ms = END + 5 * MINUTE
    world.sweep.execute()
    assert world.sent() == [row.id for row in rows]


def test_a_bucket_that_has_not_ended_is_not_swept() -> None:
    world = swept_before()
    world.put(one_off(state=State.QUEUED))
    world.ledger.list_shard(BUCKET, 0, 0)
    world.clock.time_ms = END - 1
    assert world.sweep.execute().shards_swept == 0


def test_late_put_into_an_unlisted_shard_does_not_delay_the_first_sweep_of_its_other_rows() -> None:
    """No watcher and no sweeper ran for six minutes. A reopening schedules the next regular pass of a swept bucket."""
    world = swept_before()
    unsent = world.put(one_off(1, state=State.PENDING))
    world.clock.time_ms = END + 6 * MINUTE
    filed = world.file.execute(one_off(2, created_at=world.clock.time_ms))
    world.queue.messages.clear()
    world.sweep.execute()
    assert set(world.sent()) == {unsent.id, filed.id}


def test_first_sweep_is_not_delayed_by_a_put_that_comes_while_sweepers_list_its_shard() -> None:
    world = swept_before()
    unsent = world.put(one_off(1, state=State.PENDING))
    world.clock.time_ms = END + 6 * MINUTE
    world.steps.after(
        "ledger.open_before",
        lambda: world.file.execute(one_off(2, created_at=world.clock.time_ms)),
    )
    world.sweep.execute()
    assert unsent.id in world.sent()


def test_reopened_shard_of_a_swept_bucket_keeps_its_schedule() -> None:
    world = swept_before()
    world.clock.time_ms = FIRST_PASS
    assert world.sweep.execute().closed == 1
    world.clock.time_ms = END + 6 * MINUTE
    world.file.execute(one_off(1, created_at=world.clock.time_ms))
    assert world.sweep.execute().shards_swept == 5
    assert next_pass(world) == 30 * MINUTE
