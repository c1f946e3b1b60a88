"""The production ports of the state that jobs have beside their definitions, of calendars,
triggers and workflows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.table_access import TableAccess

if TYPE_CHECKING:
    from shared.ports.alerts import AlertWindows
    from shared.ports.calendars import CalendarStore
    from shared.ports.event_sources import EventSourceStore
    from shared.ports.jobs import JobHealthStore, RunLockStore
    from shared.ports.triggers import TriggerStore
    from shared.ports.workflows import MapStore, RunStore, WorkflowStore


class JobStatePorts(TableAccess):
    """A part of `DynamoPorts`."""

    @cached_property
    def run_locks(self) -> RunLockStore:
        from shared.adapters.dynamodb.jobs.run_lock_store import DynamoRunLockStore

        return DynamoRunLockStore(self._dynamodb, self._jobs)

    @cached_property
    def job_health(self) -> JobHealthStore:
        from shared.adapters.dynamodb.jobs.job_health_store import DynamoJobHealthStore

        return DynamoJobHealthStore(self._dynamodb, self._jobs)

    @cached_property
    def alert_windows(self) -> AlertWindows:
        from shared.adapters.dynamodb.jobs.alert_windows import DynamoAlertWindows

        return DynamoAlertWindows(self._dynamodb, self._jobs)

    @cached_property
    def calendars(self) -> CalendarStore:
        from shared.adapters.dynamodb.jobs.calendar_store import DynamoCalendarStore

        return DynamoCalendarStore(self._dynamodb, self._jobs)

    @cached_property
    def triggers(self) -> TriggerStore:
        from shared.adapters.dynamodb.jobs.trigger_store import DynamoTriggerStore

        return DynamoTriggerStore(self._dynamodb, self._jobs)

    @cached_property
    def event_sources(self) -> EventSourceStore:
        from shared.adapters.dynamodb.jobs.event_source_store import DynamoEventSourceStore

        return DynamoEventSourceStore(self._dynamodb, self._jobs)

    @cached_property
    def workflows(self) -> WorkflowStore:
        from shared.adapters.dynamodb.workflows.workflow_store import DynamoWorkflowStore

        return DynamoWorkflowStore(self._dynamodb, self._jobs)

    @cached_property
    def runs(self) -> RunStore:
        from shared.adapters.dynamodb.workflows.run_store import DynamoRunStore

        return DynamoRunStore(self._dynamodb, self._executions, self._region, self._backoff)

    @cached_property
    def maps(self) -> MapStore:
        from shared.adapters.dynamodb.workflows.map_store import DynamoMapStore

        return DynamoMapStore(self._dynamodb, self._executions, self._region)
