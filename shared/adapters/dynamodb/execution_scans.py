"""What is read of whole shards and of the dead letters, in DynamoDB."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.attributes import encode
from shared.adapters.dynamodb.errors import translated
from shared.adapters.dynamodb.items import DUE_ROW_ATTRIBUTES, read_due_row, read_execution
from shared.adapters.dynamodb.keys import execution_key, item_key, parse_execution_sk, shard_pk
from shared.domain.errors import UnreadableItemError
from shared.domain.ids import ExecutionId
from shared.names import Attr, Index
from shared.ports.executions import ExecutionPage, ScanPage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoExecutionScans:
    """The part of the execution store that reads page by page."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        """See the port."""
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
        rows, unreadable = [], []
        for item in answer["Items"]:
            try:
                rows.append(read_due_row(item, bucket, shard))
            except UnreadableItemError:
                unreadable.append(f"{pk}/{item[Attr.SK]['S']}")
        last = answer.get("LastEvaluatedKey")
        return ScanPage(
            rows=tuple(rows), unreadable=tuple(unreadable), next_after=last[Attr.SK]["S"] if last else None
        )

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        """See the port."""
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

    def failed(
        self, tenant_id: str, *, after: str | None, limit: int
    ) -> tuple[list[ExecutionId], str | None]:
        """See the port."""
        start: Any = {}
        if after is not None:
            execution_id = parse_execution_sk(after)
            key = item_key(*execution_key(self._region, execution_id))
            index_key = {Attr.FAILED_PK: encode(tenant_id), Attr.FAILED_SK: encode(after)}
            start = {"ExclusiveStartKey": {**key, **index_key}}
        with translated():
            answer = self._client.query(
                TableName=self._table,
                IndexName=Index.FAILED,
                KeyConditionExpression="#pk = :tenant",
                ExpressionAttributeNames={"#pk": Attr.FAILED_PK},
                ExpressionAttributeValues={":tenant": {"S": tenant_id}},
                ScanIndexForward=False,
                Limit=limit,
                **start,
            )
        last = answer.get("LastEvaluatedKey")
        ids = [parse_execution_sk(item[Attr.SK]["S"]) for item in answer["Items"]]
        return ids, last[Attr.FAILED_SK]["S"] if last else None
