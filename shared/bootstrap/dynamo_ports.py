"""The production ports over DynamoDB, SQS, KMS, CloudWatch Logs and HTTPS. No other module names adapters."""

import os
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.clients import Clients, transport_for
from shared.adapters.clock import SystemClock, SystemEntropy, ThreadOffload, ThreadSpread, pause
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.dead_letters.parked_message_store import DynamoParkedMessageStore
from shared.adapters.dynamodb.dead_letters.redrive_tasks import DynamoRedriveTasks
from shared.adapters.dynamodb.dispatch.lane_progress_store import DynamoLaneProgressStore
from shared.adapters.dynamodb.dispatch.ledger import DynamoShardLedger
from shared.adapters.dynamodb.dispatch.reconcile_progress import DynamoReconcileProgress
from shared.adapters.dynamodb.dispatch.shard_counts import DynamoShardCountStore
from shared.adapters.dynamodb.executions.claimer import BatchStatementClaimer
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.adapters.dynamodb.executions.one_off_batches import BatchStatementBatches
from shared.adapters.dynamodb.executions.one_off_store import DynamoOneOffStore
from shared.adapters.dynamodb.executions.redrive_batches import DynamoRedriveBatches
from shared.adapters.dynamodb.jobs.idempotency_store import DynamoIdempotencyStore
from shared.adapters.dynamodb.jobs.job_store import DynamoJobStore
from shared.adapters.dynamodb.jobs.live_items import DynamoLiveItems
from shared.adapters.dynamodb.jobs.run_lock_store import DynamoRunLockStore
from shared.adapters.dynamodb.limits.limit_store import DynamoLimitStore
from shared.adapters.dynamodb.limits.throttle_status import DynamoThrottleStatus
from shared.adapters.dynamodb.listings.queries import DynamoQueries
from shared.adapters.dynamodb.tenancy.audit_log import DynamoAuditLog
from shared.adapters.dynamodb.tenancy.budget_store import DynamoBudgetStore
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.adapters.greenlets import GreenletOffload, GreenletSpread
from shared.adapters.sqs.visibility import SqsVisibility
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.ports import Ports
from shared.names import Transport
from shared.settings import ApiSettings, CallbackSettings, ExecutorSettings, ReconcilerSettings, Settings
from shared.usecases.tenancy.tenant_weights import TenantWeights

OFFLOAD_THREADS = 32
AT_ONCE = 16
"""Requests that a process sends side by side: 50 batches of a page take 4 round trips to SQS in place of 50."""


def dynamo_ports(settings: Settings) -> Ports:
    """The ports for these settings, with one client for each service."""
    ports, region = Ports(), settings.region
    ports.clock, ports.entropy, ports.pause = SystemClock(), SystemEntropy(), pause
    transport = transport_for(settings.transport, region, os.environ)
    if transport is Transport.HTTP:
        ports.offload, ports.spread = GreenletOffload(), GreenletSpread(AT_ONCE)
    else:
        # The SDK blocks its thread.
        ports.offload, ports.spread = ThreadOffload(OFFLOAD_THREADS), ThreadSpread(AT_ONCE)
    client = Clients(transport, region, ports.clock, ports.entropy)
    dynamodb, sqs = client("dynamodb"), client("sqs")
    if isinstance(settings, ExecutorSettings):
        from shared.adapters.dynamodb.executions.grouped_writes import GroupedWrites
        from shared.adapters.sqs.grouped_sends import GroupedSends

        dynamodb = AwsClient(GroupedWrites(dynamodb.call, settings.executions_table))
        sqs = AwsClient(GroupedSends(sqs.call))
    _add_tables(ports, settings, dynamodb)
    queue = SqsWakeupQueue(
        sqs,
        settings.lane_queue_urls,
        TenantWeights(ports.tenants, ports.clock),
        ports.spread,
    )
    ports.queue = ports.backlog = queue
    ports.visibility = SqsVisibility(sqs, settings.lane_queue_urls)
    # Imported late: the cold start of a tick should not load cryptography or an HTTP client.
    if isinstance(settings, CallbackSettings):
        from shared.adapters.kms.vault import KmsVault

        ports.vault = KmsVault(client("kms"), settings.kms_key_id, ports.entropy)
    if isinstance(settings, ExecutorSettings):
        from shared.adapters.http.sender import CallbackSender

        ports.sender = CallbackSender(settings.target_policy)
    if isinstance(settings, ReconcilerSettings):
        from shared.adapters.logs.accepted_log import CloudWatchAcceptedLog

        ports.accepted_log = CloudWatchAcceptedLog(client("logs"), settings.api_log_group)
    return ports


def _add_tables(ports: Ports, settings: Settings, dynamodb: Any) -> None:
    region = settings.region
    executions, jobs, leases = settings.executions_table, settings.jobs_table, settings.leases_table
    backoff = Backoff(ports.pause, ports.entropy)
    ports.executions = DynamoExecutionStore(dynamodb, executions, region, backoff)
    ports.claimer = BatchStatementClaimer(dynamodb, executions, region, backoff)
    ports.one_offs = DynamoOneOffStore(dynamodb, executions, region)
    ports.one_off_batches = BatchStatementBatches(dynamodb, executions, region, backoff, ports.spread)
    ports.jobs = DynamoJobStore(dynamodb, jobs, executions, region)
    ports.queries = DynamoQueries(dynamodb, jobs, executions, region)
    ports.idempotency = DynamoIdempotencyStore(dynamodb, jobs)
    ports.live_items = ports.recurring_jobs = DynamoLiveItems(dynamodb, jobs, backoff)
    ports.run_locks = DynamoRunLockStore(dynamodb, jobs)
    ports.redrive_tasks = DynamoRedriveTasks(dynamodb, jobs, leases, region)
    ports.redrive_batches = DynamoRedriveBatches(dynamodb, executions, jobs, region, backoff, ports.spread)
    ports.tenants = DynamoTenantStore(dynamodb, settings.tenants_table, backoff)
    ports.budgets = DynamoBudgetStore(dynamodb, leases)
    ports.limits = DynamoLimitStore(dynamodb, leases, region, backoff)
    ports.throttle_status = DynamoThrottleStatus(dynamodb, leases, region, backoff)
    ports.progress = DynamoLaneProgressStore(dynamodb, leases, region)
    ports.parked_messages = DynamoParkedMessageStore(dynamodb, leases, region)
    ports.ledger = DynamoShardLedger(dynamodb, leases, region)
    ports.reconcile_progress = DynamoReconcileProgress(dynamodb, leases, region)
    ports.shard_counts = DynamoShardCountStore(dynamodb, jobs, region)
    if isinstance(settings, ApiSettings):
        ports.audit_log = DynamoAuditLog(dynamodb, settings.audit_table)
