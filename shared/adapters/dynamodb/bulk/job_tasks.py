"""Bulk operations on jobs in the jobs table."""

from collections.abc import Mapping

from shared.adapters.dynamodb.bulk.listed_tasks import DynamoListedTasks
from shared.adapters.dynamodb.codec.attributes import Item, Value
from shared.adapters.dynamodb.codec.bulk_keys import JOB_TASK_PREFIX, job_task_key, open_job_task_key
from shared.adapters.dynamodb.codec.job_task_items import job_task_item, read_job_task
from shared.domain.bulk.job_task import JobTask


class DynamoJobTasks(DynamoListedTasks[JobTask]):
    @property
    def _prefix(self) -> str:
        return JOB_TASK_PREFIX

    def _key(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        return job_task_key(tenant_id, task_id)

    def _place(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        return open_job_task_key(self._region, tenant_id, task_id)

    def _item(self, task: JobTask, expires_at_s: int | None = None) -> Item:
        return job_task_item(task, expires_at_s)

    def _read(self, item: Mapping[str, Value]) -> JobTask:
        return read_job_task(item)
