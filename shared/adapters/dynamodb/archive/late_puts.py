"""Counters of puts into hours that the archive may have sealed, in the leases table.

A counter begins with an instant, so that a counter that has expired is never counted up to its old value again.
"""

from collections.abc import Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.archive_keys import LATE_PUTS, late_puts_key
from shared.adapters.dynamodb.codec.attributes import decode_all, encode
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.names import Attr

KEPT_SECONDS = 30 * 86_400
"""From the last count. An hour into which executions are put is sealed again within days."""


class DynamoLatePuts:
    """One item for each hour: `ct` the counter."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def count(self, hour: int, now_ms: int) -> None:
        with translated():
            self._client.update_item(
                TableName=self._table,
                Key=item_key(*late_puts_key(self._region, hour)),
                UpdateExpression="SET ct = if_not_exists(ct, :now) + :one, #ttl = :ttl",
                ExpressionAttributeNames={"#ttl": Attr.TTL},
                ExpressionAttributeValues={
                    ":now": encode(now_ms),
                    ":one": encode(1),
                    ":ttl": encode(now_ms // 1000 + KEPT_SECONDS),
                },
            )

    def counter(self, hour: int) -> int | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=item_key(*late_puts_key(self._region, hour)), ConsistentRead=True
            )
        row: Any = decode_all(answer.get("Item", {}))
        counter: int | None = row.get("ct")
        return counter

    def counters(self) -> Mapping[int, int]:
        pk, _ = late_puts_key(self._region, 0)
        start: Any = {}
        found: dict[int, int] = {}
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                    ExpressionAttributeValues={":pk": {"S": pk}, ":prefix": {"S": LATE_PUTS}},
                    ConsistentRead=True,
                    **start,
                )
            rows: list[Any] = [decode_all(item) for item in answer["Items"]]
            found |= {int(row[Attr.SK].removeprefix(LATE_PUTS)): row["ct"] for row in rows}
            if "LastEvaluatedKey" not in answer:
                return found
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
