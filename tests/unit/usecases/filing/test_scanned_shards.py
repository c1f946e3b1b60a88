"""Shard counts that grow, are rolled back and grow again: no accepted job lies in a shard that is not scanned."""

import pytest

from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.bucket import (
    LEAST_COUNTS,
    MINUTE_MS,
    ShardCounts,
    ShardEpoch,
    ShardPlan,
    ShardRange,
    bucket_of,
)
from shared.domain.errors import UnavailableError
from shared.domain.ids import occurrence_id
from shared.ports.dispatch import ShardRecord
from shared.usecases.filing.scanned_shards import OPEN_FROM_MARGIN
from shared.usecases.ticks.sweep_buckets import FIRST_LOOK_BACK
from tests.support.builders import BUCKET, DUE_AT, execution_id, job, one_off
from tests.support.settings import settings_of
from tests.support.usecases.reconciling import LATER, reconcile_minutes
from tests.support.usecases.world import EARLY, World

FEW = ShardCounts(normal=4, quarter=4, midnight=4)
MANY = ShardCounts(normal=8, quarter=16, midnight=32)
ALL = ShardRange(index=0, of=1)
UPPER = 6
"""A shard that only the newer release has."""


def release(world: World, counts: ShardCounts, since: int = 0) -> UseCases:
    """A process of a release with a plan of its own, over the same ports."""
    epochs = [ShardEpoch(from_bucket=0, counts=FEW if since else counts)]
    if since:
        epochs.append(ShardEpoch(from_bucket=since, counts=counts))
    settings = settings_of(ShardPlan(tuple(epochs)), world.retention, default_quotas=world.defaults)
    return use_cases(world.ports(), settings)


def recorded(counts: ShardCounts) -> ShardRecord:
    """The record of a release that did not note yet when filing began."""
    return ShardRecord(counts=counts, open_from=None)


def counts_of(world: World) -> ShardCounts:
    assert world.shard_counts.record is not None
    return world.shard_counts.record.counts


def filed_by_newer(world: World, number: int = 1, shard: int = UPPER, due_at: int = DUE_AT) -> None:
    release(world, MANY).core.file.execute(world.one_off(number, shard=shard, due_at=due_at))


def test_watcher_of_an_older_release_scans_the_shards_of_a_newer_one() -> None:
    world = World(EARLY, counts=FEW)
    filed_by_newer(world)
    world.clock.time_ms = DUE_AT - 60_000
    world.watch.execute(ALL)
    assert world.sent() == [execution_id(shard=UPPER)]


def test_sweeper_of_an_older_release_scans_the_shards_of_a_newer_one() -> None:
    world = World(EARLY, counts=FEW)
    world.ledger.note_swept_through(BUCKET - 1)
    filed_by_newer(world)
    world.clock.time_ms = DUE_AT + 2 * MINUTE_MS
    world.sweep.execute()
    assert world.sent() == [execution_id(shard=UPPER)]


def test_job_of_a_rolled_back_release_is_listed_and_reconciled() -> None:
    world = World(EARLY, counts=FEW)
    filed_by_newer(world)
    rows = world.list_due.execute(20 * MINUTE_MS, limit=10).rows
    assert [row.id.shard for row in rows] == [UPPER]
    world.clock.time_ms = LATER
    assert reconcile_minutes(world).executions == 1


def test_release_that_comes_again_finds_what_was_filed_before_its_rollback() -> None:
    """The sweeper of the older release has noted the bucket as swept in the meantime."""
    world = World(EARLY, counts=FEW)
    filed_by_newer(world)
    world.clock.time_ms = DUE_AT + 2 * MINUTE_MS
    world.sweep.execute()
    newer = release(world, MANY)
    for minute in range(3, 60):
        world.clock.time_ms = DUE_AT + minute * MINUTE_MS
        newer.ticks.sweep_buckets.execute()
    assert execution_id(shard=UPPER) in world.sent()


def test_job_in_an_epoch_that_had_begun_before_its_deployment_is_found() -> None:
    world = World(EARLY, counts=FEW)
    world.sweep.execute()
    newer = release(world, MANY, since=BUCKET - 30)
    newer.core.file.execute(world.one_off(shard=UPPER))
    world.clock.time_ms = DUE_AT + 2 * MINUTE_MS
    world.sweep.execute()
    assert world.sent() == [execution_id(shard=UPPER)]


def test_upper_shards_of_swept_buckets_are_listed_again_after_a_growth() -> None:
    """A writer between its record and its put meets a sweep that has read the record before."""
    world = World(DUE_AT + MINUTE_MS, counts=FEW)
    world.sweep.execute()
    world.put(one_off(shard=UPPER))
    world.shard_counts.record = recorded(MANY)
    world.clock.time_ms += 10 * MINUTE_MS
    world.sweep.execute()
    assert world.sent() == [execution_id(shard=UPPER)]
    mark = world.ledger.swept_through()
    assert mark is not None
    assert mark.recorded == MANY


def test_shards_that_were_swept_are_not_listed_again_after_a_growth() -> None:
    world = World(DUE_AT + MINUTE_MS, counts=FEW)
    world.shard_counts.record = recorded(FEW)
    world.sweep.execute()
    world.clock.time_ms += 2 * MINUTE_MS
    world.sweep.execute()
    world.shard_counts.record = recorded(MANY)
    listed = world.steps.count("ledger.list_shard")
    world.sweep.execute()
    now_bucket = bucket_of(world.clock.time_ms)
    upper = [MANY.of(bucket) - FEW.of(bucket) for bucket in range(now_bucket - FIRST_LOOK_BACK, now_bucket)]
    assert world.steps.count("ledger.list_shard") - listed == sum(upper)


def test_sweep_that_cannot_read_the_record_does_not_move_its_mark() -> None:
    world = World(DUE_AT + MINUTE_MS, counts=FEW)
    world.steps.fail("shard_counts.read")
    assert world.sweep.execute().unavailable == 1
    assert world.ledger.swept_through() is None


def test_watcher_that_cannot_read_the_record_scans_its_own_plan_and_fails_its_tick() -> None:
    world = World(DUE_AT - 60_000, counts=FEW)
    world.put(one_off(shard=3))
    world.steps.fail("shard_counts.read")
    with pytest.raises(UnavailableError):
        world.watch.execute(ALL)
    assert world.sent() == [execution_id(shard=3)]


def test_watcher_reads_the_record_at_each_tick() -> None:
    world = World(DUE_AT - 120_000, counts=FEW)
    world.watch.execute(ALL)
    filed_by_newer(world, due_at=DUE_AT + 3 * MINUTE_MS)
    world.clock.time_ms = DUE_AT + 2 * MINUTE_MS
    world.watch.execute(ALL)
    assert [key.shard for key in world.sent()] == [UPPER]


@pytest.mark.parametrize("step", ["shard_counts.read", "shard_counts.begin"])
def test_execution_is_not_filed_while_the_shard_record_cannot_be_extended(step: str) -> None:
    world = World(EARLY, counts=FEW)
    world.steps.fail(step)
    with pytest.raises(UnavailableError):
        world.file.execute(world.one_off(shard=3))
    assert world.table.executions == {}
    world.file.execute(world.one_off(shard=3))
    assert execution_id(shard=3) in world.table.executions


def test_batch_fails_only_for_the_shards_that_could_not_be_recorded() -> None:
    world = World(EARLY, counts=FEW)
    world.shard_counts.record = recorded(LEAST_COUNTS)
    world.steps.fail("shard_counts.swap")
    batch = world.create_jobs.file_batch
    results = batch.execute([world.one_off(1, shard=0), world.one_off(2, shard=3)])
    assert isinstance(results[1], UnavailableError)
    assert list(world.table.executions) == [execution_id(1)]


def test_record_costs_a_process_one_read_and_one_write() -> None:
    world = World(EARLY, counts=FEW)
    for number in range(12):
        world.file.execute(world.one_off(number, shard=number % 4))
    assert counts_of(world) == FEW
    assert (world.steps.count("shard_counts.read"), world.steps.count("shard_counts.begin")) == (1, 1)


def test_process_that_finds_its_counts_recorded_writes_nothing() -> None:
    world = World(EARLY, counts=FEW)
    world.shard_counts.record = recorded(MANY)
    world.file.execute(world.one_off(shard=3))
    assert world.steps.count("shard_counts.begin") == world.steps.count("shard_counts.swap") == 0


def test_record_keeps_what_another_process_wrote_meanwhile() -> None:
    world = World(EARLY, counts=FEW)
    other = ShardCounts(normal=1, quarter=16, midnight=1)
    world.steps.before("shard_counts.begin", lambda: world.shard_counts.begin(recorded(other)))
    world.file.execute(world.one_off(shard=3))
    assert counts_of(world) == ShardCounts(normal=4, quarter=16, midnight=4)


def test_lost_response_of_the_record_is_found_on_the_next_read() -> None:
    world = World(EARLY, counts=FEW)
    world.steps.lose_answer("shard_counts.begin")
    with pytest.raises(UnavailableError):
        world.file.execute(world.one_off(shard=3))
    world.file.execute(world.one_off(shard=3))
    assert world.steps.count("shard_counts.begin") == 1
    assert world.steps.count("shard_counts.swap") == 0


def test_occurrence_by_counts_of_a_newer_release_is_recorded_by_an_older_one() -> None:
    """The record may be older than the job, where a table was restored."""
    world = World(EARLY, counts=FEW)
    recurring = job(counts=ShardCounts(normal=400, quarter=400, midnight=400))
    occurrence = recurring.occurrence(DUE_AT, created_at=EARLY)
    assert occurrence.id == occurrence_id(recurring.id, 1, DUE_AT, recurring.counts)
    assert occurrence.id.shard > MANY.normal
    world.file.execute(occurrence)
    assert counts_of(world).normal == occurrence.id.shard + 1


def test_first_filing_is_recorded_though_every_plan_covers_its_shard() -> None:
    world = World(EARLY)
    world.file.execute(world.one_off())
    begun = ShardRecord(counts=LEAST_COUNTS, open_from=bucket_of(EARLY) - OPEN_FROM_MARGIN)
    assert world.shard_counts.record == begun


def test_growth_keeps_the_bucket_in_which_filing_began() -> None:
    world = World(EARLY, counts=FEW)
    world.file.execute(world.one_off(1, shard=3))
    world.clock.time_ms += 90 * MINUTE_MS
    filed_by_newer(world, 2, due_at=DUE_AT + 90 * MINUTE_MS)
    began = bucket_of(EARLY) - OPEN_FROM_MARGIN
    assert world.shard_counts.record == ShardRecord(counts=MANY, open_from=began)


def test_first_sweep_finds_what_was_filed_hours_before_it() -> None:
    """Neither a watcher nor a sweeper has run since the first filing."""
    world = World(EARLY, counts=FEW)
    for shard in (0, 3):
        world.file.execute(world.one_off(shard, shard=shard))
    world.clock.time_ms = DUE_AT + 180 * MINUTE_MS
    world.sweep.execute()
    assert world.sent() == [execution_id(0), execution_id(3, shard=3)]


def test_first_sweep_finds_the_row_of_a_writer_whose_clock_is_behind_that_of_the_first() -> None:
    """The first writer's clock is five minutes fast. The other writer finds its bucket not yet closed."""
    world = World(DUE_AT + 5 * MINUTE_MS, counts=FEW)
    world.file.execute(world.one_off(1, due_at=DUE_AT + 60 * MINUTE_MS))
    world.clock.time_ms = DUE_AT
    world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        world.file.execute(world.one_off(2))
    world.clock.time_ms = DUE_AT + 180 * MINUTE_MS
    world.sweep.execute()
    assert execution_id(2) in world.sent()


def test_first_sweep_goes_on_where_its_time_was_up() -> None:
    world = World(EARLY, counts=FEW)
    world.file.execute(world.one_off(shard=3))
    world.clock.time_ms = DUE_AT + 180 * MINUTE_MS
    for _ in range(30):
        left = iter(range(10))
        world.sweep.execute(lambda left=left: next(left, None) is not None)  # type: ignore[misc]
    world.sweep.execute()
    assert world.sent() == [execution_id(shard=3)]
    listed = world.steps.count("ledger.note_swept_through")
    assert listed == bucket_of(world.clock.time_ms) - (bucket_of(EARLY) - OPEN_FROM_MARGIN)


def test_first_sweep_looks_back_an_hour_if_an_older_release_wrote_the_record() -> None:
    world = World(DUE_AT + 30 * MINUTE_MS, counts=FEW)
    world.shard_counts.record = recorded(FEW)
    world.put(one_off(shard=3))
    world.sweep.execute()
    assert world.sent() == [execution_id(shard=3)]
    assert world.steps.count("ledger.note_swept_through") == FIRST_LOOK_BACK
