"""The production ports over DynamoDB, SQS, KMS, CloudWatch, Systems Manager and HTTPS.

A port is made, and the module of its adapter imported, when it is first asked for: a watcher needs a third of
them, and its cold start loads no others.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.throttles import ReportedThrottles
from shared.adapters.clients import Clients, transport_for
from shared.adapters.clock import SystemClock, SystemEntropy, pause
from shared.bootstrap.alarm_ports import AlarmPorts
from shared.bootstrap.archive_ports import ArchivePorts
from shared.bootstrap.audit_ports import AuditPorts
from shared.bootstrap.bulk_ports import BulkPorts
from shared.bootstrap.deletion_ports import DeletionPorts
from shared.bootstrap.event_ports import EventPorts
from shared.bootstrap.job_state_ports import JobStatePorts
from shared.bootstrap.key_ports import KeyPorts
from shared.bootstrap.reports import report_group_failure, report_throttles, reported_denials
from shared.bootstrap.settings import require
from shared.bootstrap.target_ports import TargetPorts
from shared.names import Transport
from shared.settings import ExecutorSettings, ReconcilerSettings, Settings

if TYPE_CHECKING:
    from shared.adapters.aws.http_call import HttpCall
    from shared.adapters.dynamodb.batch_reads import Backoff
    from shared.adapters.dynamodb.jobs.live_items import DynamoLiveItems
    from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
    from shared.bootstrap.ports import Ports
    from shared.ports.dead_letters import ParkedMessageStore, RedriveBatches
    from shared.ports.delivery import Sender
    from shared.ports.dispatch import (
        AcceptedLog,
        LaneProgressStore,
        MessageVisibility,
        ReconcileProgressStore,
        ShardCountStore,
        ShardLedger,
    )
    from shared.ports.executions import Claimer, ExecutionStore, OneOffBatches, OneOffStore
    from shared.ports.jobs import IdempotencyStore, JobKeys, JobNames, JobStore
    from shared.ports.limits import LimitStore, ThrottleStatus
    from shared.ports.listings import Queries
    from shared.ports.runtime import Offload, Spread
    from shared.ports.tenancy import BudgetStore, TenantStore

OFFLOAD_THREADS = 32
AT_ONCE = 16
"""Requests that a process sends side by side: 50 batches of a page take 4 round trips to SQS in place of 50."""


def dynamo_ports(settings: Settings) -> Ports:
    """The ports for these settings. TypeError on access to a port for which the settings are missing."""
    return cast("Ports", DynamoPorts(settings))


class DynamoPorts(
    AlarmPorts,
    ArchivePorts,
    AuditPorts,
    BulkPorts,
    DeletionPorts,
    EventPorts,
    JobStatePorts,
    KeyPorts,
    TargetPorts,
):
    """One property for each attribute of `Ports`; a test compares their names."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._region, self._leases = settings.region, settings.leases_table
        self._executions, self._jobs = settings.executions_table, settings.jobs_table
        self._transport = transport_for(settings.transport, settings.region, os.environ)
        self.clock, self.entropy, self.pause = SystemClock(), SystemEntropy(), pause
        self._clients = Clients(self._transport, settings.region, self.clock, self.entropy)

    @cached_property
    def offload(self) -> Offload:
        if self._transport is Transport.HTTP:
            from shared.adapters.greenlets import in_greenlet

            return in_greenlet
        from shared.adapters.thread_pools import ThreadOffload

        # The SDK blocks its thread.
        return ThreadOffload(OFFLOAD_THREADS)

    @cached_property
    def spread(self) -> Spread:
        if self._transport is Transport.HTTP:
            from shared.adapters.greenlets import GreenletSpread

            return GreenletSpread(AT_ONCE)
        from shared.adapters.thread_pools import ThreadSpread

        return ThreadSpread(AT_ONCE)

    @cached_property
    def _dynamodb(self) -> AwsClient:
        client: AwsClient = self._clients("dynamodb")
        if not self._makes_groups:
            return reported_denials(ReportedThrottles(client.call, report_throttles))
        from shared.adapters.dynamodb.executions.grouped_writes import GroupedWrites
        from shared.adapters.dynamodb.jobs.grouped_reads import GroupedReads

        once = replace(cast("HttpCall", client.call), repeats=False)
        writes = GroupedWrites(client.call, once, self._executions, report_group_failure)
        reads = GroupedReads(writes, once, self._jobs, report_group_failure)
        return reported_denials(ReportedThrottles(reads, report_throttles))

    @cached_property
    def _sqs(self) -> AwsClient:
        client: AwsClient = self._clients("sqs")
        if not self._makes_groups:
            return reported_denials(client.call)
        from shared.adapters.sqs.grouped_sends import GroupedSends

        once = replace(cast("HttpCall", client.call), repeats=False)
        return reported_denials(GroupedSends(client.call, once, self.clock, report_group_failure))

    @property
    def _makes_groups(self) -> bool:
        """Whether many calls run side by side on one loop: those of an executor's batch."""
        return isinstance(self._settings, ExecutorSettings) and self._transport is Transport.HTTP

    @cached_property
    def _backoff(self) -> Backoff:
        from shared.adapters.dynamodb.batch_reads import Backoff

        return Backoff(self.pause, self.entropy)

    @cached_property
    def executions(self) -> ExecutionStore:
        from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore

        return DynamoExecutionStore(self._dynamodb, self._executions, self._region, self._backoff)

    @cached_property
    def claimer(self) -> Claimer:
        from shared.adapters.dynamodb.executions.claimer import BatchStatementClaimer

        return BatchStatementClaimer(self._dynamodb, self._executions, self._region, self._backoff)

    @cached_property
    def one_offs(self) -> OneOffStore:
        from shared.adapters.dynamodb.executions.one_off_store import DynamoOneOffStore

        return DynamoOneOffStore(self._dynamodb, self._executions, self._region)

    @cached_property
    def one_off_batches(self) -> OneOffBatches:
        from shared.adapters.dynamodb.executions.one_off_batches import BatchStatementBatches

        return BatchStatementBatches(
            self._dynamodb, self._executions, self._jobs, self._region, self._backoff, self.spread
        )

    @cached_property
    def redrive_batches(self) -> RedriveBatches:
        from shared.adapters.dynamodb.executions.redrive_batches import DynamoRedriveBatches

        return DynamoRedriveBatches(
            self._dynamodb, self._executions, self._jobs, self._region, self._backoff, self.spread
        )

    @cached_property
    def jobs(self) -> JobStore:
        from shared.adapters.dynamodb.jobs.job_store import DynamoJobStore

        return DynamoJobStore(self._dynamodb, self._jobs, self._executions, self._region)

    @cached_property
    def job_keys(self) -> JobKeys:
        from shared.adapters.dynamodb.jobs.job_keys import DynamoJobKeys

        return DynamoJobKeys(self._dynamodb, self._jobs)

    @cached_property
    def job_names(self) -> JobNames:
        from shared.adapters.dynamodb.jobs.job_names import DynamoJobNames

        return DynamoJobNames(self._dynamodb, self._jobs, self._backoff)

    @cached_property
    def live_items(self) -> DynamoLiveItems:
        from shared.adapters.dynamodb.jobs.live_items import DynamoLiveItems

        return DynamoLiveItems(self._dynamodb, self._jobs, self._backoff)

    @cached_property
    def recurring_jobs(self) -> DynamoLiveItems:
        return self.live_items

    @cached_property
    def idempotency(self) -> IdempotencyStore:
        from shared.adapters.dynamodb.jobs.idempotency_store import DynamoIdempotencyStore

        return DynamoIdempotencyStore(self._dynamodb, self._jobs)

    @cached_property
    def queries(self) -> Queries:
        from shared.adapters.dynamodb.listings.queries import DynamoQueries

        return DynamoQueries(self._dynamodb, self._jobs, self._executions, self._region)

    @cached_property
    def parked_messages(self) -> ParkedMessageStore:
        from shared.adapters.dynamodb.dead_letters.parked_message_store import DynamoParkedMessageStore

        return DynamoParkedMessageStore(self._dynamodb, self._leases, self._region)

    @cached_property
    def tenants(self) -> TenantStore:
        from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore

        return DynamoTenantStore(self._dynamodb, self._settings.tenants_table, self._backoff)

    @cached_property
    def budgets(self) -> BudgetStore:
        from shared.adapters.dynamodb.tenancy.budget_store import DynamoBudgetStore

        return DynamoBudgetStore(self._dynamodb, self._leases)

    @cached_property
    def limits(self) -> LimitStore:
        from shared.adapters.dynamodb.limits.limit_store import DynamoLimitStore

        return DynamoLimitStore(self._dynamodb, self._leases, self._region, self._backoff)

    @cached_property
    def throttle_status(self) -> ThrottleStatus:
        from shared.adapters.dynamodb.limits.throttle_status import DynamoThrottleStatus

        return DynamoThrottleStatus(self._dynamodb, self._leases, self._region, self._backoff)

    @cached_property
    def progress(self) -> LaneProgressStore:
        from shared.adapters.dynamodb.dispatch.lane_progress_store import DynamoLaneProgressStore

        return DynamoLaneProgressStore(self._dynamodb, self._leases, self._region)

    @cached_property
    def ledger(self) -> ShardLedger:
        from shared.adapters.dynamodb.dispatch.ledger import DynamoShardLedger

        return DynamoShardLedger(self._dynamodb, self._leases, self._region)

    @cached_property
    def reconcile_progress(self) -> ReconcileProgressStore:
        from shared.adapters.dynamodb.dispatch.reconcile_progress import DynamoReconcileProgress

        return DynamoReconcileProgress(self._dynamodb, self._leases, self._region)

    @cached_property
    def shard_counts(self) -> ShardCountStore:
        from shared.adapters.dynamodb.dispatch.shard_counts import DynamoShardCountStore

        return DynamoShardCountStore(self._dynamodb, self._jobs, self._region)

    @cached_property
    def queue(self) -> SqsWakeupQueue:
        from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
        from shared.usecases.tenancy.tenant_weights import TenantWeights

        weights = TenantWeights(self.tenants, self.clock)
        return SqsWakeupQueue(self._sqs, self._settings.lane_queue_urls, weights, self.spread)

    @cached_property
    def backlog(self) -> SqsWakeupQueue:
        return self.queue

    @cached_property
    def visibility(self) -> MessageVisibility:
        from shared.adapters.sqs.visibility import SqsVisibility

        return SqsVisibility(self._sqs, self._settings.lane_queue_urls)

    @cached_property
    def accepted_log(self) -> AcceptedLog:
        from shared.adapters.logs.accepted_log import CloudWatchAcceptedLog

        group = require(self._settings, ReconcilerSettings).api_log_group
        return CloudWatchAcceptedLog(reported_denials(self._clients("logs").call), group)

    @cached_property
    def sender(self) -> Sender:
        from shared.adapters.http.sender import CallbackSender

        return CallbackSender(require(self._settings, ExecutorSettings).target_policy, self.clock)
