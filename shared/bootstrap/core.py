"""The adapters that every function needs, each made when it is first asked for."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shared.adapters.clients import client
from shared.adapters.clock import SystemClock, SystemEntropy
from shared.adapters.dynamodb.dispatch.lane_progress_store import DynamoLaneProgressStore
from shared.adapters.dynamodb.dispatch.ledger import DynamoShardLedger
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.adapters.dynamodb.jobs.job_store import DynamoJobStore
from shared.adapters.dynamodb.jobs.run_lock_store import DynamoRunLockStore
from shared.adapters.dynamodb.limits.limit_store import DynamoLimitStore
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.settings import Settings
from shared.usecases.chains.lifecycle import Lifecycle
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.filing.record_dst_skips import RecordDstSkips
from shared.usecases.outcomes.finalize_execution import FinalizeExecution
from shared.usecases.outcomes.give_up_lost import GiveUpLost
from shared.usecases.outcomes.notify_outcome import NotifyOutcome
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.tenancy.tenant_weights import TenantWeights


@dataclass(frozen=True)
class Core:
    """What every function is made of; parts are made when first asked for."""

    settings: Settings

    @cached_property
    def clock(self) -> SystemClock:
        """The system's clock."""
        return SystemClock()

    @cached_property
    def entropy(self) -> SystemEntropy:
        """The system's randomness."""
        return SystemEntropy()

    @cached_property
    def dynamodb(self) -> Any:
        """One client for all tables: low-level clients are thread-safe and share their connections."""
        return client("dynamodb", self.settings.region)

    @cached_property
    def sqs(self) -> Any:
        """One client for all lanes."""
        return client("sqs", self.settings.region)

    @cached_property
    def store(self) -> DynamoExecutionStore:
        """Executions."""
        return DynamoExecutionStore(self.dynamodb, self.settings.executions_table, self.settings.region)

    @cached_property
    def jobs(self) -> DynamoJobStore:
        """Definitions."""
        settings = self.settings
        return DynamoJobStore(self.dynamodb, settings.jobs_table, settings.executions_table, settings.region)

    @cached_property
    def run_locks(self) -> DynamoRunLockStore:
        """Whose turn it is where runs must not overlap."""
        return DynamoRunLockStore(self.dynamodb, self.settings.jobs_table)

    @cached_property
    def ledger(self) -> DynamoShardLedger:
        """Shards to watch and to sweep."""
        return DynamoShardLedger(self.dynamodb, self.settings.leases_table, self.settings.region)

    @cached_property
    def progress(self) -> DynamoLaneProgressStore:
        """How far the lanes are."""
        return DynamoLaneProgressStore(self.dynamodb, self.settings.leases_table, self.settings.region)

    @cached_property
    def tenants(self) -> DynamoTenantStore:
        """Tenants and keys."""
        return DynamoTenantStore(self.dynamodb, self.settings.tenants_table)

    @cached_property
    def limits(self) -> DynamoLimitStore:
        """The states of limits."""
        return DynamoLimitStore(self.dynamodb, self.settings.leases_table, self.settings.region)

    @cached_property
    def queue(self) -> SqsWakeupQueue:
        """The lanes."""
        weights = TenantWeights(self.tenants, self.clock)
        return SqsWakeupQueue(self.sqs, self.settings.lane_queue_urls, weights)

    @cached_property
    def file(self) -> FileExecution:
        """FILE."""
        return FileExecution(store=self.store, queue=self.queue, ledger=self.ledger, clock=self.clock)

    @cached_property
    def file_successor(self) -> FileSuccessor:
        """The chain of recurring jobs."""
        return FileSuccessor(
            file=self.file,
            store=self.store,
            jobs=self.jobs,
            clock=self.clock,
            retention=self.settings.retention,
        )

    @cached_property
    def record_dst_skips(self) -> RecordDstSkips:
        """Runs that a change of the clocks drops."""
        return RecordDstSkips(store=self.store, clock=self.clock, retention=self.settings.retention)

    @cached_property
    def read_tenant(self) -> ReadTenant:
        """Tenants, remembered."""
        return ReadTenant(tenants=self.tenants, clock=self.clock)

    @cached_property
    def notify(self) -> NotifyOutcome:
        """Notifications of outcomes."""
        return NotifyOutcome(
            read_tenant=self.read_tenant,
            file=self.file,
            clock=self.clock,
            plan=self.settings.shard_plan,
            retention=self.settings.retention,
        )

    @cached_property
    def finalize(self) -> FinalizeExecution:
        """What the end of an execution asks for."""
        return FinalizeExecution(
            jobs=self.jobs,
            find_settled=self.lifecycle.find_settled,
            pause=self.lifecycle.pause,
            notify=self.notify,
            clock=self.clock,
            retention=self.settings.retention,
        )

    @cached_property
    def give_up(self) -> GiveUpLost:
        """The end of what was lost."""
        return GiveUpLost(
            store=self.store,
            file_successor=self.file_successor,
            finalize=self.finalize,
            notify=self.notify,
            clock=self.clock,
            retention=self.settings.retention,
        )

    @cached_property
    def lifecycle(self) -> Lifecycle:
        """The changes of recurring jobs."""
        return Lifecycle(
            store=self.store,
            jobs=self.jobs,
            run_locks=self.run_locks,
            file=self.file,
            clock=self.clock,
            plan=self.settings.shard_plan,
            retention=self.settings.retention,
        )
