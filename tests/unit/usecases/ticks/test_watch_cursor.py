"""WATCH: the cursor moves after the send and on condition of the fence; crashes cost duplicates at worst."""

import pytest

from shared.domain.bucket import ShardRange, bucket_start_ms
from shared.usecases.ticks.watch_buckets import PAGE_ROWS, SEND_TRIES
from tests.support.builders import BUCKET, one_off
from tests.support.fakes.ledger import LedgerRow
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

ALL = ShardRange(index=0, of=1)
SCAN = bucket_start_ms(BUCKET) - 120_000
NEXT_TICK = 60_000
TWO_PAGES = PAGE_ROWS + 1


def world_with(rows: int) -> World:
    """The earlier buckets are done: the next tick looks at one bucket alone."""
    world = World(SCAN - 1)
    world.watch.execute(ALL)
    world.steps.taken.clear()
    world.clock.time_ms = SCAN
    for number in range(rows):
        world.put(one_off(number))
    return world


def row_of(world: World) -> LedgerRow:
    return world.ledger.rows[BUCKET, 0]


def die_holding_the_lease(world: World) -> None:
    """Of the three buckets of the tick the last one is not done yet."""
    world.steps.after("ledger.take", lambda: None, times=2)
    world.steps.crash_after("ledger.take")
    with pytest.raises(Crash):
        world.watch.execute(ALL)


def test_shard_is_scanned_after_a_watcher_died_with_its_lease() -> None:
    world = world_with(1)
    die_holding_the_lease(world)
    world.clock.time_ms += NEXT_TICK
    world.watch.execute(ALL)
    assert world.sent() == [one_off(0).id]


def test_the_cursor_moves_only_after_its_page_was_sent() -> None:
    world = world_with(TWO_PAGES)
    world.steps.before("ledger.advance", lambda: seen.append(len(world.sent())))
    seen: list[int] = []
    world.watch.execute(ALL)
    assert seen == [PAGE_ROWS]


@pytest.mark.parametrize("step", ["store.scan_pending", "queue.send", "ledger.advance"])
def test_watch_after_a_crashed_watcher_misses_no_row(step: str) -> None:
    world = world_with(TWO_PAGES)
    world.steps.crash_after(step)
    with pytest.raises(Crash):
        world.watch.execute(ALL)
    world.clock.time_ms += NEXT_TICK
    world.watch.execute(ALL)
    assert set(world.sent()) == {one_off(number).id for number in range(TWO_PAGES)}
    assert row_of(world).is_scanned


def test_the_takeover_goes_on_from_the_cursor() -> None:
    world = world_with(TWO_PAGES)
    world.steps.crash_after("ledger.advance")
    with pytest.raises(Crash):
        world.watch.execute(ALL)
    world.clock.time_ms += NEXT_TICK
    world.watch.execute(ALL)
    assert len(world.sent()) == TWO_PAGES, "no row was sent for twice"


def test_shard_with_a_live_lease_is_not_scanned_by_another_watcher() -> None:
    world = world_with(1)
    die_holding_the_lease(world)
    world.clock.time_ms += 1_000
    world.watch.execute(ALL)
    assert world.sent() == []


def test_a_watcher_that_lost_its_fence_stops_and_leaves_the_shard_to_the_other() -> None:
    world = world_with(2 * PAGE_ROWS + 1)
    world.steps.after("queue.send", lambda: steal(world))
    world.watch.execute(ALL)
    assert len(world.sent()) == PAGE_ROWS
    assert not row_of(world).is_scanned
    assert row_of(world).cursor is None


def test_a_watcher_that_lost_its_fence_on_the_last_page_does_not_mark_the_shard_done() -> None:
    world = world_with(1)
    world.steps.after("queue.send", lambda: steal(world))
    assert world.watch.execute(ALL).shards_scanned == 0
    assert not row_of(world).is_scanned


def steal(world: World) -> None:
    """Another watcher took the lease, because this one stood still for too long."""
    world.ledger.take(BUCKET, 0, world.clock.time_ms + NEXT_TICK)


def test_refused_message_is_sent_again() -> None:
    world = world_with(25)
    world.queue.fail_once(one_off(3).id, one_off(13).id)
    report = world.watch.execute(ALL)
    assert len(set(world.sent())) == 25
    assert (report.sent, report.send_failed) == (3, 0)
    assert row_of(world).is_scanned


def test_repeatedly_refused_message_stops_the_scan_before_the_cursor() -> None:
    world = world_with(TWO_PAGES)
    for _ in range(SEND_TRIES):
        world.steps.before("queue.send", lambda: world.queue.fail_once(one_off(3).id))
    report = world.watch.execute(ALL)
    assert (report.send_failed, world.steps.count("ledger.advance")) == (1, 0)
    assert not row_of(world).is_scanned
    world.clock.time_ms += NEXT_TICK
    world.watch.execute(ALL)
    assert set(world.sent()) == {one_off(number).id for number in range(TWO_PAGES)}


def test_the_beginning_of_the_first_scan_is_what_the_sweep_will_see() -> None:
    world = world_with(1)
    die_holding_the_lease(world)
    world.clock.time_ms += NEXT_TICK
    world.watch.execute(ALL)
    assert [shard.scan_began_at for shard in world.ledger.open_before(BUCKET + 1)][-1:] == [SCAN]


def test_a_doubled_tick_sends_nothing_twice() -> None:
    world = world_with(TWO_PAGES)
    world.steps.after("queue.send", lambda: world.watch.execute(ALL))
    world.watch.execute(ALL)
    assert len(world.sent()) == TWO_PAGES
