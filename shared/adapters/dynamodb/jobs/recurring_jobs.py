"""The count of a tenant's recurring jobs, from the jobs table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import live_key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoRecurringJobs:
    """A strongly consistent query: an exact count, of records that exist until a definition ends.

    Definitions that have ended cost nothing, although they stay in the table for weeks.
    """

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def count(self, tenant_id: str, at_most: int) -> int:
        pk, prefix = live_key(tenant_id, "")
        counted, more = 0, True
        start: dict[str, Any] = {}
        while more and counted < at_most:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                    ExpressionAttributeValues={":pk": encode(pk), ":prefix": encode(prefix)},
                    Select="COUNT",
                    ConsistentRead=True,
                    **start,
                )
            counted += answer["Count"]
            more = "LastEvaluatedKey" in answer
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]} if more else {}
        return min(counted, at_most)
