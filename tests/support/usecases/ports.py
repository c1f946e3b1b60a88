"""Every port of a deployment as a fake on one virtual clock, with control over each call."""

from typing import Any

from shared.bootstrap.ports import Ports
from shared.domain.bucket import ShardCounts, ShardEpoch, ShardPlan
from shared.domain.executions.retention import Retention
from tests.support.builders import DUE_AT, ONE_SHARD
from tests.support.fakes.alarms import FakeAlarms
from tests.support.fakes.alert_windows import FakeAlertWindows
from tests.support.fakes.archive import (
    FakeArchiveFiles,
    FakeArchiveUnits,
    FakeIndexCounts,
    FakeLatePuts,
    FakeObjectStore,
)
from tests.support.fakes.archive_reader import FakeArchiveReader
from tests.support.fakes.audit import FakeAuditLog
from tests.support.fakes.audit_trail import FakeTrailProgress, FakeTrailSegments
from tests.support.fakes.budgets import GENEROUS, FakeBudgetStore
from tests.support.fakes.bulk_tasks import FakeBulkPages, FakeJobTasks, FakeRedriveTasks, FakeSearchTasks
from tests.support.fakes.calendar_store import FakeCalendarStore
from tests.support.fakes.claimer import FakeClaimer
from tests.support.fakes.clock import InlineOffload, SeededEntropy, VirtualClock, one_by_one
from tests.support.fakes.event_queue import FakeEventQueue
from tests.support.fakes.event_source_store import FakeEventSourceStore
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.history import FakeHistoryStore
from tests.support.fakes.idempotency_store import FakeIdempotencyStore
from tests.support.fakes.identity_tokens import FakeIdentityTokens
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
from tests.support.fakes.parameters import FakeParameters
from tests.support.fakes.queries import FakeQueries
from tests.support.fakes.reconcile_progress import FakeReconcileProgress
from tests.support.fakes.redrive_batches import FakeRedriveBatches
from tests.support.fakes.run_lock_store import FakeRunLockStore
from tests.support.fakes.search_files import FakeSearchFiles
from tests.support.fakes.sender import AnswerTo, ScriptedSender, succeeds
from tests.support.fakes.shard_counts import FakeShardCountStore
from tests.support.fakes.signed_sender import FakeSignedSender
from tests.support.fakes.table import FakeTable
from tests.support.fakes.targets import FakeTargets
from tests.support.fakes.tenant_deletions import FakeTenantDeletions, FakeTenantRecords
from tests.support.fakes.tenant_store import FakeTenantStore
from tests.support.fakes.throttle_status import FakeThrottleStatus
from tests.support.fakes.trigger_store import FakeTriggerStore
from tests.support.fakes.vault import FakeVault
from tests.support.fakes.wakeup_queue import FakeWakeupQueue
from tests.support.fakes.workflow_stores import FakeMapStore, FakeRunStore, FakeWorkflowStore
from tests.support.usecases.steps import Steps, Tapped

EARLY = DUE_AT - 600_000
"""Ten minutes before the built executions are due."""


class FakePorts:
    """The fakes, which tests may read; `ports` are the same ports as use cases see them, with steps."""

    def __init__(
        self, now_ms: int = EARLY, *, counts: ShardCounts = ONE_SHARD, answer_to: AnswerTo = succeeds
    ) -> None:
        self.clock = VirtualClock(now_ms)
        self.entropy = SeededEntropy()
        self.offload = InlineOffload()
        self.steps = Steps()
        self.table = FakeTable()
        self.queue = FakeWakeupQueue()
        self.ledger = FakeShardLedger()
        self.shard_counts = FakeShardCountStore()
        self.lane_progress = FakeLaneProgressStore()
        self.limits = FakeLimitStore()
        self.throttle_status = FakeThrottleStatus(self.limits, self.lane_progress)
        self.defaults = GENEROUS
        self.parked_messages = FakeParkedMessageStore()
        self.alarms = FakeAlarms()
        self.tenants = FakeTenantStore()
        self.deletions = FakeTenantDeletions(self.tenants)
        self.records = FakeTenantRecords(self.table)
        self.budgets = FakeBudgetStore()
        self.live_items = FakeLiveItems(self.table)
        self.job_names = FakeJobNames(self.table)
        self.job_keys = FakeJobKeys(self.table)
        self.calendars = FakeCalendarStore(self.table)
        self.triggers = FakeTriggerStore(self.table)
        self.event_sources = FakeEventSourceStore()
        self.event_queue = FakeEventQueue()
        self.reconcile_progress = FakeReconcileProgress()
        self.audit_log = FakeAuditLog()
        self.parameters = FakeParameters()
        self.late_puts = FakeLatePuts()
        self.archive_units = FakeArchiveUnits()
        self.archive_objects = FakeObjectStore()
        self.index_counts = FakeIndexCounts(self.table)
        self.history = FakeHistoryStore()
        self.archive_reader = FakeArchiveReader()
        self.trail_segments = FakeTrailSegments(self.clock.now_ms)
        self.trail_progress = FakeTrailProgress()
        self.vault = FakeVault(self.entropy)
        self.sender = ScriptedSender(self.clock, answer_to)
        self.targets = FakeTargets(self.clock)
        self.signed_sender = FakeSignedSender(self.sender, self.clock)
        self.identity_tokens = FakeIdentityTokens(self.clock)
        self.plan = ShardPlan((ShardEpoch(from_bucket=0, counts=counts),))
        self.retention = Retention(14)
        self.store = self.tapped("store", FakeExecutionStore(self.table))
        self.one_offs = FakeOneOffStore(self.table)
        self.one_off_batches = FakeOneOffBatches(self.table)
        self.run_locks = FakeRunLockStore()
        self.job_health = FakeJobHealthStore()
        self.alert_windows = FakeAlertWindows()
        self.workflows, self.runs = FakeWorkflowStore(self.table), FakeRunStore(self.table)
        self.maps = FakeMapStore(self.table)
        self.jobs = self.tapped("jobs", FakeJobStore(self.table))
        self.claimer = self.tapped("claimer", FakeClaimer(self.table))
        self.idempotency = self.tapped("idempotency", FakeIdempotencyStore())
        self.redrives = FakeRedriveTasks()
        self.redrive_batches = FakeRedriveBatches(self.table)
        self.redrive_tasks = self.tapped("redrives", self.redrives)
        self.job_tasks, self.bulk_pages = FakeJobTasks(), FakeBulkPages()
        self.search_tasks, self.search_files = FakeSearchTasks(), FakeSearchFiles()

    def tapped(self, name: str, port: Any) -> Any:
        """A port whose calls go through the steps under this name."""
        return Tapped(name, port, self.steps)

    def ports(self) -> Ports:
        """The ports of the use cases: each call goes through the steps."""
        ports = Ports()
        ports.clock, ports.entropy, ports.offload = self.clock, self.entropy, self.offload
        ports.pause, ports.spread = self._pause, one_by_one
        ports.executions, ports.jobs, ports.claimer = self.store, self.jobs, self.claimer
        ports.idempotency, ports.redrive_tasks = self.idempotency, self.redrive_tasks
        ports.job_tasks = self.tapped("job_tasks", self.job_tasks)
        ports.bulk_pages = self.tapped("bulk_pages", self.bulk_pages)
        ports.search_tasks = self.tapped("search_tasks", self.search_tasks)
        ports.search_files = self.tapped("search_files", self.search_files)
        ports.one_offs = self.tapped("one_offs", self.one_offs)
        ports.one_off_batches = self.tapped("batches", self.one_off_batches)
        ports.redrive_batches = self.tapped("redrive_batches", self.redrive_batches)
        ports.run_locks = self.tapped("run_locks", self.run_locks)
        ports.job_health = self.tapped("job_health", self.job_health)
        ports.workflows = self.tapped("workflows", self.workflows)
        ports.runs = self.tapped("runs", self.runs)
        ports.maps = self.tapped("maps", self.maps)
        ports.alert_windows = self.tapped("alert_windows", self.alert_windows)
        ports.tenants = self.tapped("tenants", self.tenants)
        ports.tenant_deletions = self.tapped("deletions", self.deletions)
        ports.tenant_records = self.tapped("records", self.records)
        ports.budgets = self.tapped("budgets", self.budgets)
        ports.live_items = ports.recurring_jobs = self.live_items
        ports.job_names = self.tapped("job_names", self.job_names)
        ports.job_keys = self.tapped("job_keys", self.job_keys)
        ports.calendars = self.tapped("calendars", self.calendars)
        ports.triggers = self.tapped("triggers", self.triggers)
        ports.event_sources = self.tapped("event_sources", self.event_sources)
        ports.event_queue = self.tapped("event_queue", self.event_queue)
        ports.audit_log = self.tapped("audit", self.audit_log)
        ports.limits = self.tapped("limits", self.limits)
        ports.throttle_status = self.throttle_status
        ports.ledger = self.tapped("ledger", self.ledger)
        ports.reconcile_progress = self.tapped("reconcile_progress", self.reconcile_progress)
        ports.shard_counts = self.tapped("shard_counts", self.shard_counts)
        ports.queue = self.tapped("queue", self.queue)
        ports.backlog = self.tapped("backlog", self.queue)
        ports.progress = self.tapped("progress", self.lane_progress)
        ports.queries = self.tapped("queries", FakeQueries(self.table))
        ports.parked_messages = self.tapped("parked_messages", self.parked_messages)
        ports.alarms = self.tapped("alarms", self.alarms)
        ports.sender, ports.targets, ports.vault = self.sender, self.targets, self.vault
        ports.signed_sender = self.signed_sender
        ports.identity_tokens = ports.token_keys = self.identity_tokens
        ports.parameters = self.tapped("parameters", self.parameters)
        ports.late_puts = self.tapped("late_puts", self.late_puts)
        ports.archive_units = self.tapped("archive_units", self.archive_units)
        ports.archive_objects = self.tapped("archive_objects", self.archive_objects)
        ports.archive_files = FakeArchiveFiles()
        ports.index_counts = self.tapped("index_counts", self.index_counts)
        ports.history = self.tapped("history", self.history)
        ports.archive_reader = self.tapped("archive_reader", self.archive_reader)
        ports.tenant_rows = self.archive_reader
        ports.trail_segments = self.tapped("trail_segments", self.trail_segments)
        ports.trail_progress = self.tapped("trail_progress", self.trail_progress)
        return ports

    def _pause(self, duration_ms: int) -> None:
        self.clock.time_ms += duration_ms
