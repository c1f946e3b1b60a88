"""WATCH: every pending row of the look-ahead is sent for, page by page, packed, by one watcher at a time."""

from typing import Any

import pytest

from shared.domain.bucket import ShardCounts, ShardRange, bucket_start_ms, buckets_to_watch
from shared.domain.errors import UnavailableError
from shared.domain.executions.states import State
from shared.names import Lane
from shared.usecases.ticks.watch_buckets import PAGE_ROWS, WatchReport
from tests.support.builders import BUCKET, DUE_AT, in_state, one_off
from tests.support.fakes.table import Damage
from tests.support.usecases.world import World

ALL = ShardRange(index=0, of=1)
START = bucket_start_ms(BUCKET)
SCAN = START - 120_000


def pending(world: World, number: int = 1, **fields: Any) -> None:
    world.put(one_off(number, **fields))


def test_only_pending_rows_are_sent_for() -> None:
    world = World(SCAN)
    for number, state in enumerate(State):
        world.put(in_state(one_off(number), state))
    report = world.watch.execute(ALL)
    assert world.sent() == [one_off(list(State).index(State.PENDING)).id]
    assert (report.found, report.sent) == (1, 1)


def test_a_row_is_left_pending_until_it_is_claimed() -> None:
    world = World(SCAN)
    pending(world)
    world.watch.execute(ALL)
    assert world.standing(one_off().id).state is State.PENDING


@pytest.mark.parametrize(
    ("minutes", "is_watched"), [(-1, False), (0, True), (1, True), (2, True), (3, False)]
)
def test_buckets_are_watched_from_two_minutes_before_their_start_to_their_end(
    minutes: int, is_watched: bool
) -> None:
    world = World(START)
    pending(world, due_at=DUE_AT + minutes * 60_000)
    world.watch.execute(ALL)
    assert bool(world.sent()) is is_watched


def test_rows_of_one_tenant_lane_and_second_share_messages_of_ten() -> None:
    world = World(SCAN)
    for number in range(23):
        pending(world, number)
    pending(world, 30, tenant_id="other")
    pending(world, 31, lane=Lane.BULK)
    pending(world, 32, due_at=DUE_AT + 1_000)
    report = world.watch.execute(ALL)
    sizes = sorted(len(message.wakeup.keys) for message in world.queue.messages)
    assert sizes == [1, 1, 1, 3, 10, 10]
    assert (report.found, report.sent) == (26, 6)


def test_every_page_is_read_and_sent() -> None:
    world = World(SCAN)
    for number in range(2 * PAGE_ROWS + 1):
        pending(world, number)
    world.watch.execute(ALL)
    assert len(set(world.sent())) == 2 * PAGE_ROWS + 1
    assert world.steps.count("store.scan_pending") == 3 + 2, (
        "three pages of one bucket, and two empty buckets"
    )


def test_a_page_without_a_pending_row_does_not_end_the_scan() -> None:
    world = World(SCAN)
    for number in range(PAGE_ROWS):
        world.put(in_state(one_off(number), State.SUCCEEDED))
    pending(world, 9_999, due_at=DUE_AT + 1)
    world.watch.execute(ALL)
    assert world.sent() == [one_off(9_999, due_at=DUE_AT + 1).id]


def test_watcher_parts_together_watch_all_shards() -> None:
    for parts in (1, 2, 3):
        world = World(SCAN, counts=ShardCounts(normal=4, quarter=4, midnight=4))
        for shard in range(4):
            pending(world, shard=shard)
        for index in range(parts):
            world.watch.execute(ShardRange(index=index, of=parts))
        assert sorted(key.shard for key in world.sent()) == [0, 1, 2, 3]


def test_a_finished_shard_is_not_scanned_again() -> None:
    world = World(SCAN)
    pending(world)
    assert world.watch.execute(ALL).shards_scanned == 3
    world.clock.time_ms += 59_999
    assert world.watch.execute(ALL) == WatchReport()
    assert len(world.sent()) == 1


def test_an_unreadable_row_is_named_and_blocks_no_other() -> None:
    world = World(SCAN)
    pending(world, 1)
    pending(world, 2)
    world.table.executions[one_off(1).id].damage = Damage.BROKEN
    report = world.watch.execute(ALL)
    assert report.unreadable == [f"{BUCKET}#0/12345#{one_off(1).id}"]
    assert world.sent() == [one_off(2).id]


def test_a_shard_that_does_not_answer_keeps_nobody_else_from_being_watched() -> None:
    world = World(START, counts=ShardCounts(normal=3, quarter=3, midnight=3))
    for shard in range(3):
        pending(world, shard=shard)
    fail_the_first_shard(world, shards=3)
    with pytest.raises(UnavailableError):
        world.watch.execute(ALL)
    assert sorted(key.shard for key in world.sent()) == [1, 2]


def test_rejected_request_keeps_no_other_shard_from_being_watched() -> None:
    world = World(START, counts=ShardCounts(normal=3, quarter=3, midnight=3))
    for shard in range(3):
        pending(world, shard=shard)
    world.steps.reject("ledger.take")
    world.watch.execute(ALL)
    assert sorted(key.shard for key in world.sent()) == [0, 1, 2]


@pytest.mark.parametrize("step", ["ledger.take", "store.scan_pending", "ledger.finish"])
def test_a_shard_that_does_not_answer_has_a_second_turn_in_the_same_tick(step: str) -> None:
    world = World(START)
    pending(world)
    world.steps.fail(step)
    world.watch.execute(ALL)
    assert set(world.sent()) == {one_off().id}
    assert world.ledger.rows[BUCKET, 0].is_scanned


def test_the_missed_shard_is_made_good_once_its_lease_has_ended() -> None:
    world = World(START)
    pending(world)
    fail_the_first_shard(world, shards=1)
    with pytest.raises(UnavailableError):
        world.watch.execute(ALL)
    world.clock.time_ms += 59_999
    world.watch.execute(ALL)
    assert world.sent() == [one_off().id]


def fail_the_first_shard(world: World, shards: int) -> None:
    """The scan of the very first shard goes unanswered in both of its turns, the second behind all others."""
    others = len(buckets_to_watch(START)) * shards - 1
    world.steps.fail("store.scan_pending")
    world.steps.before("store.scan_pending", lambda: None, times=others)
    world.steps.fail("store.scan_pending")
