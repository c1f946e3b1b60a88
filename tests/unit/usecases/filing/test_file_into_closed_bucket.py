"""FILE into a bucket that may have been swept for the last time: it is put back on the sweepers' list."""

from collections.abc import Callable

import pytest

from shared.domain.bucket import bucket_end_ms
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from tests.support.builders import BUCKET, DUE_AT, one_off
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

END = bucket_end_ms(BUCKET)
CLOSED_FROM = END + 5_000
DRAFT = one_off()
SHARD = (BUCKET, 0)


def at(world: World, now_ms: int) -> Callable[[], None]:
    """Lets the clock jump, as if the writer had been frozen."""
    return lambda: setattr(world.clock, "time_ms", now_ms)


def sweep_until_closed(world: World) -> None:
    """What sweepers do while a writer is frozen."""
    world.ledger.note_swept_through(BUCKET)
    for _ in range(8):
        world.clock.time_ms += 60_000
        world.sweep.execute()
    assert SHARD not in world.ledger.rows


def is_found_by_a_sweep(world: World, filed: Execution) -> bool:
    """Whether sweepers alone would find the execution within a day."""
    world.ledger.note_swept_through(world.clock.time_ms // 60_000)
    before = len(world.sent())
    world.clock.time_ms += 86_400_000
    world.sweep.execute()
    return filed.id in world.sent()[before:]


def test_a_bucket_that_is_still_to_be_swept_is_not_touched() -> None:
    world = World(CLOSED_FROM - 1)
    world.file.execute(DRAFT)
    assert SHARD not in world.ledger.rows


def test_a_closed_bucket_is_reopened_before_anything_is_put_there() -> None:
    world = World(CLOSED_FROM)
    world.steps.before("store.put_if_absent", lambda: world.ledger.rows[SHARD])
    world.file.execute(DRAFT)
    assert world.sent() == [DRAFT.id]


def test_a_writer_that_dies_after_its_put_leaves_it_to_the_sweep() -> None:
    world = World(CLOSED_FROM)
    world.steps.crash_after("store.put_if_absent")
    with pytest.raises(Crash):
        world.file.execute(DRAFT)
    assert is_found_by_a_sweep(world, DRAFT)


def test_a_bucket_that_was_closed_while_the_put_was_on_its_way_is_reopened_after_it() -> None:
    world = World(DUE_AT)
    world.steps.before("store.put_if_absent", at(world, CLOSED_FROM + 60_000))
    world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        world.file.execute(DRAFT)
    assert is_found_by_a_sweep(world, DRAFT)


def test_a_bucket_that_was_closed_again_between_reopening_and_the_put_is_reopened_once_more() -> None:
    world = World(CLOSED_FROM)
    world.steps.before("store.put_if_absent", lambda: sweep_until_closed(world))
    world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        world.file.execute(DRAFT)
    assert is_found_by_a_sweep(world, DRAFT)


def test_filing_again_what_a_dead_writer_left_in_a_closed_bucket_reopens_it() -> None:
    world = World(CLOSED_FROM)
    world.put(DRAFT)
    world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        world.file.execute(DRAFT)
    assert is_found_by_a_sweep(world, DRAFT)


def test_a_failed_reopening_files_nothing() -> None:
    world = World(CLOSED_FROM)
    world.steps.fail("ledger.reopen")
    with pytest.raises(UnavailableError):
        world.file.execute(DRAFT)
    assert (world.table.executions, world.sent()) == ({}, [])


def test_the_reopened_bucket_is_not_swept_before_its_end() -> None:
    world = World(CLOSED_FROM)
    world.file.execute(DRAFT)
    assert world.ledger.rows[SHARD].next_pass_at == END + 10_000
