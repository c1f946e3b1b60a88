"""The ledger of shards in the leases table: one row for each shard of each open bucket.

A row holds the watcher's lease (`f` fence, `lu` its end, `cu` cursor, `sb` when the scan began, `dn` done) and
the sweeper's passes (`ps` how many, `np` the next, `lr` the last re-send). `vn` counts what a closing sweeper
must not overlook.
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
from shared.domain.bucket import FIRST_SWEEP_MS, bucket_end_ms
from shared.names import Attr
from shared.ports.dispatch import OpenShard, WatchLease

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LEASE_MS = 55_000
"""Ends before the next tick; a watcher's function may not run longer."""


class DynamoShardLedger:
    """Every change is conditional on the fence or the version that was read."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def take(self, bucket: int, shard: int, now_ms: int) -> WatchLease | None:
        """See the port."""
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
        """See the port."""
        return self._fenced(lease, "SET cu = :cursor", {":cursor": cursor})

    def finish(self, lease: WatchLease) -> bool:
        """See the port."""
        return self._fenced(lease, "SET dn = :done REMOVE cu, lu", {":done": 1})

    def _fenced(self, lease: WatchLease, expression: str, values: dict[str, Any]) -> bool:
        key = ledger_key(self._region, lease.bucket, lease.shard)
        return self._update(key, expression, "f = :fence", {":fence": lease.fence, **values}) is not None

    def reopen(self, bucket: int, shard: int, next_pass_at: int) -> None:
        """See the port. A row that is still open keeps its history and is only swept sooner."""
        self._update(
            ledger_key(self._region, bucket, shard),
            "SET np = if_not_exists(np, :np), ps = if_not_exists(ps, :zero) ADD vn :one",
            None,
            {":np": next_pass_at, ":zero": 0, ":one": 1},
        )

    def open_before(self, bucket: int) -> list[OpenShard]:
        """See the port."""
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

    def swept_through(self) -> int | None:
        """See the port."""
        return self._mark(swept_key(self._region))

    def _mark(self, key: tuple[str, str]) -> int | None:
        with translated():
            answer = self._client.get_item(TableName=self._table, Key=item_key(*key), ConsistentRead=True)
        return int(answer["Item"]["th"]["N"]) if "Item" in answer else None

    def note_swept_through(self, bucket: int) -> None:
        """See the port."""
        self._move_mark(swept_key(self._region), bucket)

    def _move_mark(self, key: tuple[str, str], bucket: int) -> None:
        condition = "attribute_not_exists(th) OR th < :bucket"
        self._update(key, "SET th = :bucket", condition, {":bucket": bucket})

    def reconciled_through(self) -> int | None:
        """See the port of the reconciler's mark."""
        return self._mark(reconciled_key(self._region))

    def note_reconciled_through(self, bucket: int) -> None:
        """See the port of the reconciler's mark."""
        self._move_mark(reconciled_key(self._region), bucket)

    def record_pass(self, shard: OpenShard, *, next_pass_at: int, last_resend_at: int | None) -> bool:
        """See the port."""
        values = {":version": shard.version, ":np": next_pass_at, ":one": 1}
        expression = "SET np = :np"
        if last_resend_at is not None:
            expression += ", lr = :lr"
            values[":lr"] = last_resend_at
        key = ledger_key(self._region, shard.bucket, shard.shard)
        return self._update(key, f"{expression} ADD ps :one", "vn = :version", values) is not None

    def close(self, shard: OpenShard) -> bool:
        """See the port."""
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
