"""Parked messages in the leases table."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Value, decode_all, encode_all
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import item_key, parked_key
from shared.domain.dead_letters.parked_message import ParkedMessage, parse_parked_id
from shared.names import QueueName


class DynamoParkedMessageStore:
    """Parked messages stay until an operator removes them."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def park(self, message: ParkedMessage) -> None:
        item = {
            **item_key(*parked_key(self._region, message.parked_at, message.message_id)),
            **encode_all(
                {
                    "id": message.message_id,
                    "ln": message.lane.value,
                    "b": message.body,
                    "rs": message.reason,
                    "at": message.parked_at,
                    "sz": message.size,
                }
            ),
        }
        with translated():
            self._client.put_item(TableName=self._table, Item=item)

    def parked(self, limit: int, *, before: str | None = None) -> list[ParkedMessage]:
        pk, _ = parked_key(self._region, 0, "")
        start: Any = {"ExclusiveStartKey": item_key(*self._key(before))} if before is not None else {}
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": pk}},
                ScanIndexForward=False,
                ConsistentRead=True,
                Limit=limit,
                **start,
            )
        return [_parked(item) for item in answer["Items"]]

    def remove(self, parked_id: str) -> ParkedMessage | None:
        with translated():
            answer = self._client.delete_item(
                TableName=self._table, Key=item_key(*self._key(parked_id)), ReturnValues="ALL_OLD"
            )
        return _parked(answer["Attributes"]) if answer.get("Attributes") else None

    def _key(self, parked_id: str) -> tuple[str, str]:
        return parked_key(self._region, *parse_parked_id(parked_id))


def _parked(item: Mapping[str, Value]) -> ParkedMessage:
    row: dict[str, Any] = dict(decode_all(item))
    return ParkedMessage(
        message_id=row["id"],
        lane=QueueName(row["ln"]),
        body=row["b"],
        reason=row["rs"],
        parked_at=row["at"],
        size=row.get("sz", len(row["b"])),
    )
