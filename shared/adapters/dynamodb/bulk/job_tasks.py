"""Bulk operations on jobs in the jobs table."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from shared.adapters.dynamodb.bulk.bulk_tasks import DynamoBulkTasks
from shared.adapters.dynamodb.codec.attributes import Item, Value, encode
from shared.adapters.dynamodb.codec.bulk_keys import JOB_TASK_PREFIX, job_task_key, open_job_task_key
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.job_task_items import job_task_item, read_job_task
from shared.adapters.dynamodb.codec.keys import item_key
from shared.domain.bulk.job_task import JobTask
from shared.domain.errors import UnreadableItemError
from shared.names import Attr


class DynamoJobTasks(DynamoBulkTasks[JobTask]):
    """Each open task has a place of its own."""

    def open_of(self, tenant_id: str) -> list[str]:
        return [task_id for _, task_id in self._listed(tenant_id)]

    def latest(self, tenant_id: str, *, before: str | None, limit: int) -> tuple[list[JobTask], str | None]:
        pk, _ = job_task_key(tenant_id, "")
        start: Any = {"ExclusiveStartKey": item_key(*job_task_key(tenant_id, before))} if before else {}
        with translated():
            answer = self._client.query(
                TableName=self._jobs,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                ExpressionAttributeValues={":pk": encode(pk), ":prefix": encode(JOB_TASK_PREFIX)},
                ConsistentRead=True,
                ScanIndexForward=False,
                Limit=limit,
                **start,
            )
        found: list[JobTask] = []
        for item in answer["Items"]:
            with suppress(UnreadableItemError):
                found.append(read_job_task(item))
        last = answer.get("LastEvaluatedKey")
        return found, last[Attr.SK]["S"].removeprefix(JOB_TASK_PREFIX) if last else None

    def _key(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        return job_task_key(tenant_id, task_id)

    def _place(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        return open_job_task_key(self._region, tenant_id, task_id)

    def _item(self, task: JobTask, expires_at_s: int | None = None) -> Item:
        return job_task_item(task, expires_at_s)

    def _read(self, item: Mapping[str, Value]) -> JobTask:
        return read_job_task(item)
