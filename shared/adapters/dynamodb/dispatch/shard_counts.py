"""The record of the largest shard counts, in the jobs table.

The leases table is neither restored nor replicated; a record there would be lost while jobs still wait in the
upper shards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.attributes import encode, encode_all
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.keys import item_key, shard_counts_key
from shared.adapters.dynamodb.codec.recurrence_fields import encode_counts, read_counts
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.bucket import LEAST_COUNTS, ShardCounts
from shared.domain.errors import UnavailableError, UnreadableItemError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoShardCountStore:
    """One item, written only when a shard is used for the first time."""

    def __init__(self, client: DynamoDBClient, jobs_table: str, region: str) -> None:
        self._client = client
        self._jobs = jobs_table
        self._key = item_key(*shard_counts_key(region))

    def read(self) -> ShardCounts:
        with translated():
            answer = self._client.get_item(TableName=self._jobs, Key=self._key, ConsistentRead=True)
        item = answer.get("Item")
        try:
            return read_counts(plain_item(item)["sn"]) if item else LEAST_COUNTS
        except (UnreadableItemError, KeyError, ValueError, AttributeError) as error:
            # Scans go on by the plan of their own release, and nothing is filed into further shards.
            raise UnavailableError("the record of the shard counts is unreadable") from error

    def swap(self, before: ShardCounts, after: ShardCounts) -> bool:
        condition: dict[str, Any] = (
            {"ConditionExpression": "attribute_not_exists(pk)"}
            if before == LEAST_COUNTS
            else {
                "ConditionExpression": "sn = :before",
                "ExpressionAttributeValues": {":before": encode(encode_counts(before))},
            }
        )
        item = {**self._key, **encode_all({"v": VERSION, "sn": encode_counts(after)})}
        try:
            with translated():
                self._client.put_item(TableName=self._jobs, Item=item, **condition)
        except ConditionRefused:
            return False
        return True
