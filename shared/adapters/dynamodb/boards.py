"""Lane progress and parked messages, both in the leases table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.attributes import decode_all, encode_all
from shared.adapters.dynamodb.errors import translated
from shared.adapters.dynamodb.keys import item_key, parked_key, progress_key
from shared.domain.sweep import LaneProgress
from shared.names import Lane
from shared.ports.boards import Parked

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoProgressBoard:
    """The last report for each lane wins."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def report(self, lane: Lane, progress: LaneProgress) -> None:
        """See the port."""
        item = {
            **item_key(*progress_key(self._region, lane)),
            **encode_all({"va": progress.visible_at, "ra": progress.reported_at}),
        }
        with translated():
            self._client.put_item(TableName=self._table, Item=item)

    def read(self, lane: Lane) -> LaneProgress | None:
        """See the port."""
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*progress_key(self._region, lane)),
            )
        if "Item" not in answer:
            return None
        row: dict[str, Any] = dict(decode_all(answer["Item"]))
        return LaneProgress(visible_at=row["va"], reported_at=row["ra"])


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
                }
            ),
        }
        with translated():
            self._client.put_item(TableName=self._table, Item=item)

    def parked(self, limit: int) -> list[Parked]:
        """See the port."""
        pk, _ = parked_key(self._region, 0, "")
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": pk}},
                ScanIndexForward=False,
                ConsistentRead=True,
                Limit=limit,
            )
        rows: list[dict[str, Any]] = [dict(decode_all(item)) for item in answer["Items"]]
        return [
            Parked(
                message_id=row["id"],
                lane=Lane(row["ln"]),
                body=row["b"],
                reason=row["rs"],
                parked_at=row["at"],
            )
            for row in rows
        ]
