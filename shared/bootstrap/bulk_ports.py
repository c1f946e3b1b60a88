"""The production ports of bulk tasks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.adapters.aws.client import AwsClient
    from shared.ports.bulk import BulkPages, JobTasks, RedriveTasks


class DynamoBulkPorts:
    """A part of the production ports, which has the client and the names of the tables."""

    _jobs: str
    _leases: str
    _region: str

    @property
    def _dynamodb(self) -> AwsClient:
        raise NotImplementedError

    @cached_property
    def redrive_tasks(self) -> RedriveTasks:
        from shared.adapters.dynamodb.bulk.bulk_tasks import DynamoRedriveTasks

        return DynamoRedriveTasks(self._dynamodb, self._jobs, self._leases, self._region)

    @cached_property
    def job_tasks(self) -> JobTasks:
        from shared.adapters.dynamodb.bulk.job_tasks import DynamoJobTasks

        return DynamoJobTasks(self._dynamodb, self._jobs, self._leases, self._region)

    @cached_property
    def bulk_pages(self) -> BulkPages:
        from shared.adapters.dynamodb.bulk.bulk_pages import DynamoBulkPages

        return DynamoBulkPages(self._dynamodb, self._jobs)
