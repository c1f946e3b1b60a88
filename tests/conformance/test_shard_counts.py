"""ShardCountStore: the record of the largest shard counts, changed by compare-and-swap."""

from shared.domain.bucket import LEAST_COUNTS, ShardCounts
from tests.support.conformance.labs import Lab

FEW = ShardCounts(normal=2, quarter=3, midnight=4)
MANY = ShardCounts(normal=64, quarter=256, midnight=1024)


def test_no_record_means_the_least_counts(lab: Lab) -> None:
    assert lab.shard_counts.read() == LEAST_COUNTS


def test_record_changes_only_from_its_stored_value(lab: Lab) -> None:
    assert not lab.shard_counts.swap(FEW, MANY)
    assert lab.shard_counts.swap(LEAST_COUNTS, FEW)
    assert not lab.shard_counts.swap(LEAST_COUNTS, MANY)
    assert not lab.shard_counts.swap(MANY, MANY)
    assert lab.shard_counts.read() == FEW
    assert lab.shard_counts.swap(FEW, MANY)
    assert lab.shard_counts.read() == MANY


def test_record_is_no_job(lab: Lab) -> None:
    assert lab.shard_counts.swap(LEAST_COUNTS, MANY)
    assert lab.jobs.active(after=None, limit=10)[0] == []
