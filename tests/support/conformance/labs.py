"""A lab: the empty stores of one implementation, with access to their content; here, of the fakes."""

import copy
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.ids import ExecutionId
from shared.ports.alerts import AlertWindows
from shared.ports.archive import ArchiveUnits, IndexCounts, LatePuts
from shared.ports.audit_trail import TrailProgressStore
from shared.ports.bulk import BulkPages, JobTasks, RedriveTasks
from shared.ports.calendars import CalendarStore
from shared.ports.dead_letters import ParkedMessageStore, RedriveBatches
from shared.ports.dispatch import LaneProgressStore, ReconcileProgressStore, ShardCountStore, ShardLedger
from shared.ports.event_sources import EventSourceStore
from shared.ports.executions import Claimer, ExecutionStore, OneOffBatches, OneOffStore
from shared.ports.history import HistoryStore
from shared.ports.jobs import (
    IdempotencyStore,
    JobHealthStore,
    JobKeys,
    JobNames,
    JobStore,
    LiveItems,
    RunLockStore,
)
from shared.ports.limits import LimitStore, ThrottleStatus
from shared.ports.listings import Queries
from shared.ports.searches import SearchTasks
from shared.ports.tenancy import (
    AuditLog,
    BudgetStore,
    RecurringJobs,
    TenantDeletions,
    TenantRecords,
    TenantStore,
)
from shared.ports.triggers import TriggerStore
from shared.ports.workflows import MapStore, RunStore, WorkflowStore
from tests.support.fakes.alert_windows import FakeAlertWindows
from tests.support.fakes.archive import FakeArchiveUnits, FakeIndexCounts, FakeLatePuts
from tests.support.fakes.audit import FakeAuditLog
from tests.support.fakes.audit_trail import FakeTrailProgress
from tests.support.fakes.budgets import FakeBudgetStore
from tests.support.fakes.bulk_tasks import FakeBulkPages, FakeJobTasks, FakeRedriveTasks, FakeSearchTasks
from tests.support.fakes.calendar_store import FakeCalendarStore
from tests.support.fakes.claimer import FakeClaimer
from tests.support.fakes.event_source_store import FakeEventSourceStore
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.history import FakeHistoryStore
from tests.support.fakes.idempotency_store import FakeIdempotencyStore
from tests.support.fakes.job_health_store import FakeJobHealthStore
from tests.support.fakes.job_keys import FakeJobKeys
from tests.support.fakes.job_names import FakeJobNames
from tests.support.fakes.job_store import FakeJobStore
from tests.support.fakes.lane_stores import FakeLaneProgressStore, FakeParkedMessageStore
from tests.support.fakes.ledger import FakeShardLedger
from tests.support.fakes.limit_store import FakeLimitStore
from tests.support.fakes.live_items import FakeLiveItems
from tests.support.fakes.one_off_batches import FakeOneOffBatches
from tests.support.fakes.one_off_store import FakeOneOffStore
from tests.support.fakes.queries import FakeQueries
from tests.support.fakes.reconcile_progress import FakeReconcileProgress
from tests.support.fakes.redrive_batches import FakeRedriveBatches
from tests.support.fakes.run_lock_store import FakeRunLockStore
from tests.support.fakes.shard_counts import FakeShardCountStore
from tests.support.fakes.table import Damage, FakeTable
from tests.support.fakes.tenant_deletions import FakeTenantDeletions, FakeTenantRecords
from tests.support.fakes.tenant_store import FakeTenantStore
from tests.support.fakes.throttle_status import FakeThrottleStatus
from tests.support.fakes.trigger_store import FakeTriggerStore
from tests.support.fakes.workflow_stores import FakeMapStore, FakeRunStore, FakeWorkflowStore


class Lab(Protocol):
    """The stores of one implementation. Members that are not ports exist for assertions only."""

    @property
    def executions(self) -> ExecutionStore: ...

    @property
    def claimer(self) -> Claimer: ...

    @property
    def jobs(self) -> JobStore: ...

    @property
    def queries(self) -> Queries: ...

    @property
    def one_offs(self) -> OneOffStore: ...

    @property
    def batches(self) -> OneOffBatches: ...

    @property
    def run_locks(self) -> RunLockStore: ...

    @property
    def job_health(self) -> JobHealthStore: ...

    @property
    def alert_windows(self) -> AlertWindows: ...

    @property
    def idempotency(self) -> IdempotencyStore: ...

    @property
    def ledger(self) -> ShardLedger: ...

    @property
    def reconcile_progress(self) -> ReconcileProgressStore: ...

    @property
    def shard_counts(self) -> ShardCountStore: ...

    @property
    def progress(self) -> LaneProgressStore: ...

    @property
    def parked_messages(self) -> ParkedMessageStore: ...

    @property
    def redrives(self) -> RedriveTasks: ...

    @property
    def job_tasks(self) -> JobTasks: ...

    @property
    def bulk_pages(self) -> BulkPages: ...

    @property
    def search_tasks(self) -> SearchTasks: ...

    @property
    def redrive_batches(self) -> RedriveBatches: ...

    @property
    def tenants(self) -> TenantStore: ...

    @property
    def deletions(self) -> TenantDeletions: ...

    @property
    def tenant_records(self) -> TenantRecords: ...

    @property
    def budgets(self) -> BudgetStore: ...

    @property
    def limits(self) -> LimitStore: ...

    @property
    def throttle_status(self) -> ThrottleStatus: ...

    @property
    def job_keys(self) -> JobKeys: ...

    @property
    def calendars(self) -> CalendarStore: ...

    @property
    def triggers(self) -> TriggerStore: ...
    @property
    def event_sources(self) -> EventSourceStore: ...

    @property
    def job_names(self) -> JobNames: ...

    @property
    def live_items(self) -> LiveItems: ...

    @property
    def recurring_jobs(self) -> RecurringJobs: ...

    @property
    def audit(self) -> AuditLog: ...

    @property
    def trail_progress(self) -> TrailProgressStore: ...

    @property
    def archive_units(self) -> ArchiveUnits: ...

    @property
    def late_puts(self) -> LatePuts: ...

    @property
    def index_counts(self) -> IndexCounts: ...

    @property
    def history(self) -> HistoryStore: ...

    @property
    def workflows(self) -> WorkflowStore: ...

    @property
    def runs(self) -> RunStore: ...

    @property
    def maps(self) -> MapStore: ...

    def contents(self) -> object:
        """All stored executions and jobs, for comparison."""
        ...

    def expiry(self, execution_id: ExecutionId) -> int | None:
        """The expiry of an execution."""
        ...

    def reminder_expiry(self, pointer: RetryReminder) -> int | None:
        """The expiry of a retry reminder."""
        ...

    def map_expiry(self, run_id: ExecutionId, key: str) -> int | None:
        """The expiry of the record of a map."""
        ...

    def job_expiry(self, tenant_id: str, job_id: str) -> int | None:
        """The expiry of a definition."""
        ...

    def key_expiry(self, tenant_id: str, key: str) -> int | None:
        """The expiry of the record of a key."""
        ...

    def payload_expiry(self, tenant_id: str, job_id: str) -> int | None:
        """The expiry of a payload."""
        ...

    def damage(self, execution_id: ExecutionId) -> None:
        """Break an item: a known version that cannot be decoded."""
        ...

    def make_newer(self, execution_id: ExecutionId) -> None:
        """Give an item a future version."""
        ...

    def throttling_index(self) -> AbstractContextManager[None]:
        """While open, the index of failures throttles every write that changes an entry."""
        ...


class FakeLab:
    """The fakes."""

    def __init__(self) -> None:
        self.table = FakeTable()
        self.executions = FakeExecutionStore(self.table)
        self.claimer = FakeClaimer(self.table)
        self.jobs = FakeJobStore(self.table)
        self.queries = FakeQueries(self.table)
        self.one_offs = FakeOneOffStore(self.table)
        self.batches = FakeOneOffBatches(self.table)
        self.run_locks = FakeRunLockStore()
        self.job_health = FakeJobHealthStore()
        self.alert_windows = FakeAlertWindows()
        self.idempotency = FakeIdempotencyStore()
        self.ledger = FakeShardLedger()
        self.reconcile_progress = FakeReconcileProgress()
        self.shard_counts = FakeShardCountStore()
        self.progress = FakeLaneProgressStore()
        self.parked_messages = FakeParkedMessageStore()
        self.redrives = FakeRedriveTasks()
        self.job_tasks, self.bulk_pages = FakeJobTasks(), FakeBulkPages()
        self.search_tasks = FakeSearchTasks()
        self.redrive_batches = FakeRedriveBatches(self.table)
        self.tenants = FakeTenantStore()
        self.deletions = FakeTenantDeletions(self.tenants)
        self.tenant_records = FakeTenantRecords(self.table)
        self.budgets = FakeBudgetStore()
        self.limits = FakeLimitStore()
        self.throttle_status = FakeThrottleStatus(self.limits, self.progress)
        self.live_items = self.recurring_jobs = FakeLiveItems(self.table)
        self.job_names = FakeJobNames(self.table)
        self.job_keys = FakeJobKeys(self.table)
        self.calendars = FakeCalendarStore(self.table)
        self.triggers = FakeTriggerStore(self.table)
        self.event_sources = FakeEventSourceStore()
        self.audit = FakeAuditLog()
        self.trail_progress = FakeTrailProgress()
        self.archive_units = FakeArchiveUnits()
        self.late_puts = FakeLatePuts()
        self.index_counts = FakeIndexCounts(self.table)
        self.history = FakeHistoryStore()
        self.workflows, self.runs = FakeWorkflowStore(self.table), FakeRunStore(self.table)
        self.maps = FakeMapStore(self.table)

    def contents(self) -> object:
        return copy.deepcopy(self.table)

    def expiry(self, execution_id: ExecutionId) -> int | None:
        return self.table.executions[execution_id].expires_at_s

    def reminder_expiry(self, pointer: RetryReminder) -> int | None:
        return self.table.pointers[pointer.location, pointer.target, pointer.claims].expires_at_s

    def map_expiry(self, run_id: ExecutionId, key: str) -> int | None:
        return self.table.maps[run_id, key].expires_at_s

    def job_expiry(self, tenant_id: str, job_id: str) -> int | None:
        return self.table.job_expires_at_s.get((tenant_id, job_id))

    def key_expiry(self, tenant_id: str, key: str) -> int | None:
        return self.table.key_expires_at_s.get((tenant_id, key))

    def payload_expiry(self, tenant_id: str, job_id: str) -> int | None:
        return self.table.payload_expires_at_s.get((tenant_id, job_id))

    def damage(self, execution_id: ExecutionId) -> None:
        self.table.executions[execution_id].damage = Damage.BROKEN

    def make_newer(self, execution_id: ExecutionId) -> None:
        self.table.executions[execution_id].damage = Damage.NEWER

    @contextmanager
    def throttling_index(self) -> Iterator[None]:
        self.table.index_throttles = lambda _: True
        yield
        self.table.index_throttles = lambda _: False
