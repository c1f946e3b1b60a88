"""Run locks of jobs whose runs must not overlap, in the jobs table."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import encode, encode_all
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.keys import item_key, run_lock_key
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.ports.jobs import RunLock


class DynamoRunLockStore:
    """One small item per job, written once per run."""

    def __init__(self, client: AwsClient, jobs_table: str) -> None:
        self._client = client
        self._jobs = jobs_table

    def read(self, tenant_id: str, job_id: str) -> RunLock:
        with translated():
            answer = self._client.get_item(
                TableName=self._jobs, Key=item_key(*run_lock_key(tenant_id, job_id)), ConsistentRead=True
            )
        item = answer.get("Item")
        if not item:
            return RunLock()
        plain = plain_item(item)
        return RunLock(holder=_read(plain.get("h")), waiting=_read(plain.get("w")))

    def swap(self, tenant_id: str, job_id: str, before: RunLock, after: RunLock) -> bool:
        holder, waiting = _spelt(before.holder), _spelt(before.waiting)
        values: dict[str, Any] = {
            name: encode(value) for name, value in ((":h", holder), (":w", waiting)) if value
        }
        condition = (
            f"{'h = :h' if holder else 'attribute_not_exists(h)'}"
            f" AND {'w = :w' if waiting else 'attribute_not_exists(w)'}"
        )
        named: Any = {"ExpressionAttributeValues": values} if values else {}
        item = {"v": VERSION, "h": _spelt(after.holder), "w": _spelt(after.waiting)}
        try:
            with translated():
                self._client.put_item(
                    TableName=self._jobs,
                    Item={**item_key(*run_lock_key(tenant_id, job_id)), **encode_all(item)},
                    ConditionExpression=condition,
                    **named,
                )
        except ConditionRefused:
            return False
        return True


def _spelt(execution_id: ExecutionId | None) -> str | None:
    return str(execution_id) if execution_id else None


def _read(text: str | None) -> ExecutionId | None:
    return parse_execution_id(text) if text else None
