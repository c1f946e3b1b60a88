"""Searches of executions in the jobs table."""

from collections.abc import Mapping

from shared.adapters.dynamodb.bulk.listed_tasks import DynamoListedTasks
from shared.adapters.dynamodb.codec.attributes import Item, Value
from shared.adapters.dynamodb.codec.bulk_keys import SEARCH_PREFIX, open_search_key, search_task_key
from shared.adapters.dynamodb.codec.search_task_items import read_search_task, search_task_item
from shared.domain.archive.search_task import SearchTask


class DynamoSearchTasks(DynamoListedTasks[SearchTask]):
    @property
    def _prefix(self) -> str:
        return SEARCH_PREFIX

    def _key(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        return search_task_key(tenant_id, task_id)

    def _place(self, tenant_id: str, task_id: str) -> tuple[str, str]:
        return open_search_key(self._region, tenant_id, task_id)

    def _item(self, task: SearchTask, expires_at_s: int | None = None) -> Item:
        return search_task_item(task, expires_at_s)

    def _read(self, item: Mapping[str, Value]) -> SearchTask:
        return read_search_task(item)
