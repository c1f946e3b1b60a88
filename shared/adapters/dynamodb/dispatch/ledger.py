"""The ledger of shards in the leases table: one row for each shard of each open bucket.

A row has the watcher's lease (`f` fencing token, `lu` end, `cu` cursor, `sb` scan began, `dn` done) and the
sweeper's passes (`ps` count, `np` next pass, `lr` last re-send). `vn` is incremented by every open or reopen,
so that a sweeper cannot close a shard that was reopened meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.attributes import Value, decode_all, encode
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import (
    item_key,
    ledger_before,
    ledger_key,
    parse_ledger_sk,
    reconciled_key,
    swept_key,
)
from shared.adapters.dynamodb.codec.recurrence_fields import encode_counts, read_counts
from shared.domain.bucket import FIRST_SWEEP_MS, LEAST_COUNTS, ShardCounts, bucket_end_ms
from shared.names import Attr
from shared.ports.dispatch import OpenShard, SweptMark, WatchLease

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LEASE_MS = 55_000
"""Shorter than the time between ticks; the timeout of the watcher's function must not be longer."""

NOTHING: Mapping[str, str] = {}


class DynamoShardLedger:
    """Every change is conditional on a fencing token or a version."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def take(self, bucket: int, shard: int, now_ms: int) -> WatchLease | None:
        first_pass_at = bucket_end_ms(bucket) + FIRST_SWEEP_MS
        row = self._update(
            ledger_key(self._region, bucket, shard),
            "SET lu = :until, sb = if_not_exists(sb, :now), np = if_not_exists(np, :np), "
            "ps = if_not_exists(ps, :zero) ADD f :one, vn :one",
            "attribute_not_exists(dn) AND (attribute_not_exists(lu) OR lu <= :now)",
            {":until": now_ms + LEASE_MS, ":now": now_ms, ":np": first_pass_at, ":zero": 0, ":one": 1},
        )
        if row is None:
            return None
        return WatchLease(
            bucket=bucket, shard=shard, fence=row["f"], cursor=row.get("cu"), scan_began_at=row["sb"]
        )

    def advance(self, lease: WatchLease, cursor: str) -> bool:
        return self._fenced(lease, "SET cu = :cursor", {":cursor": cursor})

    def finish(self, lease: WatchLease) -> bool:
        return self._fenced(lease, "SET dn = :done REMOVE cu, lu", {":done": 1})

    def _fenced(self, lease: WatchLease, expression: str, values: dict[str, Any]) -> bool:
        key = ledger_key(self._region, lease.bucket, lease.shard)
        return self._update(key, expression, "f = :fence", {":fence": lease.fence, **values}) is not None

    def reopen(self, bucket: int, shard: int, next_pass_at: int) -> None:
        """A row that is still open keeps its schedule; only its version changes."""
        self._update(
            ledger_key(self._region, bucket, shard),
            "SET np = if_not_exists(np, :np), ps = if_not_exists(ps, :zero) ADD vn :one",
            None,
            {":np": next_pass_at, ":zero": 0, ":one": 1},
        )

    def open_before(self, bucket: int) -> list[OpenShard]:
        pk, _ = ledger_key(self._region, 0, 0)
        rows: list[OpenShard] = []
        start: Any = {}
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk AND sk < :before",
                    ExpressionAttributeValues={":pk": {"S": pk}, ":before": {"S": ledger_before(bucket)}},
                    ConsistentRead=True,
                    **start,
                )
            rows += [_read(item) for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                return rows
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def swept_through(self) -> SweptMark | None:
        mark = self._mark(swept_key(self._region))
        return SweptMark(bucket=mark["th"], recorded=read_counts(mark["sn"])) if mark else None

    def _mark(self, key: tuple[str, str]) -> dict[str, Any]:
        with translated():
            answer = self._client.get_item(TableName=self._table, Key=item_key(*key), ConsistentRead=True)
        return dict(decode_all(answer.get("Item", {})))

    def note_swept_through(self, bucket: int, recorded: ShardCounts = LEAST_COUNTS) -> None:
        self._move_mark(
            swept_key(self._region), bucket, ", sn = :counts", {":counts": encode_counts(recorded)}
        )

    def _move_mark(
        self, key: tuple[str, str], bucket: int, more: str = "", values: Mapping[str, str] = NOTHING
    ) -> None:
        condition = "attribute_not_exists(th) OR th < :bucket"
        self._update(key, f"SET th = :bucket{more}", condition, {":bucket": bucket, **values})

    def reconciled_through(self) -> int | None:
        return self._mark(reconciled_key(self._region)).get("th")

    def note_reconciled_through(self, bucket: int) -> None:
        self._move_mark(reconciled_key(self._region), bucket)

    def record_pass(self, shard: OpenShard, *, next_pass_at: int, last_resend_at: int | None) -> bool:
        values = {":version": shard.version, ":np": next_pass_at, ":one": 1}
        expression = "SET np = :np"
        if last_resend_at is not None:
            expression += ", lr = :lr"
            values[":lr"] = last_resend_at
        key = ledger_key(self._region, shard.bucket, shard.shard)
        return self._update(key, f"{expression} ADD ps :one", "vn = :version", values) is not None

    def close(self, shard: OpenShard) -> bool:
        key = ledger_key(self._region, shard.bucket, shard.shard)
        try:
            with translated():
                self._client.delete_item(
                    TableName=self._table,
                    Key=item_key(*key),
                    ConditionExpression="vn = :version",
                    ExpressionAttributeValues={":version": {"N": str(shard.version)}},
                )
        except ConditionRefused:
            return False
        return True

    def _update(
        self, key: tuple[str, str], expression: str, condition: str | None, values: dict[str, Any]
    ) -> dict[str, Any] | None:
        """The row after the change; None where the condition was refused."""
        conditional: Any = {"ConditionExpression": condition} if condition else {}
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*key),
                    UpdateExpression=expression,
                    ExpressionAttributeValues={name: encode(value) for name, value in values.items()},
                    ReturnValues="ALL_NEW",
                    **conditional,
                )
        except ConditionRefused:
            return None
        return dict(decode_all(answer["Attributes"]))


def _read(item: Mapping[str, Value]) -> OpenShard:
    row: dict[str, Any] = dict(decode_all(item))
    bucket, shard = parse_ledger_sk(row[Attr.SK])
    return OpenShard(
        bucket=bucket,
        shard=shard,
        version=row["vn"],
        scan_began_at=row.get("sb") if "dn" in row else None,
        passes=row["ps"],
        next_pass_at=row["np"],
        last_resend_at=row.get("lr"),
    )
