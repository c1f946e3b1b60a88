"""What waits for its time in the whole cell: every shard of every bucket, in order, with bounded work a page."""

import pytest

from shared.domain.bucket import ShardCounts
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.states import State
from shared.names import Lane
from shared.usecases.listings.list_due import ROWS_AT_MOST, SHARDS_AT_MOST, DuePosition
from tests.support.builders import DUE_AT, execution_id, in_state, one_off
from tests.support.usecases.world import World

MINUTE = 60_000
FOUR = ShardCounts(normal=4, quarter=4, midnight=4)


def told(world: World, within_ms: int, limit: int = 100) -> list[DueRow]:
    """Every page."""
    rows: list[DueRow] = []
    position: DuePosition | None = None
    for _ in range(2_000):
        page = world.list_due.execute(within_ms, limit=limit, position=position)
        assert len(page.rows) <= limit
        rows += page.rows
        position = page.next_position
        if position is None:
            return rows
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("limit", [1, 2, 7, 100])
def test_all_tenants_and_shards_come_in_one_order(limit: int) -> None:
    world = World(DUE_AT - 1_000, counts=FOUR)
    made = [
        world.put(
            one_off(number, due_at=DUE_AT + number * 13_000, shard=number % 4, tenant_id=f"t{number % 3}")
        )
        for number in range(30)
    ]
    assert [row.id for row in told(world, 10 * MINUTE, limit)] == [one.id for one in made]


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_many_rows_of_one_instant_are_told_once_each(limit: int) -> None:
    world = World(DUE_AT - 1_000, counts=FOUR)
    made = {world.put(one_off(number, shard=number % 4)).id for number in range(60)}
    rows = [row.id for row in told(world, MINUTE, limit)]
    assert (set(rows), len(rows)) == (made, 60)


def test_a_crowded_shard_hides_no_row_of_another() -> None:
    world = World(DUE_AT - 12_345, counts=FOUR)
    crowd = [world.put(one_off(n, shard=0, due_at=DUE_AT + n)) for n in range(ROWS_AT_MOST)]
    early = world.put(one_off(9_001, shard=2, due_at=DUE_AT + 100))
    late = world.put(one_off(9_002, shard=3, due_at=DUE_AT + 40_000))
    rows = [row.id for row in told(world, 2 * MINUTE)]
    assert rows == sorted(
        [one.id for one in (*crowd, early, late)], key=lambda key: (key.dispatch_at, str(key))
    )


def test_no_row_is_told_before_every_shard_is_known_to_have_nothing_sooner() -> None:
    many = ShardCounts(normal=200, quarter=200, midnight=200)
    world = World(DUE_AT - 12_345, counts=many)
    crowd = [world.put(one_off(n, shard=0, due_at=DUE_AT + n)) for n in range(20)]
    late = world.put(one_off(9_001, shard=3, due_at=DUE_AT + 40_000))
    assert [row.id for row in told(world, 2 * MINUTE)] == [one.id for one in (*crowd, late)]


def test_only_open_executions_within_the_window_are_listed() -> None:
    world = World(DUE_AT)
    world.put(one_off(1, due_at=DUE_AT - 1))
    world.put(one_off(2, due_at=DUE_AT))
    world.put(one_off(3, due_at=DUE_AT + MINUTE))
    world.put(one_off(4, due_at=DUE_AT + MINUTE + 1))
    for number, state in enumerate(set(State) - {State.PENDING, State.QUEUED, State.MOVED}):
        world.put(in_state(one_off(50 + number, due_at=DUE_AT + 5), state))
    assert [row.id.dispatch_at - DUE_AT for row in told(world, MINUTE)] == [0, MINUTE]


def test_a_far_off_retry_is_told_by_its_pointer() -> None:
    world = World(DUE_AT - 1_000)
    pointer = RetryReminder(
        dispatch_at=DUE_AT + 5,
        target=execution_id(7, dispatch_at=DUE_AT - 3_600_000),
        claims=1,
        tenant_id="acme",
        lane=Lane.STANDARD,
        created_at=DUE_AT - 3_000_000,
    )
    world.store.put_reminder(pointer)
    (row,) = told(world, MINUTE)
    assert (row.wakes, row.id.dispatch_at) == (pointer.target, DUE_AT + 5)


def test_an_empty_day_is_read_with_bounded_work_a_page() -> None:
    world = World(DUE_AT, counts=FOUR)
    position, pages = None, 0
    while True:
        world.steps.taken.clear()
        page = world.list_due.execute(86_400_000, limit=100, position=position)
        pages, position = pages + 1, page.next_position
        assert page.rows == ()
        assert world.steps.count("queries.rows") * 4 <= SHARDS_AT_MOST
        assert world.steps.count("shard_counts.read") == 1
        if position is None:
            break
    assert pages <= 1 + 1_441 * 4 // (SHARDS_AT_MOST - 4)


def test_rows_that_do_not_wait_are_examined_with_bounded_work() -> None:
    world = World(DUE_AT - 12_345)
    for number in range(3 * ROWS_AT_MOST):
        world.put(in_state(one_off(number, due_at=DUE_AT + number), State.CANCELLED))
    world.steps.taken.clear()
    page = world.list_due.execute(10 * MINUTE, limit=100)
    assert (page.rows, page.next_position is None) == ((), False)
    assert world.steps.taken == ["shard_counts.read", "queries.rows"]


def test_a_bucket_of_more_shards_than_a_page_reads_is_still_read() -> None:
    many = ShardCounts(normal=SHARDS_AT_MOST + 44, quarter=SHARDS_AT_MOST + 44, midnight=SHARDS_AT_MOST + 44)
    world = World(DUE_AT - 1_000, counts=many)
    made = [world.put(one_off(n, shard=n % 300, due_at=DUE_AT + n)).id for n in range(20)]
    assert [row.id for row in told(world, MINUTE)] == made
