"""Tasks in the jobs table, and the lists of open tasks in the leases table."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, Value, encode
from shared.adapters.dynamodb.codec.bulk_keys import open_redrive_key, redrive_task_key
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.redrive_task_items import read_redrive_task, redrive_task_item
from shared.domain.bulk.task import PagedTask
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.errors import UnavailableError
from shared.names import Attr

_NAMES = {"#id": "id"}
T = TypeVar("T", bound=PagedTask)


class DynamoPagedTasks(ABC, Generic[T]):
    """A transaction when a task enters or leaves the list of open tasks, one conditional write otherwise."""

    def __init__(self, client: AwsClient, jobs_table: str, leases_table: str, region: str) -> None:
        self._client = client
        self._jobs = jobs_table
        self._leases = leases_table
        self._region = region

    @abstractmethod
    def _key(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        """The key of a task."""

    @abstractmethod
    def _place(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        """The key of a task's place in the list of open tasks."""

    @abstractmethod
    def _item(self, task: T, expires_at_s: int | None = None) -> Item: ...

    @abstractmethod
    def _read(self, item: Mapping[str, Value]) -> T: ...

    def create(self, task: T) -> str | None:
        put = {"TableName": self._jobs, "Item": self._item(task), "ConditionExpression": ABSENT}
        if self._transact({"Put": put}, {"Update": self._list_as_open(task, "attribute_not_exists(#id)")}):
            return None
        with translated():
            answer = self._client.get_item(TableName=self._leases, Key=self._slot(task), ConsistentRead=True)
        if "Item" in answer:
            return str(answer["Item"]["id"]["S"])
        if self.get(task.tenant_id, task.id) is not None:
            return task.id
        raise UnavailableError("another task has just ended")

    def get(self, tenant_id: str, task_id: str) -> T | None:
        key = item_key(*self._key(tenant_id, task_id))
        with translated():
            answer = self._client.get_item(TableName=self._jobs, Key=key, ConsistentRead=True)
        return self._read(answer["Item"]) if "Item" in answer else None

    def replace(self, before: T, after: T, expires_at_s: int | None = None) -> bool:
        put: Any = {
            "TableName": self._jobs,
            "Item": self._item(after, expires_at_s),
            "ConditionExpression": "vn = :before",
            "ExpressionAttributeValues": {":before": encode(before.version)},
        }
        if before.is_open and not after.is_open:
            return self._transact({"Put": put}, {"Delete": self._remove_from_list(after)})
        if after.is_open and not before.is_open:
            condition = "attribute_not_exists(#id) OR #id = :id"
            return self._transact({"Put": put}, {"Update": self._list_as_open(after, condition)})
        try:
            with translated():
                self._client.put_item(**put)
        except ConditionRefused:
            return False
        return True

    def open(self) -> list[tuple[str, str]]:
        return [(sk.partition("#")[0], task_id) for sk, task_id in self._listed("")]

    def _listed(self, tenant_id: str) -> list[tuple[str, str]]:
        """The sort key and the id of each open task whose place begins like the tenant's."""
        pk, _ = self._place("", "")
        condition, values = "pk = :pk", {":pk": encode(pk)}
        if tenant_id:
            condition += " AND begins_with(sk, :sk)"
            values[":sk"] = encode(self._place(tenant_id, "")[1])
        found: list[tuple[str, str]] = []
        start: dict[str, Any] | None = {}
        while start is not None:
            with translated():
                answer = self._client.query(
                    TableName=self._leases,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues=values,
                    ConsistentRead=True,
                    **start,
                )
            found += [(item[Attr.SK]["S"], item["id"]["S"]) for item in answer["Items"]]
            last = answer.get("LastEvaluatedKey")
            start = {"ExclusiveStartKey": last} if last else None
        return found

    def _list_as_open(self, task: T, condition: str) -> dict[str, Any]:
        return {
            "TableName": self._leases,
            "Key": self._slot(task),
            "UpdateExpression": "SET #id = :id",
            "ConditionExpression": condition,
            "ExpressionAttributeNames": _NAMES,
            "ExpressionAttributeValues": {":id": encode(task.id)},
        }

    def _remove_from_list(self, task: T) -> dict[str, Any]:
        return {
            "TableName": self._leases,
            "Key": self._slot(task),
            "ConditionExpression": "#id = :id",
            "ExpressionAttributeNames": _NAMES,
            "ExpressionAttributeValues": {":id": encode(task.id)},
        }

    def _slot(self, task: T) -> Item:
        return item_key(*self._place(task.tenant_id, task.id))

    def _transact(self, *items: dict[str, Any]) -> bool:
        try:
            with translated():
                self._client.transact_write_items(TransactItems=list(items))
        except ConditionRefused:
            return False
        return True


class DynamoRedriveTasks(DynamoPagedTasks[RedriveTask]):
    """All open redrives of a tenant have one place, so there is one at most."""

    def _key(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        return redrive_task_key(tenant_id, task_id)

    def _place(self, tenant_id: str, task_id: str) -> tuple[str, str]:  # noqa: ARG002
        return open_redrive_key(self._region, tenant_id)

    def _item(self, task: RedriveTask, expires_at_s: int | None = None) -> Item:
        return redrive_task_item(task, expires_at_s)

    def _read(self, item: Mapping[str, Value]) -> RedriveTask:
        return read_redrive_task(item)
