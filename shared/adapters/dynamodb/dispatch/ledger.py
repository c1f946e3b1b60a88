"""The ledger of shards in the leases table: one row for each shard of each open bucket.

A row has the watcher's lease (`f` fencing token, `lu` end, `cu` cursor, `sb` scan began, `dn` done), the
sweeper's lease (`sf` fencing token, `sl` end, `su` a suspended pass) and its passes (`ps` count, `np` next pass,
`lr` last re-send, `op` open rows, `fs` next full scan). `ou` is until when a reopening keeps the row. `vn` is
raised by every open or reopen, so that a sweeper cannot close a shard that was reopened meanwhile.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import decode_all, encode
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import (
    item_key,
    ledger_before,
    ledger_key,
    ledger_pk,
    swept_key,
)
from shared.adapters.dynamodb.codec.ledger_rows import encode_open_rows, encode_progress, read_open_shard
from shared.adapters.dynamodb.codec.recurrence_fields import encode_counts, read_counts
from shared.domain.bucket import (
    EVERY_SHARD,
    FIRST_SWEEP_MS,
    LEAST_COUNTS,
    ShardCounts,
    ShardRange,
    bucket_end_ms,
)
from shared.names import LEDGER_PARTITIONS
from shared.ports.dispatch import (
    OpenShard,
    PassLease,
    PassProgress,
    SweptMark,
    WatchLease,
)

LEASE_MS = 55_000
"""Shorter than the time between ticks; the timeout of the watcher's function must not be longer."""

PASS_LEASE_MS = 50_000
"""Shorter than the time between ticks. Two runs over one shard send messages twice at worst."""

NOTHING: Mapping[str, str] = {}
_VERSION = "vn = if_not_exists(vn, :base) + :one"
"""`:base` is an instant, so that a row that is created again has another version than the closed row."""
_LISTED = f"SET np = if_not_exists(np, :np), ps = if_not_exists(ps, :zero), {_VERSION}"
_LISTED_UNSWEPT = f"SET np = :np, ps = :zero, {_VERSION}"


class DynamoShardLedger:
    """Every change is conditional on a fencing token or a version."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def take(self, bucket: int, shard: int, now_ms: int) -> WatchLease | None:
        first_pass_at = bucket_end_ms(bucket) + FIRST_SWEEP_MS
        row = self._update(
            ledger_key(self._region, bucket, shard),
            f"{_LISTED}, lu = :until, sb = if_not_exists(sb, :base) ADD f :one",
            "attribute_not_exists(dn) AND (attribute_not_exists(lu) OR lu <= :base)",
            {":until": now_ms + LEASE_MS, ":base": now_ms, ":np": first_pass_at, ":zero": 0, ":one": 1},
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

    def open_until(self, bucket: int, shard: int) -> int | None:
        row = self._read_item(ledger_key(self._region, bucket, shard))
        return row.get("ou")

    def reopen(self, bucket: int, shard: int, *, next_pass_at: int, open_until: int) -> None:
        """A row that is still open keeps its schedule. The guarantee only grows: the clock of another process
        may be ahead."""
        values = {":np": next_pass_at, ":zero": 0, ":base": open_until, ":one": 1, ":ou": open_until}
        key, expression = ledger_key(self._region, bucket, shard), f"{_LISTED}, ou = :ou REMOVE op"
        if self._update(key, expression, "attribute_not_exists(ou) OR ou < :ou", values) is None:
            del values[":ou"]
            self._update(key, f"{_LISTED} REMOVE op", None, values)

    def list_shard(self, bucket: int, shard: int, next_pass_at: int) -> None:
        """A late put may have listed the shard before, with a pass that is half an hour away."""
        values = {":np": next_pass_at, ":zero": 0, ":base": next_pass_at, ":one": 1}
        key, is_unswept = ledger_key(self._region, bucket, shard), "ps = :zero AND np > :np"
        if self._update(key, _LISTED_UNSWEPT, f"attribute_not_exists(np) OR ({is_unswept})", values) is None:
            self._update(key, _LISTED, None, values)

    def open_before(self, bucket: int, part: ShardRange = EVERY_SHARD) -> list[OpenShard]:
        rows = [
            row
            for partition in part.shards(LEDGER_PARTITIONS)
            for row in self._partition(ledger_pk(self._region, partition), bucket)
        ]
        return sorted(rows, key=lambda row: (row.bucket, row.shard))

    def _partition(self, pk: str, bucket: int) -> Iterator[OpenShard]:
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
            yield from (read_open_shard(decode_all(item)) for item in answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def swept_through(self) -> SweptMark | None:
        mark = self._read_item(swept_key(self._region))
        return SweptMark(bucket=mark["th"], recorded=read_counts(mark["sn"])) if mark else None

    def _read_item(self, key: tuple[str, str]) -> dict[str, Any]:
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

    def take_pass(self, shard: OpenShard, now_ms: int) -> PassLease | None:
        row = self._update(
            ledger_key(self._region, shard.bucket, shard.shard),
            "SET sl = :until, sf = if_not_exists(sf, :now) + :one",
            "attribute_exists(vn) AND np <= :now AND (attribute_not_exists(sl) OR sl <= :now)",
            {":until": now_ms + PASS_LEASE_MS, ":now": now_ms, ":one": 1},
        )
        return PassLease(shard=read_open_shard(row), fence=row["sf"]) if row is not None else None

    def suspend_pass(self, lease: PassLease, progress: PassProgress | None) -> bool:
        if progress is None:
            return self._end_pass(lease, "REMOVE sl, su", {})
        return self._end_pass(lease, "SET su = :su REMOVE sl", {":su": encode_progress(progress)})

    def record_pass(
        self,
        lease: PassLease,
        *,
        next_pass_at: int,
        full_scan_at: int | None = None,
        last_resend_at: int | None = None,
        open_rows: tuple[str, ...] | None = None,
    ) -> bool:
        sets = {"np": next_pass_at, "fs": full_scan_at, "lr": last_resend_at}
        values: dict[str, Any] = {f":{name}": value for name, value in sets.items() if value is not None}
        assignments = ", ".join(["ps = ps + :one", *(f"{name[1:]} = {name}" for name in values)])
        values[":one"] = 1
        gone = "sl, su" if full_scan_at is not None else "sl, su, fs"
        if open_rows is not None:
            kept = values | {":op": encode_open_rows(open_rows), ":version": lease.version}
            if self._end_pass(
                lease, f"SET {assignments}, op = :op REMOVE {gone}", kept, " AND vn = :version"
            ):
                return True
        return self._end_pass(lease, f"SET {assignments} REMOVE {gone}, op", values)

    def _end_pass(
        self, lease: PassLease, expression: str, values: dict[str, Any], condition: str = ""
    ) -> bool:
        key = ledger_key(self._region, lease.shard.bucket, lease.shard.shard)
        values = {":fence": lease.fence, **values}
        return self._update(key, expression, f"sf = :fence{condition}", values) is not None

    def close(self, lease: PassLease) -> bool:
        key = ledger_key(self._region, lease.shard.bucket, lease.shard.shard)
        try:
            with translated():
                self._client.delete_item(
                    TableName=self._table,
                    Key=item_key(*key),
                    ConditionExpression="vn = :version AND sf = :fence",
                    ExpressionAttributeValues={
                        ":version": encode(lease.version),
                        ":fence": encode(lease.fence),
                    },
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
