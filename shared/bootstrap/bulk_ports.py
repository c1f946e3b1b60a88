"""The production ports of tasks that are done page by page."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.table_access import TableAccess

if TYPE_CHECKING:
    from shared.ports.bulk import BulkPages, JobTasks, RedriveTasks
    from shared.ports.searches import SearchTasks


class BulkPorts(TableAccess):
    """A part of `DynamoPorts`."""

    @cached_property
    def redrive_tasks(self) -> RedriveTasks:
        from shared.adapters.dynamodb.bulk.bulk_tasks import DynamoRedriveTasks

        return DynamoRedriveTasks(self._dynamodb, self._jobs, self._leases, self._region)

    @cached_property
    def job_tasks(self) -> JobTasks:
        from shared.adapters.dynamodb.bulk.job_tasks import DynamoJobTasks

        return DynamoJobTasks(self._dynamodb, self._jobs, self._leases, self._region)

    @cached_property
    def search_tasks(self) -> SearchTasks:
        from shared.adapters.dynamodb.bulk.search_tasks import DynamoSearchTasks

        return DynamoSearchTasks(self._dynamodb, self._jobs, self._leases, self._region)

    @cached_property
    def bulk_pages(self) -> BulkPages:
        from shared.adapters.dynamodb.bulk.bulk_pages import DynamoBulkPages

        return DynamoBulkPages(self._dynamodb, self._jobs)
