"""Paged reads of shards."""

from collections.abc import Iterable, Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.due_rows import (
    DUE_ROW_ATTRIBUTES,
    PENDING_ROW_ATTRIBUTES,
    RUN_MARK,
    read_due_row,
    read_pending_row,
)
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.items import read_execution
from shared.adapters.dynamodb.codec.keys import item_key, shard_pk
from shared.domain.dispatch.pending_row import PendingRow
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.names import Attr
from shared.ports.executions import ExecutionPage, PendingPage, RunRow, ScanPage


class DynamoExecutionScans:
    """The part of the execution store that reads page by page."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        return page_of(*self._page(bucket, shard, after, limit, DUE_ROW_ATTRIBUTES), bucket, shard)

    def scan_pending(self, bucket: int, shard: int, *, after: str | None, limit: int) -> PendingPage:
        items, next_after = self._page(bucket, shard, after, limit, PENDING_ROW_ATTRIBUTES)
        rows: list[PendingRow] = []
        unreadable: list[str] = []
        for item in items:
            try:
                row = read_pending_row(item, bucket)
            except UnreadableItemError:
                unreadable.append(sort_key_of(item))
            else:
                if row is not None:
                    rows.append(row)
        return PendingPage(rows=tuple(rows), unreadable=tuple(unreadable), next_after=next_after)

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        items, next_after = self._page(
            bucket,
            shard,
            after,
            limit,
            FilterExpression="attribute_not_exists(tg) AND attribute_not_exists(wd)",
        )
        executions: list[Execution] = []
        unreadable: list[str] = []
        for item in items:
            try:
                executions.append(read_execution(item))
            except UnreadableItemError:
                unreadable.append(sort_key_of(item))
        return ExecutionPage(
            executions=tuple(executions),
            unreadable=tuple(unreadable),
            next_after=next_after,
        )

    def _page(
        self,
        bucket: int,
        shard: int,
        after: str | None,
        limit: int,
        attributes: Sequence[str] = (),
        **options: Any,
    ) -> tuple[Sequence[Any], str | None]:
        """The items of one page, with these attributes or all, and where the next page begins."""
        pk = shard_pk(self._region, bucket, shard)
        if attributes:
            options["ExpressionAttributeNames"] = {f"#{name}": name for name in attributes}
            options["ProjectionExpression"] = ", ".join(f"#{name}" for name in attributes)
        if after is not None:
            options["ExclusiveStartKey"] = item_key(pk, after)
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": pk}},
                ConsistentRead=True,
                Limit=limit,
                **options,
            )
        last = answer.get("LastEvaluatedKey")
        return answer["Items"], last[Attr.SK]["S"] if last else None


def page_of(items: Iterable[Any], next_after: str | None, bucket: int, shard: int) -> ScanPage:
    """The due rows of one answer, in its order."""
    rows: list[DueRow] = []
    runs: list[RunRow] = []
    unreadable: list[str] = []
    for item in items:
        try:
            if RUN_MARK in sort_key_of(item):
                runs.append(_run_row(item))
            else:
                rows.append(read_due_row(item, bucket, shard))
        except UnreadableItemError:
            unreadable.append(sort_key_of(item))
    return ScanPage(rows=tuple(rows), unreadable=tuple(unreadable), next_after=next_after, runs=tuple(runs))


def _run_row(item: Any) -> RunRow:
    # Imported late: most shards have no run.
    from shared.adapters.dynamodb.codec.run_items import read_run_row

    return read_run_row(item)


def sort_key_of(item: Any) -> str:
    sort_key: str = item[Attr.SK]["S"]
    return sort_key
