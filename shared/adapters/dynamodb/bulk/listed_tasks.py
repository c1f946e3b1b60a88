"""Tasks of which a tenant may have several, in the jobs table."""

from abc import abstractmethod
from contextlib import suppress
from typing import Any

from shared.adapters.dynamodb.bulk.bulk_tasks import DynamoPagedTasks, T
from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.domain.errors import UnreadableItemError
from shared.names import Attr


class DynamoListedTasks(DynamoPagedTasks[T]):
    """Each open task has a place of its own."""

    @property
    @abstractmethod
    def _prefix(self) -> str:
        """What the sort key of each task begins with, before its id."""

    def open_of(self, tenant_id: str) -> list[str]:
        return [task_id for _, task_id in self._listed(tenant_id)]

    def latest(self, tenant_id: str, *, before: str | None, limit: int) -> tuple[list[T], str | None]:
        pk, _ = self._key(tenant_id, "")
        start: Any = {"ExclusiveStartKey": item_key(*self._key(tenant_id, before))} if before else {}
        with translated():
            answer = self._client.query(
                TableName=self._jobs,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                ExpressionAttributeValues={":pk": encode(pk), ":prefix": encode(self._prefix)},
                ConsistentRead=True,
                ScanIndexForward=False,
                Limit=limit,
                **start,
            )
        found: list[T] = []
        for item in answer["Items"]:
            with suppress(UnreadableItemError):
                found.append(self._read(item))
        last = answer.get("LastEvaluatedKey")
        return found, last[Attr.SK]["S"].removeprefix(self._prefix) if last else None
