"""Paged reads of shards."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.items import DUE_ROW_ATTRIBUTES, read_due_row, read_execution
from shared.adapters.dynamodb.codec.keys import item_key, shard_pk
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import UnreadableItemError
from shared.names import Attr
from shared.ports.executions import ExecutionPage, ScanPage


class DynamoExecutionScans:
    """The part of the execution store that reads page by page."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        pk = shard_pk(self._region, bucket, shard)
        start: Any = {"ExclusiveStartKey": item_key(pk, after)} if after is not None else {}
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeNames={f"#{name}": name for name in DUE_ROW_ATTRIBUTES},
                ExpressionAttributeValues={":pk": {"S": pk}},
                ProjectionExpression=", ".join(f"#{name}" for name in DUE_ROW_ATTRIBUTES),
                ConsistentRead=True,
                Limit=limit,
                **start,
            )
        last = answer.get("LastEvaluatedKey")
        return page_of(answer["Items"], bucket, shard, last[Attr.SK]["S"] if last else None)

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        pk = shard_pk(self._region, bucket, shard)
        start: Any = {"ExclusiveStartKey": item_key(pk, after)} if after is not None else {}
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk",
                FilterExpression="attribute_not_exists(tg)",
                ExpressionAttributeValues={":pk": {"S": pk}},
                ConsistentRead=True,
                Limit=limit,
                **start,
            )
        executions = []
        for item in answer["Items"]:
            with suppress(UnreadableItemError):
                executions.append(read_execution(item))
        last = answer.get("LastEvaluatedKey")
        return ExecutionPage(
            executions=tuple(executions),
            unreadable=len(answer["Items"]) - len(executions),
            next_after=last[Attr.SK]["S"] if last else None,
        )


def page_of(items: Iterable[Any], bucket: int, shard: int, next_after: str | None) -> ScanPage:
    """The due rows of one answer, in its order."""
    rows: list[DueRow] = []
    unreadable: list[str] = []
    for item in items:
        try:
            rows.append(read_due_row(item, bucket, shard))
        except UnreadableItemError:
            unreadable.append(sort_key_of(item))
    return ScanPage(rows=tuple(rows), unreadable=tuple(unreadable), next_after=next_after)


def sort_key_of(item: Any) -> str:
    sort_key: str = item[Attr.SK]["S"]
    return sort_key
