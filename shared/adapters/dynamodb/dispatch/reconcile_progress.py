"""The reconciler's progress in the leases table: one row for each segment of the live items, one for minutes.

A segment's row has `cv` covered at, `ck` checked until, `vn` version, and for the cycle under way `cb` began
at, `cu` until, `ca` cursor, `cn` failed checks. The row of minutes has `th` through and `sl` sample level.
"""

from collections.abc import Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, Plain, decode_all, encode, encode_all, is_same
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import (
    RECONCILED_SEGMENTS,
    item_key,
    reconciled_minutes_key,
    reconciled_segment_key,
)
from shared.names import Attr
from shared.ports.dispatch import MinuteProgress, ReconcileCycle, SegmentProgress


class DynamoReconcileProgress:
    """Two runs of the same part do work twice at worst: the second swap of a segment is refused."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def segments(self) -> Mapping[int, SegmentProgress]:
        pk, _ = reconciled_minutes_key(self._region)
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                ExpressionAttributeValues={":pk": {"S": pk}, ":prefix": {"S": RECONCILED_SEGMENTS}},
                ConsistentRead=True,
            )
        rows: list[dict[str, Any]] = [dict(decode_all(item)) for item in answer["Items"]]
        return {int(row[Attr.SK].removeprefix(RECONCILED_SEGMENTS)): _segment(row) for row in rows}

    def move_segment(
        self, segment: int, before: SegmentProgress | None, after: SegmentProgress
    ) -> SegmentProgress | None:
        version = before.version + 1 if before is not None else 1
        plain: dict[str, Plain | None] = {"cv": after.covered_at, "ck": after.checked_until, "vn": version}
        if after.cycle is not None:
            cycle = after.cycle
            plain |= {"cb": cycle.began_at, "cu": cycle.until_at, "ca": cycle.cursor, "cn": cycle.unavailable}
        moved = _segment(plain)
        item: Item = {**item_key(*reconciled_segment_key(self._region, segment)), **encode_all(plain)}
        condition: dict[str, Any] = {"ConditionExpression": ABSENT}
        if before is not None:
            condition = {
                "ConditionExpression": "vn = :before",
                "ExpressionAttributeValues": {":before": encode(before.version)},
            }
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                    **condition,
                )
        except ConditionRefused as refused:
            return moved if is_same(refused.items[0], item) else None
        return moved

    def minutes(self) -> MinuteProgress | None:
        key = item_key(*reconciled_minutes_key(self._region))
        with translated():
            answer = self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        row: Any = decode_all(answer["Item"]) if "Item" in answer else None
        return MinuteProgress(through=row["th"], sample_level=row["sl"]) if row is not None else None

    def note_minutes(self, progress: MinuteProgress) -> None:
        try:
            with translated():
                self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*reconciled_minutes_key(self._region)),
                    UpdateExpression="SET th = :through, sl = :level",
                    ConditionExpression="attribute_not_exists(th) OR th <= :through",
                    ExpressionAttributeValues={
                        ":through": encode(progress.through),
                        ":level": encode(progress.sample_level),
                    },
                )
        except ConditionRefused:
            return


def _segment(row: Mapping[str, Any]) -> SegmentProgress:
    cycle = None
    if row.get("cb") is not None:
        cycle = ReconcileCycle(
            began_at=row["cb"], until_at=row["cu"], cursor=row.get("ca"), unavailable=row["cn"]
        )
    return SegmentProgress(covered_at=row["cv"], checked_until=row["ck"], cycle=cycle, version=row["vn"])
