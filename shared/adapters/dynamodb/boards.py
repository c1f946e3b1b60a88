"""Lane progress and parked messages, both in the leases table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.attributes import Value, decode_all, encode_all
from shared.adapters.dynamodb.errors import translated
from shared.adapters.dynamodb.keys import item_key, parked_key, progress_key
from shared.domain.parked import Parked, parse_parked_id
from shared.domain.sweep import LaneProgress
from shared.names import Lane, QueueName

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoProgressBoard:
    """The last report for each lane wins."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def report(self, lane: Lane | QueueName, progress: LaneProgress) -> None:
        """See the port."""
        item = {
            **item_key(*progress_key(self._region, lane)),
            **encode_all({"va": progress.visible_at, "ra": progress.reported_at}),
        }
        with translated():
            self._client.put_item(TableName=self._table, Item=item)

    def read(self, lane: Lane | QueueName) -> LaneProgress | None:
        """See the port."""
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*progress_key(self._region, lane)),
            )
        return read_progress(answer["Item"]) if "Item" in answer else None


class DynamoParkingLot:
    """Parked messages stay until somebody removes them."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def park(self, message: Parked) -> None:
        """See the port."""
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

    def parked(self, limit: int, *, before: str | None = None) -> list[Parked]:
        """See the port."""
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

    def remove(self, parked_id: str) -> Parked | None:
        """See the port."""
        with translated():
            answer = self._client.delete_item(
                TableName=self._table, Key=item_key(*self._key(parked_id)), ReturnValues="ALL_OLD"
            )
        return _parked(answer["Attributes"]) if answer.get("Attributes") else None

    def _key(self, parked_id: str) -> tuple[str, str]:
        return parked_key(self._region, *parse_parked_id(parked_id))


def read_progress(item: Mapping[str, Value]) -> LaneProgress:
    """The report of a lane, as its item has it."""
    row: dict[str, Any] = dict(decode_all(item))
    return LaneProgress(visible_at=row["va"], reported_at=row["ra"])


def _parked(item: Mapping[str, Value]) -> Parked:
    row: dict[str, Any] = dict(decode_all(item))
    return Parked(
        message_id=row["id"],
        lane=QueueName(row["ln"]),
        body=row["b"],
        reason=row["rs"],
        parked_at=row["at"],
        size=row.get("sz", len(row["b"])),
    )
