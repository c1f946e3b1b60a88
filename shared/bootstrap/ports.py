"""The ports of one process: the external dependencies of the use cases, independent of adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.ports.alarms import Alarms
    from shared.ports.alerts import AlertWindows
    from shared.ports.archive import ArchiveFiles, ArchiveUnits, IndexCounts, LatePuts, ObjectStore
    from shared.ports.archive_reading import ArchiveReader, TenantRows
    from shared.ports.audit_trail import TrailProgressStore, TrailSegments
    from shared.ports.bulk import BulkPages, JobTasks, RedriveTasks
    from shared.ports.calendars import CalendarStore
    from shared.ports.canary import Parameters
    from shared.ports.dead_letters import ParkedMessageStore, RedriveBatches
    from shared.ports.delivery import IdentityTokens, Sender, SignedSender, TargetSender, TokenKeys, Vault
    from shared.ports.dispatch import (
        AcceptedLog,
        Backlog,
        LaneProgressStore,
        MessageVisibility,
        ReconcileProgressStore,
        ShardCountStore,
        ShardLedger,
        WakeupQueue,
    )
    from shared.ports.event_queue import EventQueue
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
    from shared.ports.runtime import Clock, Entropy, Offload, Pause, Spread
    from shared.ports.searches import SearchFiles, SearchTasks
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


class Ports:
    """One attribute per port. A function has the ports that its settings allow."""

    clock: Clock
    entropy: Entropy
    pause: Pause
    offload: Offload
    spread: Spread
    executions: ExecutionStore
    claimer: Claimer
    one_offs: OneOffStore
    one_off_batches: OneOffBatches
    jobs: JobStore
    job_keys: JobKeys
    calendars: CalendarStore
    triggers: TriggerStore
    event_sources: EventSourceStore
    event_queue: EventQueue
    job_names: JobNames
    live_items: LiveItems
    idempotency: IdempotencyStore
    run_locks: RunLockStore
    job_health: JobHealthStore
    alert_windows: AlertWindows
    workflows: WorkflowStore
    runs: RunStore
    maps: MapStore
    tenants: TenantStore
    tenant_deletions: TenantDeletions
    tenant_records: TenantRecords
    budgets: BudgetStore
    recurring_jobs: RecurringJobs
    audit_log: AuditLog
    limits: LimitStore
    throttle_status: ThrottleStatus
    ledger: ShardLedger
    shard_counts: ShardCountStore
    reconcile_progress: ReconcileProgressStore
    queue: WakeupQueue
    backlog: Backlog
    visibility: MessageVisibility
    progress: LaneProgressStore
    accepted_log: AcceptedLog
    alarms: Alarms
    queries: Queries
    redrive_tasks: RedriveTasks
    job_tasks: JobTasks
    bulk_pages: BulkPages
    search_tasks: SearchTasks
    search_files: SearchFiles
    redrive_batches: RedriveBatches
    parked_messages: ParkedMessageStore
    sender: Sender
    targets: TargetSender
    signed_sender: SignedSender
    identity_tokens: IdentityTokens
    token_keys: TokenKeys
    vault: Vault
    parameters: Parameters
    late_puts: LatePuts
    archive_units: ArchiveUnits
    archive_objects: ObjectStore
    archive_reader: ArchiveReader
    tenant_rows: TenantRows
    archive_files: ArchiveFiles
    index_counts: IndexCounts
    history: HistoryStore
    trail_segments: TrailSegments
    trail_progress: TrailProgressStore
