"""Buckets, shards, and the windows in which the protocol moves."""

import pytest

from shared.domain.bucket import (
    MAX_SHARDS,
    ShardCounts,
    ShardEpoch,
    ShardPlan,
    ShardRange,
    bucket_end_ms,
    bucket_of,
    bucket_start_ms,
    buckets_to_watch,
    is_near,
    may_be_closed,
    next_sweep_ms,
)
from shared.domain.errors import InvalidValueError

BUCKET = 29_000_001
START = bucket_start_ms(BUCKET)
END = bucket_end_ms(BUCKET)
COUNTS = ShardCounts(normal=4, quarter=8, midnight=16)


def counts(normal: int, quarter: int = 8, midnight: int = 16) -> ShardCounts:
    return ShardCounts(normal=normal, quarter=quarter, midnight=midnight)


def plan(*epochs: tuple[int, ShardCounts]) -> ShardPlan:
    return ShardPlan(tuple(ShardEpoch(from_bucket=since, counts=valid) for since, valid in epochs))


def test_a_bucket_is_a_utc_minute_with_its_end_in_the_next_one() -> None:
    assert [bucket_of(START - 1), bucket_of(START), bucket_of(END - 1), bucket_of(END)] == [
        BUCKET - 1,
        BUCKET,
        BUCKET,
        BUCKET + 1,
    ]


def test_a_writer_sends_for_itself_from_a_guard_before_the_scan_may_begin() -> None:
    assert not is_near(BUCKET, START - 125_001)
    assert is_near(BUCKET, START - 125_000)
    assert is_near(BUCKET, END + 3_600_000)


def test_bucket_that_a_tick_scans_is_near_for_every_writer_within_the_clock_guard() -> None:
    for now_ms in range(START - 400_000, START + 400_000, 4_999):
        for bucket in buckets_to_watch(now_ms):
            assert is_near(bucket, now_ms - 5_000)


def test_a_tick_watches_the_current_minute_and_every_one_that_begins_within_the_look_ahead() -> None:
    assert buckets_to_watch(START) == range(BUCKET, BUCKET + 3)
    assert buckets_to_watch(END - 1) == range(BUCKET, BUCKET + 3)
    assert buckets_to_watch(START - 1) == range(BUCKET - 1, BUCKET + 2)


def test_a_bucket_may_be_closed_from_a_guard_before_its_first_sweep() -> None:
    assert not may_be_closed(BUCKET, END + 4_999)
    assert may_be_closed(BUCKET, END + 5_000)


def test_sweeps_come_10_s_1_min_5_min_and_30_min_after_the_end_and_then_hourly() -> None:
    passes = [next_sweep_ms(BUCKET, START)]
    for _ in range(5):
        passes.append(next_sweep_ms(BUCKET, passes[-1]))
    assert [at - END for at in passes] == [10_000, 60_000, 300_000, 1_800_000, 5_400_000, 9_000_000]


@pytest.mark.parametrize("late_ms", [0, 9_999, 10_000, 60_000, 1_800_000, 1_800_001, 5_399_999, 10**9])
def test_the_next_sweep_is_always_ahead_and_at_most_an_hour(late_ms: int) -> None:
    ahead_ms = next_sweep_ms(BUCKET, END + late_ms) - (END + late_ms)
    assert 0 < ahead_ms <= 3_600_000


def test_midnights_and_quarter_hours_have_shard_counts_of_their_own() -> None:
    midnight = 1440 * 20_000
    assert COUNTS.of(midnight) == 16
    assert [COUNTS.of(midnight + minute) for minute in (60, 75, 90, 105, 1, 59)] == [8, 8, 8, 4, 4, 4]


@pytest.mark.parametrize("wrong", [0, -1, MAX_SHARDS + 1])
def test_a_shard_count_that_no_id_could_carry_is_refused(wrong: int) -> None:
    with pytest.raises(InvalidValueError):
        counts(wrong)


def test_a_plan_answers_with_the_epoch_that_is_valid_for_the_bucket() -> None:
    grown = plan((100, counts(1)), (200, counts(2)), (300, counts(4)))
    assert [grown.counts_at(bucket).normal for bucket in (0, 100, 199, 200, 299, 300, 9_999)] == [
        1,
        1,
        1,
        2,
        2,
        4,
        4,
    ]


@pytest.mark.parametrize(
    "epochs",
    [
        [],
        [(200, counts(1)), (100, counts(2))],
        [(100, counts(1)), (100, counts(2))],
        [(100, counts(2)), (200, counts(1))],
        [(100, counts(1, quarter=8)), (200, counts(2, quarter=7))],
        [(100, counts(1, midnight=16)), (200, counts(2, midnight=15))],
    ],
    ids=["empty", "out of order", "twice", "shrinks", "quarter shrinks", "midnight shrinks"],
)
def test_a_plan_that_would_hide_shards_is_refused(epochs: list[tuple[int, ShardCounts]]) -> None:
    with pytest.raises(InvalidValueError):
        plan(*epochs)


@pytest.mark.parametrize("parts", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("count", [1, 2, 4, 7, 16, 100])
def test_over_all_parts_each_shard_comes_exactly_once(parts: int, count: int) -> None:
    shards = [shard for index in range(parts) for shard in ShardRange(index=index, of=parts).shards(count)]
    assert sorted(shards) == list(range(count))


@pytest.mark.parametrize(("index", "parts"), [(2, 2), (-1, 2), (0, 0)])
def test_shard_range_beyond_the_last_part_is_invalid(index: int, parts: int) -> None:
    with pytest.raises(InvalidValueError):
        ShardRange(index=index, of=parts)
