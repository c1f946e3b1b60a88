"""Counts by the sparse index of the jobs table: its items are those that have not ended."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.errors import translated
from shared.names import Attr, Index


def count_live(client: AwsClient, table: str, tenant_id: str, prefix: str, at_most: int) -> int:
    """A tenant's live items whose sort keys begin with the prefix; counting stops at `at_most`."""
    counted = 0
    start: dict[str, Any] = {}
    while counted < at_most:
        with translated():
            answer: Any = client.query(
                TableName=table,
                IndexName=Index.LIVE,
                KeyConditionExpression=f"{Attr.LIVE_PK} = :tenant AND begins_with({Attr.SK}, :prefix)",
                ExpressionAttributeValues={":tenant": encode(tenant_id), ":prefix": encode(prefix)},
                Select="COUNT",
                **start,
            )
        counted += answer["Count"]
        if "LastEvaluatedKey" not in answer:
            break
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    return min(counted, at_most)
