"""The progress of the audit trail, in the leases table.

`vn` version, `nn` number of the next segment, `lh` hash of the segment before, `th` end of the last exported period,
`ps` periods: each with its beginning, its end, its segments, whether it is closed, and its late passes.
"""

import json
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Plain, decode_all, encode
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.trail_keys import trail_progress_key
from shared.domain.audit_trail.progress import PeriodProgress, TrailProgress
from shared.domain.audit_trail.segment import Period


class DynamoTrailProgress:
    def __init__(self, client: AwsClient, table: str, region: str, bucket: str) -> None:
        self._client = client
        self._table = table
        self._key = item_key(*trail_progress_key(region, bucket))

    def load(self) -> TrailProgress | None:
        with translated():
            answer = self._client.get_item(TableName=self._table, Key=self._key, ConsistentRead=True)
        return _read(decode_all(answer["Item"])) if "Item" in answer else None

    def save(self, progress: TrailProgress) -> TrailProgress | None:
        values: dict[str, Plain] = {
            ":vn": progress.version + 1,
            ":nn": progress.next_number,
            ":lh": progress.last_hash,
            ":th": progress.through_at,
            ":ps": json.dumps([_row(each) for each in progress.periods], separators=(",", ":")),
        }
        condition = "attribute_not_exists(vn)"
        if progress.version:
            condition = "vn = :before"
            values[":before"] = progress.version
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key=self._key,
                    UpdateExpression="SET vn = :vn, nn = :nn, lh = :lh, th = :th, ps = :ps",
                    ConditionExpression=condition,
                    ExpressionAttributeValues={name: encode(value) for name, value in values.items()},
                    ReturnValues="ALL_NEW",
                )
        except ConditionRefused:
            return None
        return _read(decode_all(answer["Attributes"]))


def _row(own: PeriodProgress) -> list[Any]:
    return [own.period.from_at, own.period.until_at, list(own.segments), own.is_closed, own.late_passes]


def _read(item: Any) -> TrailProgress:
    row: dict[str, Any] = dict(item)
    return TrailProgress(
        version=row["vn"],
        next_number=row["nn"],
        last_hash=row["lh"],
        through_at=row["th"],
        periods=tuple(
            PeriodProgress(
                period=Period(from_at=from_at, until_at=until_at),
                segments=tuple(segments),
                is_closed=is_closed,
                late_passes=late_passes,
            )
            for from_at, until_at, segments, is_closed, late_passes in json.loads(row["ps"])
        ),
    )
