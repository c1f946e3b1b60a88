"""Bulk redrives in the jobs table, and the list of open tasks in the leases table."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key, open_redrive_key, redrive_task_key
from shared.adapters.dynamodb.codec.redrive_task_items import read_redrive_task, redrive_task_item
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.errors import UnavailableError
from shared.names import Attr

_NAMES = {"#id": "id"}


class DynamoRedriveTasks:
    """A transaction when a task enters or leaves the list of open tasks, one conditional write otherwise."""

    def __init__(self, client: AwsClient, jobs_table: str, leases_table: str, region: str) -> None:
        self._client = client
        self._jobs = jobs_table
        self._leases = leases_table
        self._region = region

    def create(self, task: RedriveTask) -> str | None:
        put = {"TableName": self._jobs, "Item": redrive_task_item(task), "ConditionExpression": ABSENT}
        if self._transact({"Put": put}, {"Update": self._list_as_open(task, "attribute_not_exists(#id)")}):
            return None
        with translated():
            answer = self._client.get_item(
                TableName=self._leases, Key=self._slot(task.tenant_id), ConsistentRead=True
            )
        if "Item" in answer:
            return str(answer["Item"]["id"]["S"])
        if self.get(task.tenant_id, task.id) is not None:
            return task.id
        raise UnavailableError("another redrive has just ended")

    def get(self, tenant_id: str, task_id: str) -> RedriveTask | None:
        key = item_key(*redrive_task_key(tenant_id, task_id))
        with translated():
            answer = self._client.get_item(TableName=self._jobs, Key=key, ConsistentRead=True)
        return read_redrive_task(answer["Item"]) if "Item" in answer else None

    def replace(self, before: RedriveTask, after: RedriveTask, expires_at_s: int | None = None) -> bool:
        put: Any = {
            "TableName": self._jobs,
            "Item": redrive_task_item(after, expires_at_s),
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
        """At most one task per tenant."""
        pk, _ = open_redrive_key(self._region, "")
        found: list[tuple[str, str]] = []
        start: dict[str, Any] | None = {}
        while start is not None:
            with translated():
                answer = self._client.query(
                    TableName=self._leases,
                    KeyConditionExpression="pk = :pk",
                    ExpressionAttributeValues={":pk": encode(pk)},
                    ConsistentRead=True,
                    **start,
                )
            found += [(item[Attr.SK]["S"], item["id"]["S"]) for item in answer["Items"]]
            last = answer.get("LastEvaluatedKey")
            start = {"ExclusiveStartKey": last} if last else None
        return found

    def _list_as_open(self, task: RedriveTask, condition: str) -> dict[str, Any]:
        return {
            "TableName": self._leases,
            "Key": self._slot(task.tenant_id),
            "UpdateExpression": "SET #id = :id",
            "ConditionExpression": condition,
            "ExpressionAttributeNames": _NAMES,
            "ExpressionAttributeValues": {":id": encode(task.id)},
        }

    def _remove_from_list(self, task: RedriveTask) -> dict[str, Any]:
        return {
            "TableName": self._leases,
            "Key": self._slot(task.tenant_id),
            "ConditionExpression": "#id = :id",
            "ExpressionAttributeNames": _NAMES,
            "ExpressionAttributeValues": {":id": encode(task.id)},
        }

    def _slot(self, tenant_id: str) -> Item:
        return item_key(*open_redrive_key(self._region, tenant_id))

    def _transact(self, *items: dict[str, Any]) -> bool:
        try:
            with translated():
                self._client.transact_write_items(TransactItems=list(items))
        except ConditionRefused:
            return False
        return True
