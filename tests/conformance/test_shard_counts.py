"""ShardCountStore: the record of the largest shard counts and of the first bucket."""

from shared.adapters.dynamodb.codec.attributes import encode_all
from shared.adapters.dynamodb.codec.keys import item_key, shard_counts_key
from shared.domain.bucket import LEAST_COUNTS, ShardCounts
from shared.ports.dispatch import ShardRecord
from tests.support.builders import BUCKET
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.conformance.labs import Lab
from tests.support.conformance.live_items import all_live

FEW = ShardCounts(normal=2, quarter=3, midnight=4)
MANY = ShardCounts(normal=64, quarter=256, midnight=1024)
FIRST = ShardRecord(counts=FEW, open_from=BUCKET)


def test_there_is_no_record_before_the_first_filing(lab: Lab) -> None:
    assert lab.shard_counts.read() is None
    assert not lab.shard_counts.swap(LEAST_COUNTS, FEW)
    assert lab.shard_counts.read() is None


def test_record_is_created_once(lab: Lab) -> None:
    assert lab.shard_counts.begin(FIRST)
    assert not lab.shard_counts.begin(ShardRecord(counts=MANY, open_from=BUCKET + 1))
    assert lab.shard_counts.read() == FIRST


def test_counts_change_only_from_their_stored_value_and_the_first_bucket_never(lab: Lab) -> None:
    assert lab.shard_counts.begin(FIRST)
    assert not lab.shard_counts.swap(LEAST_COUNTS, MANY)
    assert not lab.shard_counts.swap(MANY, MANY)
    assert lab.shard_counts.read() == FIRST
    assert lab.shard_counts.swap(FEW, MANY)
    assert lab.shard_counts.read() == ShardRecord(counts=MANY, open_from=BUCKET)


def test_record_of_an_older_release_has_no_first_bucket_and_gets_none(engine_lab: DynamoLab) -> None:
    item = {**item_key(*shard_counts_key(REGION)), **encode_all({"v": 1, "sn": "2/3/4"})}
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item)
    assert engine_lab.shard_counts.read() == ShardRecord(counts=FEW, open_from=None)
    assert engine_lab.shard_counts.swap(FEW, MANY)
    assert engine_lab.shard_counts.read() == ShardRecord(counts=MANY, open_from=None)


def test_record_is_no_job(lab: Lab) -> None:
    assert lab.shard_counts.begin(FIRST)
    assert all_live(lab) == []
