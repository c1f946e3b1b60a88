"""Counts in the index by tenant. DynamoDB bills a count like a read of the entries."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.archive_keys import due_between_keys
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import one_off_index_pk, run_index_pk
from shared.names import Attr, Index


class DynamoIndexCounts:
    """DynamoDB offers no consistent read of an index: an entry appears within seconds of its item."""

    def __init__(self, client: AwsClient, executions_table: str) -> None:
        self._client = client
        self._table = executions_table

    def due_between(self, tenant_id: str, shards: int, from_at: int, until_at: int) -> int:
        partitions = [
            pk_of(tenant_id, shard) for pk_of in (one_off_index_pk, run_index_pk) for shard in range(shards)
        ]
        return sum(self._count(pk, *due_between_keys(from_at, until_at)) for pk in partitions)

    def _count(self, pk: str, low: str, high: str) -> int:
        start: Any = {}
        counted = 0
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    IndexName=Index.BY_TENANT,
                    Select="COUNT",
                    KeyConditionExpression="#pk = :pk AND #sk BETWEEN :low AND :high",
                    ExpressionAttributeNames={"#pk": Attr.TENANT_PK, "#sk": Attr.TENANT_SK},
                    ExpressionAttributeValues={":pk": {"S": pk}, ":low": {"S": low}, ":high": {"S": high}},
                    **start,
                )
            counted += int(answer["Count"])
            if "LastEvaluatedKey" not in answer:
                return counted
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
