"""The record of the largest shard counts and of the bucket in which filing began, in the jobs table.

The leases table is neither restored nor replicated; a record there would be lost while jobs still wait in the
upper shards.
"""

from collections.abc import Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import encode_all
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.keys import item_key, shard_counts_key
from shared.adapters.dynamodb.codec.recurrence_fields import encode_counts, read_counts
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.bucket import ShardCounts
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.ports.dispatch import ShardRecord


class DynamoShardCountStore:
    """One item, written only when a shard is used for the first time."""

    def __init__(self, client: AwsClient, jobs_table: str, region: str) -> None:
        self._client = client
        self._jobs = jobs_table
        self._key = item_key(*shard_counts_key(region))

    def read(self) -> ShardRecord | None:
        with translated():
            answer = self._client.get_item(TableName=self._jobs, Key=self._key, ConsistentRead=True)
        item = answer.get("Item")
        try:
            return _read(plain_item(item)) if item else None
        except (UnreadableItemError, KeyError, ValueError, AttributeError) as error:
            # Scans go on by the plan of their own release, and nothing is filed into further shards.
            raise UnavailableError("the record of the shard counts is unreadable") from error

    def begin(self, record: ShardRecord) -> bool:
        fields = encode_all({"v": VERSION, "sn": encode_counts(record.counts), "fb": record.open_from})
        item = {**self._key, **fields}
        try:
            with translated():
                self._client.put_item(TableName=self._jobs, Item=item, ConditionExpression=ABSENT)
        except ConditionRefused:
            return False
        return True

    def swap(self, before: ShardCounts, after: ShardCounts) -> bool:
        values = encode_all({":before": encode_counts(before), ":after": encode_counts(after)})
        try:
            with translated():
                self._client.update_item(
                    TableName=self._jobs,
                    Key=self._key,
                    UpdateExpression="SET sn = :after",
                    ConditionExpression="sn = :before",
                    ExpressionAttributeValues=values,
                )
        except ConditionRefused:
            return False
        return True


def _read(plain: Mapping[str, Any]) -> ShardRecord:
    open_from = plain.get("fb")
    if open_from is not None and type(open_from) is not int:
        raise ValueError("`fb` is no bucket")
    return ShardRecord(counts=read_counts(plain["sn"]), open_from=open_from)
