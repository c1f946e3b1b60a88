"""SWEEP: several sweepers share the ledger, and each shard is swept once at a time."""

import pytest

from shared.domain.bucket import ShardCounts, ShardRange, bucket_end_ms
from shared.domain.executions.states import State
from shared.names import LEDGER_PARTITIONS
from tests.support.builders import BUCKET, DUE_AT, execution_id, in_state, one_off
from tests.support.usecases.steps import Crash
from tests.support.usecases.sweeps import FIRST_PASS, put, scanned
from tests.support.usecases.world import World

END = bucket_end_ms(BUCKET)
MINUTE = 60_000
SHARDS = 40


def crowded() -> World:
    """One row in each of many shards."""
    world = World(DUE_AT, counts=ShardCounts(normal=SHARDS, quarter=SHARDS, midnight=SHARDS))
    world.ledger.note_swept_through(BUCKET - 1)
    for shard in range(SHARDS):
        world.put(one_off(shard, shard=shard, state=State.QUEUED))
    world.clock.time_ms = FIRST_PASS
    return world


def parts(of: int) -> list[ShardRange]:
    return [ShardRange(index=index, of=of) for index in range(of)]


@pytest.mark.parametrize("of", [1, 2, 3, 7, LEDGER_PARTITIONS])
def test_sweepers_sweep_each_shard_once(of: int) -> None:
    world = crowded()
    reports = [world.sweep.execute(part=part) for part in parts(of)]
    assert sum(report.shards_swept for report in reports) == SHARDS
    assert sorted(each.shard for each in world.sent()) == list(range(SHARDS))
    assert all(report.shards_swept >= SHARDS // of // 2 for report in reports)


def test_second_sweeper_lists_unopened_shards_when_the_first_is_missing() -> None:
    world = crowded()
    first, second = parts(2)
    assert world.sweep.execute(part=second).shards_swept == 0
    world.clock.time_ms += MINUTE
    assert world.sweep.execute(part=second).shards_swept > 0
    world.sweep.execute(part=first)
    assert sorted(each.shard for each in world.sent()) == list(range(SHARDS))


def test_shard_that_another_run_sweeps_is_left_to_it() -> None:
    world = scanned()
    row = put(world, State.QUEUED)
    world.clock.time_ms = FIRST_PASS
    world.steps.before("store.scan", lambda: world.sweep.execute())
    world.sweep.execute()
    assert world.sent() == [row.id]
    assert world.ledger.rows[BUCKET, 0].passes == 1


def test_shard_of_a_dead_sweeper_is_swept_before_the_next_but_one_tick() -> None:
    world = scanned()
    row = put(world, State.QUEUED)
    world.clock.time_ms = FIRST_PASS
    world.steps.crash_after("ledger.take_pass")
    with pytest.raises(Crash):
        world.sweep.execute()
    world.clock.time_ms += MINUTE
    world.sweep.execute()
    assert world.sent() == [row.id]


def test_first_passes_come_before_repeated_passes() -> None:
    world = scanned()
    old = put(world, State.RUNNING, attempt=1, lease_until=END + 30_000)
    world.clock.time_ms = FIRST_PASS
    world.sweep.execute()
    due_at = DUE_AT + MINUTE
    new = world.put(in_state(one_off(2, due_at=due_at), State.QUEUED))
    world.clock.time_ms = FIRST_PASS + MINUTE
    world.sweep.execute()
    assert world.sent() == [new.id, old.id]


def test_stale_lease_of_a_closed_shard_does_not_close_the_shard_that_was_opened_after_it() -> None:
    world = scanned()
    world.clock.time_ms = FIRST_PASS
    shard = world.ledger.open_before(BUCKET + 1)[-1]
    stalled = world.ledger.take_pass(shard, FIRST_PASS)
    assert stalled is not None
    world.clock.time_ms += MINUTE
    assert world.sweep.execute().closed >= 1
    row = world.file.execute(one_off(5, created_at=world.clock.time_ms))
    assert row.id == execution_id(5)
    assert not world.ledger.close(stalled)
    assert (BUCKET, 0) in world.ledger.rows
