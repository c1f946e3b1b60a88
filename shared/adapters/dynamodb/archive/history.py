"""The statistics of each hour, in the history table.

An item is of one tenant, or of all tenants, in one unit of the archive: `v` version of the item's form, `vn` version
of the unit during the pass, `st` the sums, `ttl`, and two attributes with which a reader of the archive finds the
rows of the tenant without the footer of the file:

* `rg` is a list of two numbers, the first and the last row group with rows of the tenant, counted from 0. Between them,
  each row group has rows of the tenant. Absent without rows, and in the item of all tenants.
* `et` is the ETag of the file that `rg` refers to, and from which the sums were computed. A file with another ETag may
  have other row groups.

An item of the tasks of one workflow is like that of its tenant, which counts them, too, without `rg` and `et`.

Another item is of one tenant, or of all tenants, on one day: `jb` has the busiest jobs, `vn` when they were counted.

One more item tells which hours were passed: `fr` the first hour, `th` the first hour that was not, `pa` when.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.archive_keys import (
    day_jobs_key,
    hour_sums_key,
    is_of_workflow,
    parse_hour_sums_sk,
    passed_key,
)
from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode, encode_all
from shared.adapters.dynamodb.codec.day_jobs import encode_day_jobs, read_day_jobs
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.sums import encode_sums, read_sums
from shared.domain.archive.busiest import DayJobs
from shared.domain.archive.statistics import Sums, UnitSums
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import UnreadableItemError
from shared.names import Attr
from shared.ports.history import HOURS_AT_ONCE, PassedMark

VERSION = 1


class DynamoHistoryStore:
    """An item of a small tenant takes one write unit."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def put(self, sums: UnitSums, *, version: int, etag: str | None, expires_at_s: int) -> bool:
        attributes = encode_all(
            {
                "v": VERSION,
                "vn": version,
                "st": encode_sums(sums.unit, sums.sums),
                "rg": list(sums.row_groups) if sums.row_groups else None,
                "et": etag if sums.row_groups or sums.tenant_id is None else None,
                Attr.TTL: expires_at_s,
            }
        )
        key = hour_sums_key(self._region, sums.tenant_id, sums.unit, sums.workflow_id)
        return self._put(key, attributes, version)

    def _put(self, key: tuple[str, str], attributes: Item, version: int) -> bool:
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item={**item_key(*key), **attributes},
                    # A repetition of the same request passes, too.
                    ConditionExpression="attribute_not_exists(vn) OR vn <= :own",
                    ExpressionAttributeValues={":own": encode(version)},
                )
        except ConditionRefused:
            return False
        return True

    def hours(
        self,
        tenant_id: str | None,
        first: int,
        until: int,
        *,
        by_minute: bool = True,
        workflow_id: str | None = None,
    ) -> Iterator[UnitSums]:
        for row in self._rows_between(tenant_id, first, until, workflow_id):
            yield _sums(tenant_id, row, workflow_id, by_minute=by_minute)

    def newest(
        self, tenant_id: str, first: int, until: int, *, at_once: int = HOURS_AT_ONCE
    ) -> Iterator[UnitSums]:
        for row in self._rows_between(tenant_id, first, until, ScanIndexForward=False, Limit=at_once):
            yield _sums(tenant_id, row)

    def etags(self, first: int, until: int) -> Mapping[ArchiveUnit, str]:
        rows = self._rows_between(None, first, until, ProjectionExpression="sk, et")
        return {parse_hour_sums_sk(row[Attr.SK]): row["et"] for row in rows if "et" in row}

    def _rows_between(
        self, tenant_id: str | None, first: int, until: int, workflow_id: str | None = None, **options: Any
    ) -> Iterator[dict[str, Any]]:
        if first >= until:
            # DynamoDB refuses bounds in the wrong order.
            return
        pk, low = hour_sums_key(self._region, tenant_id, ArchiveUnit(hour=first, group=0), workflow_id)
        _, high = hour_sums_key(self._region, tenant_id, ArchiveUnit(hour=until, group=0), workflow_id)
        start: Any = {}
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk AND sk BETWEEN :low AND :high",
                    ExpressionAttributeValues={
                        ":pk": {"S": pk},
                        ":low": {"S": low},
                        # Before each group of the hour at which the range ends.
                        ":high": {"S": high.rpartition("#")[0]},
                    },
                    **options,
                    **start,
                )
            for item in answer["Items"]:
                yield dict(decode_all(item))
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def of_unit(
        self, tenant_id: str | None, unit: ArchiveUnit, workflow_id: str | None = None
    ) -> Sums | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*hour_sums_key(self._region, tenant_id, unit, workflow_id)),
                ConsistentRead=True,
            )
        return _sums(tenant_id, dict(decode_all(answer["Item"]))).sums if "Item" in answer else None

    def forget(self, tenant_id: str, *, limit: int) -> int | None:
        pk, _ = hour_sums_key(self._region, tenant_id, ArchiveUnit(hour=0, group=0))
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": pk}},
                ConsistentRead=True,
                Limit=limit,
            )
        rows = [dict(decode_all(item)) for item in answer["Items"]]
        for row in rows:
            with translated():
                self._client.delete_item(TableName=self._table, Key=item_key(pk, str(row[Attr.SK])))
        return sum(map(_rows, rows)) if rows else None

    def put_day(self, jobs: DayJobs, *, version: int, expires_at_s: int) -> bool:
        attributes = encode_all(
            {"v": VERSION, "vn": version, "jb": encode_day_jobs(jobs), Attr.TTL: expires_at_s}
        )
        return self._put(day_jobs_key(self._region, jobs.tenant_id, jobs.day), attributes, version)

    def day(self, tenant_id: str | None, day: int) -> DayJobs | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*day_jobs_key(self._region, tenant_id, day)),
                ConsistentRead=True,
            )
        row: Any = decode_all(answer["Item"]) if "Item" in answer else None
        if row is None:
            return None
        if row["v"] != VERSION:
            raise UnreadableItemError(f"an item of the busiest jobs has version {row['v']!r}")
        return read_day_jobs(tenant_id, day, row["jb"])

    def passed(self) -> PassedMark | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=item_key(*passed_key(self._region)), ConsistentRead=True
            )
        row: Any = decode_all(answer["Item"]) if "Item" in answer else None
        return PassedMark(since=row["fr"], before=row["th"]) if row is not None else None

    def note_passed(self, mark: PassedMark, now_ms: int) -> None:
        values = {":since": mark.since, ":before": mark.before, ":now": now_ms}
        try:
            with translated():
                self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*passed_key(self._region)),
                    UpdateExpression="SET fr = if_not_exists(fr, :since), th = :before, pa = :now",
                    ConditionExpression="attribute_not_exists(pa) OR pa <= :now",
                    ExpressionAttributeValues={name: encode(value) for name, value in values.items()},
                )
        except ConditionRefused:
            return


def _rows(row: Any) -> int:
    """The executions of an item; none of one that cannot be read, of the item of a day, and of a workflow, whose tasks
    the item of the tenant has."""
    if is_of_workflow(row[Attr.SK]):
        return 0
    try:
        return _sums(None, row).sums.rows
    except (UnreadableItemError, ValueError, KeyError):
        return 0


def _sums(
    tenant_id: str | None, row: Any, workflow_id: str | None = None, *, by_minute: bool = True
) -> UnitSums:
    if row["v"] != VERSION:
        raise UnreadableItemError(f"an item of statistics has version {row['v']!r}")
    unit = parse_hour_sums_sk(row[Attr.SK])
    groups = row.get("rg")
    return UnitSums(
        unit=unit,
        tenant_id=tenant_id,
        sums=read_sums(unit, row["st"], by_minute=by_minute),
        row_groups=(groups[0], groups[1]) if groups else None,
        workflow_id=workflow_id,
    )
