"""The lab of the DynamoDB adapters over one engine."""

from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from shared.adapters.dynamodb.archive.archive_units import DynamoArchiveUnits
from shared.adapters.dynamodb.archive.history import DynamoHistoryStore
from shared.adapters.dynamodb.archive.index_counts import DynamoIndexCounts
from shared.adapters.dynamodb.archive.late_puts import DynamoLatePuts
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.bulk.bulk_pages import DynamoBulkPages
from shared.adapters.dynamodb.bulk.bulk_tasks import DynamoRedriveTasks
from shared.adapters.dynamodb.bulk.job_tasks import DynamoJobTasks
from shared.adapters.dynamodb.bulk.search_tasks import DynamoSearchTasks
from shared.adapters.dynamodb.codec.keys import (
    execution_key,
    item_key,
    job_key,
    keyed_id_key,
    payload_key,
    reminder_key,
)
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.adapters.dynamodb.codec.workflow_keys import map_key
from shared.adapters.dynamodb.dead_letters.parked_message_store import DynamoParkedMessageStore
from shared.adapters.dynamodb.dispatch.lane_progress_store import DynamoLaneProgressStore
from shared.adapters.dynamodb.dispatch.ledger import DynamoShardLedger
from shared.adapters.dynamodb.dispatch.reconcile_progress import DynamoReconcileProgress
from shared.adapters.dynamodb.dispatch.shard_counts import DynamoShardCountStore
from shared.adapters.dynamodb.executions.claimer import BatchStatementClaimer, UpdateItemClaimer
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.adapters.dynamodb.executions.one_off_batches import BatchStatementBatches, PutItemBatches
from shared.adapters.dynamodb.executions.one_off_store import DynamoOneOffStore
from shared.adapters.dynamodb.executions.redrive_batches import DynamoRedriveBatches
from shared.adapters.dynamodb.jobs.alert_windows import DynamoAlertWindows
from shared.adapters.dynamodb.jobs.calendar_store import DynamoCalendarStore
from shared.adapters.dynamodb.jobs.event_source_store import DynamoEventSourceStore
from shared.adapters.dynamodb.jobs.idempotency_store import DynamoIdempotencyStore
from shared.adapters.dynamodb.jobs.job_health_store import DynamoJobHealthStore
from shared.adapters.dynamodb.jobs.job_keys import DynamoJobKeys
from shared.adapters.dynamodb.jobs.job_names import DynamoJobNames
from shared.adapters.dynamodb.jobs.job_store import DynamoJobStore
from shared.adapters.dynamodb.jobs.live_items import DynamoLiveItems
from shared.adapters.dynamodb.jobs.run_lock_store import DynamoRunLockStore
from shared.adapters.dynamodb.jobs.trigger_store import DynamoTriggerStore
from shared.adapters.dynamodb.limits.limit_store import DynamoLimitStore
from shared.adapters.dynamodb.limits.throttle_status import DynamoThrottleStatus
from shared.adapters.dynamodb.listings.queries import DynamoQueries
from shared.adapters.dynamodb.tenancy.audit_log import DynamoAuditLog
from shared.adapters.dynamodb.tenancy.budget_store import DynamoBudgetStore
from shared.adapters.dynamodb.tenancy.tenant_deletions import DynamoTenantDeletions
from shared.adapters.dynamodb.tenancy.tenant_records import DynamoTenantRecords
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.adapters.dynamodb.tenancy.trail_progress import DynamoTrailProgress
from shared.adapters.dynamodb.workflows.map_store import DynamoMapStore
from shared.adapters.dynamodb.workflows.run_store import DynamoRunStore
from shared.adapters.dynamodb.workflows.workflow_store import DynamoWorkflowStore
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.ids import ExecutionId
from shared.names import Attr
from tests.support.conformance.interference import throttling_index
from tests.support.conformance.tables import TableNames, read_all
from tests.support.fakes.clock import SeededEntropy, one_by_one

REGION = "us-east-1"


class DynamoLab:
    """The adapters over one engine."""

    def __init__(self, client: Any, names: TableNames) -> None:
        self.client = client
        self.names = names
        self.used: set[str] = set()
        """The tables that may have items."""
        self.pauses_ms: list[int] = []
        """The pauses before requests that were sent again; no test sleeps."""
        self._backoff = Backoff(self._pause, SeededEntropy())

    def _pause(self, duration_ms: int) -> None:
        self.pauses_ms.append(duration_ms)

    def _use(self, *tables: str) -> Any:
        self.used.update(tables)
        return self.client

    @cached_property
    def executions(self) -> DynamoExecutionStore:
        return DynamoExecutionStore(
            self._use(self.names.executions), self.names.executions, REGION, self._backoff
        )

    @cached_property
    def claimer(self) -> UpdateItemClaimer:
        return UpdateItemClaimer(
            self._use(self.names.executions), self.names.executions, REGION, self._backoff
        )

    @cached_property
    def batch_claimer(self) -> BatchStatementClaimer:
        """The other implementation of claims."""
        return BatchStatementClaimer(
            self._use(self.names.executions), self.names.executions, REGION, self._backoff
        )

    @cached_property
    def jobs(self) -> DynamoJobStore:
        client = self._use(self.names.jobs, self.names.executions)
        return DynamoJobStore(client, self.names.jobs, self.names.executions, REGION)

    @cached_property
    def queries(self) -> DynamoQueries:
        client = self._use(self.names.jobs, self.names.executions)
        return DynamoQueries(client, self.names.jobs, self.names.executions, REGION)

    @cached_property
    def one_offs(self) -> DynamoOneOffStore:
        return DynamoOneOffStore(self._use(self.names.executions), self.names.executions, REGION)

    @cached_property
    def batches(self) -> PutItemBatches:
        return PutItemBatches(self.executions, self.jobs)

    @cached_property
    def batch_batches(self) -> BatchStatementBatches:
        """The other implementation of batches."""
        client = self._use(self.names.jobs, self.names.executions)
        return BatchStatementBatches(
            client, self.names.executions, self.names.jobs, REGION, self._backoff, one_by_one
        )

    @cached_property
    def run_locks(self) -> DynamoRunLockStore:
        return DynamoRunLockStore(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def job_health(self) -> DynamoJobHealthStore:
        return DynamoJobHealthStore(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def alert_windows(self) -> DynamoAlertWindows:
        return DynamoAlertWindows(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def idempotency(self) -> DynamoIdempotencyStore:
        return DynamoIdempotencyStore(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def ledger(self) -> DynamoShardLedger:
        return DynamoShardLedger(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def shard_counts(self) -> DynamoShardCountStore:
        return DynamoShardCountStore(self._use(self.names.jobs), self.names.jobs, REGION)

    @cached_property
    def progress(self) -> DynamoLaneProgressStore:
        return DynamoLaneProgressStore(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def parked_messages(self) -> DynamoParkedMessageStore:
        return DynamoParkedMessageStore(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def redrives(self) -> DynamoRedriveTasks:
        client = self._use(self.names.jobs, self.names.leases)
        return DynamoRedriveTasks(client, self.names.jobs, self.names.leases, REGION)

    @cached_property
    def job_tasks(self) -> DynamoJobTasks:
        client = self._use(self.names.jobs, self.names.leases)
        return DynamoJobTasks(client, self.names.jobs, self.names.leases, REGION)

    @cached_property
    def search_tasks(self) -> DynamoSearchTasks:
        client = self._use(self.names.jobs, self.names.leases)
        return DynamoSearchTasks(client, self.names.jobs, self.names.leases, REGION)

    @cached_property
    def bulk_pages(self) -> DynamoBulkPages:
        return DynamoBulkPages(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def redrive_batches(self) -> DynamoRedriveBatches:
        client = self._use(self.names.jobs, self.names.executions)
        return DynamoRedriveBatches(
            client, self.names.executions, self.names.jobs, REGION, self._backoff, one_by_one
        )

    @cached_property
    def tenants(self) -> DynamoTenantStore:
        return DynamoTenantStore(self._use(self.names.tenants), self.names.tenants, self._backoff)

    @cached_property
    def deletions(self) -> DynamoTenantDeletions:
        return DynamoTenantDeletions(self._use(self.names.tenants), self.names.tenants)

    @cached_property
    def tenant_records(self) -> DynamoTenantRecords:
        client = self._use(self.names.jobs, self.names.executions, self.names.leases)
        names = (self.names.executions, self.names.jobs, self.names.leases)
        return DynamoTenantRecords(client, *names, REGION, self._backoff)

    @cached_property
    def budgets(self) -> DynamoBudgetStore:
        return DynamoBudgetStore(self._use(self.names.leases), self.names.leases)

    @cached_property
    def limits(self) -> DynamoLimitStore:
        return DynamoLimitStore(self._use(self.names.leases), self.names.leases, REGION, self._backoff)

    @cached_property
    def throttle_status(self) -> DynamoThrottleStatus:
        return DynamoThrottleStatus(self._use(self.names.leases), self.names.leases, REGION, self._backoff)

    @cached_property
    def job_keys(self) -> DynamoJobKeys:
        return DynamoJobKeys(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def calendars(self) -> DynamoCalendarStore:
        return DynamoCalendarStore(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def triggers(self) -> DynamoTriggerStore:
        return DynamoTriggerStore(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def event_sources(self) -> DynamoEventSourceStore:
        return DynamoEventSourceStore(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def job_names(self) -> DynamoJobNames:
        return DynamoJobNames(self._use(self.names.jobs), self.names.jobs, self._backoff)

    @cached_property
    def live_items(self) -> DynamoLiveItems:
        return DynamoLiveItems(self._use(self.names.jobs), self.names.jobs, self._backoff)

    @property
    def recurring_jobs(self) -> DynamoLiveItems:
        """The same adapter counts."""
        return self.live_items

    @cached_property
    def reconcile_progress(self) -> DynamoReconcileProgress:
        return DynamoReconcileProgress(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def audit(self) -> DynamoAuditLog:
        return DynamoAuditLog(self._use(self.names.audit), self.names.audit)

    @cached_property
    def trail_progress(self) -> DynamoTrailProgress:
        return DynamoTrailProgress(self._use(self.names.leases), self.names.leases, REGION, "trail")

    @cached_property
    def archive_units(self) -> DynamoArchiveUnits:
        return DynamoArchiveUnits(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def late_puts(self) -> DynamoLatePuts:
        return DynamoLatePuts(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def index_counts(self) -> DynamoIndexCounts:
        return DynamoIndexCounts(self._use(self.names.executions), self.names.executions)

    @cached_property
    def history(self) -> DynamoHistoryStore:
        return DynamoHistoryStore(self._use(self.names.history), self.names.history, REGION)

    @cached_property
    def workflows(self) -> DynamoWorkflowStore:
        return DynamoWorkflowStore(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def runs(self) -> DynamoRunStore:
        client = self._use(self.names.executions)
        return DynamoRunStore(client, self.names.executions, REGION, self._backoff)

    @cached_property
    def maps(self) -> DynamoMapStore:
        return DynamoMapStore(self._use(self.names.executions), self.names.executions, REGION)

    def contents(self) -> dict[str, list[dict[str, Any]]]:
        stored = {name: read_all(self.client, name) for name in sorted(self.used)}
        return {name: items for name, items in stored.items() if items}

    def expiry(self, execution_id: ExecutionId) -> int | None:
        return self._expiry(self.names.executions, execution_key(REGION, execution_id))

    def reminder_expiry(self, pointer: RetryReminder) -> int | None:
        key = reminder_key(REGION, pointer.location, pointer.target, pointer.claims)
        return self._expiry(self.names.executions, key)

    def map_expiry(self, run_id: ExecutionId, key: str) -> int | None:
        return self._expiry(self.names.executions, map_key(REGION, run_id, key))

    def job_expiry(self, tenant_id: str, job_id: str) -> int | None:
        return self._expiry(self.names.jobs, job_key(tenant_id, job_id))

    def key_expiry(self, tenant_id: str, key: str) -> int | None:
        return self._expiry(self.names.jobs, keyed_id_key(tenant_id, key))

    def payload_expiry(self, tenant_id: str, job_id: str) -> int | None:
        return self._expiry(self.names.jobs, payload_key(tenant_id, job_id))

    def damage(self, execution_id: ExecutionId) -> None:
        """An item without its tenant cannot be decoded, nor can its row in a scan."""
        self.rewrite(execution_id, {"t": None})

    def make_newer(self, execution_id: ExecutionId) -> None:
        self.rewrite(execution_id, {"v": {"N": str(VERSION + 1)}})

    def throttling_index(self) -> AbstractContextManager[None]:
        return throttling_index(self.client, (Attr.FAILED_PK, Attr.FAILED_SK))

    def item(self, execution_id: ExecutionId) -> dict[str, Any]:
        """The stored item of an execution."""
        return self._item(self.names.executions, execution_key(REGION, execution_id))

    def rewrite(self, execution_id: ExecutionId, changes: dict[str, dict[str, Any] | None]) -> None:
        """Change attributes without the adapters; None removes an attribute."""
        item = self.item(execution_id) | changes
        kept = {name: value for name, value in item.items() if value is not None}
        self.client.put_item(TableName=self.names.executions, Item=kept)

    def _item(self, table: str, key: tuple[str, str]) -> dict[str, Any]:
        answer = self.client.get_item(TableName=table, Key=item_key(*key), ConsistentRead=True)
        found: dict[str, Any] = answer["Item"]
        return found

    def _expiry(self, table: str, key: tuple[str, str]) -> int | None:
        item = self._item(table, key)
        return int(item[Attr.TTL]["N"]) if Attr.TTL in item else None
