"""Units: each execution is in one, by its id alone."""

import pytest

from shared.domain.archive.unit import ArchiveUnit, unit_of, unit_of_text, units_of
from shared.domain.bucket import ShardCounts, ShardEpoch, ShardPlan
from shared.domain.errors import InvalidValueError
from tests.support.builders import BUCKET, DUE_AT, execution_id

HOUR = BUCKET // 60


def plan(*counts: tuple[int, ShardCounts]) -> ShardPlan:
    return ShardPlan(tuple(ShardEpoch(from_bucket=bucket, counts=each) for bucket, each in counts))


def test_unit_of_an_execution_is_its_hour_and_its_group_of_four_shards() -> None:
    assert unit_of(execution_id(shard=3)) == ArchiveUnit(hour=HOUR, group=0)
    assert unit_of(execution_id(shard=4)) == ArchiveUnit(hour=HOUR, group=1)
    assert unit_of_text(str(execution_id(shard=4))) == ArchiveUnit(hour=HOUR, group=1)
    with pytest.raises(InvalidValueError):
        unit_of_text("exe_none")


def test_minutes_of_a_unit_are_those_of_its_hour() -> None:
    unit = ArchiveUnit(hour=HOUR, group=0)
    assert BUCKET in unit.buckets
    assert len(unit.buckets) == 60
    assert unit.start_ms <= DUE_AT < unit.end_ms == unit.buckets.stop * 60_000


def test_shards_of_a_unit_exist_in_their_minutes() -> None:
    counts = ShardCounts(normal=2, quarter=5, midnight=16)
    shards = list(ArchiveUnit(hour=HOUR, group=1).shards(plan((0, counts))))
    assert shards == [(HOUR * 60 + minute, 4) for minute in (0, 15, 30)]
    assert len(list(ArchiveUnit(hour=HOUR, group=0).shards(plan((0, counts))))) == 57 * 2 + 3 * 4


def test_hour_has_as_many_groups_as_its_largest_minute_also_where_the_plan_grows_in_between() -> None:
    small, large = (ShardCounts(normal=size, quarter=size, midnight=size) for size in (4, 5))
    assert len(units_of(HOUR, plan((0, small)))) == 1
    assert len(units_of(HOUR, plan((0, small), (HOUR * 60 + 59, large)))) == 2
    midnight = ShardCounts(normal=1, quarter=1, midnight=9)
    assert [len(units_of(24 * 20_000 + hour, plan((0, midnight)))) for hour in (0, 1)] == [3, 1]


def test_keys_tell_region_day_and_hour() -> None:
    unit = ArchiveUnit(hour=HOUR, group=7)
    assert unit.file_key("eu-west-1") == "v1/executions/cell=eu-west-1/dt=2025-02-19/hh=21/g007.parquet"
    assert unit.manifest_key("eu-west-1") == "v1/manifests/cell=eu-west-1/dt=2025-02-19/hh=21/g007.json"
