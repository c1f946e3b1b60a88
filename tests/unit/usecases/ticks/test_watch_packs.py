"""WATCH: packs are filled over pages and shards, and no cursor moves past a row that is held for its pack."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import pytest

from shared.domain.bucket import ShardCounts, ShardRange, bucket_start_ms
from shared.domain.errors import UnavailableError
from shared.domain.ids import ExecutionId
from shared.usecases.ticks import watch_buckets
from shared.usecases.ticks.shard_scan import ShardScan
from shared.usecases.ticks.watch_buckets import SEND_TRIES
from tests.support.builders import BUCKET, DUE_AT, one_off
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

A = TypeVar("A")
T = TypeVar("T")
ALL = ShardRange(index=0, of=1)
SCAN = bucket_start_ms(BUCKET) - 120_000
NEXT_TICK = 60_000
PAGE = 10


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of ten, so that few rows make several pages."""
    monkeypatch.setattr(watch_buckets, "PAGE_ROWS", PAGE)


def world_of(shards: int) -> World:
    """The earlier buckets are done: the next tick scans one bucket alone."""
    world = World(SCAN - 1, counts=ShardCounts(normal=shards, quarter=shards, midnight=shards))
    world.watch.execute(ALL)
    world.steps.taken.clear()
    world.clock.time_ms = SCAN
    return world


def put_rows(world: World, count: int, *, tenants: int, shards: int = 1) -> set[ExecutionId]:
    """Rows that are due in four successive seconds; neighbours belong to different tenants and shards."""
    rows = [
        one_off(
            number,
            due_at=DUE_AT + number * 4_000 // count,
            tenant_id=f"acme-{number % tenants}",
            shard=number // tenants % shards,
        )
        for number in range(count)
    ]
    for row in rows:
        world.put(row)
    return {row.id for row in rows}


def sizes(world: World) -> list[int]:
    return sorted(len(message.wakeup.keys) for message in world.queue.messages)


def test_rows_of_several_pages_share_full_packs() -> None:
    world = world_of(1)
    for number in range(30):
        world.put(one_off(number, tenant_id=f"acme-{number % 3}"))
    report = world.watch.execute(ALL)
    assert sizes(world) == [10, 10, 10]
    assert (report.found, report.sent) == (30, 3)


def test_rows_of_several_shards_share_full_packs() -> None:
    world = world_of(5)
    for number in range(20):
        world.put(one_off(number, shard=number % 5))
    world.watch.execute(ALL)
    assert sizes(world) == [10, 10]
    assert all(row.is_scanned for (bucket, _), row in world.ledger.rows.items() if bucket == BUCKET)


def test_pack_of_a_past_second_is_sent_before_later_pages_are_read() -> None:
    world = world_of(1)
    for number in range(3):
        world.put(one_off(number))
    for number in range(3, 40):
        world.put(one_off(number, due_at=DUE_AT + 1_000))
    sent: list[int] = []
    world.steps.after("store.scan_pending", lambda: None)
    world.steps.before("store.scan_pending", lambda: None)
    world.steps.before("store.scan_pending", lambda: sent.append(len(world.sent())))
    world.watch.execute(ALL)
    assert sent == [3]


def test_shards_are_read_side_by_side_and_one_that_was_read_further_waits() -> None:
    world = world_of(3)
    rows = [
        one_off(number, tenant_id=f"acme-{number}", due_at=DUE_AT + shard * 1_000, shard=shard)
        for number in range(4 * PAGE)
        for shard in range(2)
    ]
    for row in rows:
        world.put(row)
    batches: list[list[tuple[int, int]]] = []

    def spread(function: Callable[[A], T], items: Sequence[A]) -> list[T]:
        if function.__name__ == "_read":
            batches.append([(scan.shard, len(scan.pages)) for scan in items if isinstance(scan, ShardScan)])
        return [function(item) for item in items]

    replace(world.watch, spread=spread).execute(ALL)
    assert batches[:2] == [[(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 1)]]
    assert batches[2] == [(0, 2)], "the pages of the earlier second are held, for their packs may grow"
    of_first, of_second = ([n for n, batch in enumerate(batches) if shard in dict(batch)] for shard in (0, 1))
    assert [n for n in of_second if n < max(of_first)] == [0, 1], "a shard that was read further waits"
    assert set(world.sent()) == {row.id for row in rows}


def test_watcher_holds_no_more_rows_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_buckets, "MAX_HELD_ROWS", 2 * PAGE)
    world = world_of(1)
    for number in range(5 * PAGE):
        world.put(one_off(number, tenant_id=f"acme-{number}"))
    sent: list[int] = []
    for _ in range(6):
        world.steps.before("store.scan_pending", lambda: sent.append(len(world.sent())))
    world.watch.execute(ALL)
    assert sent[:5] == [0, 0, 2 * PAGE, 2 * PAGE, 4 * PAGE]


def test_cursor_stays_before_a_page_with_a_held_row() -> None:
    world = world_of(1)
    for number in range(2 * PAGE):
        world.put(one_off(number, tenant_id=f"acme-{number % 3}"))
    world.steps.before("store.scan_pending", lambda: None)
    world.steps.before("store.scan_pending", lambda: held.append(world.ledger.rows[BUCKET, 0].cursor))
    held: list[str | None] = []
    world.watch.execute(ALL)
    assert held == [None], "of seven rows each, none was sent when the second page was read"


@pytest.mark.parametrize("moment", range(80))
def test_watcher_that_crashes_at_any_step_loses_no_row(moment: int) -> None:
    world = world_of(3)
    rows = put_rows(world, 90, tenants=4, shards=3)

    def die(at: int, _: str) -> None:
        if at == moment:
            raise Crash

    world.steps.at_each = die
    try:
        world.watch.execute(ALL)
    except Crash:
        world.clock.time_ms += NEXT_TICK
    world.steps.calm()
    world.watch.execute(ALL)
    assert set(world.sent()) == rows
    assert all(row.is_scanned for (bucket, _), row in world.ledger.rows.items() if bucket == BUCKET)


@pytest.mark.parametrize("moment", range(80))
def test_watcher_whose_call_fails_at_any_step_loses_no_row(moment: int) -> None:
    world = world_of(3)
    rows = put_rows(world, 90, tenants=4, shards=3)
    calls = iter(range(1_000))

    def fail(_: int, name: str) -> None:
        if next(calls) == moment and name != "queue.send":
            world.steps.fail(name)

    world.steps.at_each = fail
    with suppress(UnavailableError):
        world.watch.execute(ALL)
    world.steps.calm()
    world.clock.time_ms += NEXT_TICK
    world.watch.execute(ALL)
    assert set(world.sent()) == rows


def test_refused_pack_stops_each_shard_that_it_has_rows_of_and_no_other() -> None:
    world = world_of(3)
    for number in range(4):
        world.put(one_off(number, shard=number % 2))
    world.put(one_off(9, shard=2, tenant_id="other"))
    for _ in range(SEND_TRIES):
        world.steps.before("queue.send", lambda: world.queue.fail_once(one_off(3, shard=1).id))
    report = world.watch.execute(ALL)
    scanned = [world.ledger.rows[BUCKET, shard].is_scanned for shard in range(3)]
    assert (scanned, report.send_failed) == ([False, False, True], 1)
    world.clock.time_ms += NEXT_TICK
    world.watch.execute(ALL)
    assert {one_off(number, shard=number % 2).id for number in range(4)} < set(world.sent())


def test_shard_that_fails_last_leaves_no_row_of_the_others_unsent() -> None:
    world = world_of(2)
    late = one_off(99, due_at=DUE_AT + 3_000, shard=0)
    world.put(late)
    for number in range(2 * PAGE):
        world.put(one_off(number, shard=1))
    for _ in range(SEND_TRIES):
        world.steps.before("queue.send", lambda: world.queue.fail_once(one_off(3, shard=1).id))
    report = world.watch.execute(ALL)
    assert report.send_failed == 1
    assert late.id in world.sent(), "its pack was held, because the other shard was not read so far"
    assert [world.ledger.rows[BUCKET, shard].is_scanned for shard in range(2)] == [True, False]
