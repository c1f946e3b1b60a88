"""Names that the run-time code, the infrastructure and the tests must spell alike.

This module imports nothing, so that `infra` may share it without pulling in run-time code.
"""

from enum import StrEnum

VERSION = "0.1.0"
"""The version of this release, in the OpenAPI document too. A test compares it with pyproject.toml."""


class Lane(StrEnum):
    """A queue with its own workers; work in one lane never waits for another lane."""

    CRITICAL = "critical"
    STANDARD = "standard"
    BULK = "bulk"


class QueueName(StrEnum):
    """A queue of wake-ups: that of each lane, and beside it its slow path, for destinations that answer slowly."""

    CRITICAL = "critical"
    STANDARD = "standard"
    BULK = "bulk"
    SLOW_CRITICAL = "slow-critical"
    SLOW_STANDARD = "slow"
    """It was there before the others, for all lanes: messages under way and parked ones have it by this name."""
    SLOW_BULK = "slow-bulk"

    @property
    def is_slow(self) -> bool:
        """Whether it is a slow path."""
        return self.name.startswith("SLOW_")

    @property
    def slow_path(self) -> "QueueName":
        """The slow path of this queue; of a slow path itself."""
        return self if self.is_slow else QueueName[f"SLOW_{self.name}"]


class Env:
    """Environment variables of the functions; `shared.settings` says which are required and their form."""

    STAGE = "PUNCTUAL_STAGE"
    REGION = "PUNCTUAL_REGION"
    EXECUTIONS_TABLE = "EXECUTIONS_TABLE"
    JOBS_TABLE = "JOBS_TABLE"
    TENANTS_TABLE = "TENANTS_TABLE"
    LEASES_TABLE = "LEASES_TABLE"
    AUDIT_TABLE = "AUDIT_TABLE"
    AUDIT_RETENTION_DAYS = "AUDIT_RETENTION_DAYS"
    AUDIT_ONE_OFFS = "AUDIT_ONE_OFFS"
    DEFAULT_QUOTAS = "DEFAULT_QUOTAS"
    LANE_QUEUE_URLS = "LANE_QUEUE_URLS"
    KMS_KEY_ID = "KMS_KEY_ID"
    SHARD_PLAN = "SHARD_PLAN"
    RETENTION_DAYS = "RETENTION_DAYS"
    DIAL_EXCEPTIONS = "DIAL_EXCEPTIONS"
    API_HOSTS = "API_HOSTS"
    LANE = "LANE"
    DEAD_LETTER_ARNS = "DEAD_LETTER_ARNS"
    API_LOG_GROUP = "API_LOG_GROUP"


class Index:
    """Global secondary indexes of the executions table."""

    BY_TENANT = "by_tenant"
    FAILED = "failed"


class Attr:
    """Key and TTL attributes that both the tables and the adapters name."""

    PK = "pk"
    SK = "sk"
    TTL = "ttl"
    TENANT_PK = "gt"
    TENANT_SK = "gd"
    FAILED_PK = "ft"
    FAILED_SK = "fd"


ACCEPTED_LOG_LINE = "job accepted"
"""The message of the API's log line for each acknowledged job; the reconciler reads it back."""

METRICS_NAMESPACE = "Punctual"


class Metric:
    """CloudWatch metric names; each function emits its own once per invocation."""

    WATCHER_TICK = "WatcherTick"
    SHARDS_SCANNED = "ShardsScanned"
    DUE_FOUND = "DueFound"
    WAKEUPS_SENT = "WakeupsSent"
    SEND_FAILED = "SendFailed"
    SWEEPER_TICK = "SweeperTick"
    OLDEST_UNCLAIMED_DUE_SECONDS = "OldestUnclaimedDueSeconds"
    OLDEST_WAITING_DUE_SECONDS = "OldestWaitingDueSeconds"
    RESENT = "Resent"
    WORKER_LOST = "WorkerLost"
    QUARANTINED = "Quarantined"
    CLAIMED = "Claimed"
    START_LAG_MS = "StartLagMs"
    WAITED_LAG_MS = "WaitedLagMs"
    SUCCEEDED = "Succeeded"
    RETRIED = "Retried"
    FAILED = "Failed"
    ASYNC_ACCEPTED = "AsyncAccepted"
    FENCED = "Fenced"
    MESSAGES_RETURNED = "MessagesReturned"
    DEFERRED_TENANT_CONCURRENCY = "DeferredTenantConcurrency"
    DEFERRED_TENANT_RATE = "DeferredTenantRate"
    DEFERRED_DESTINATION_CONCURRENCY = "DeferredDestinationConcurrency"
    DEFERRED_DESTINATION_RATE = "DeferredDestinationRate"
    DEFERRED_BREAKER_OPEN = "DeferredBreakerOpen"
    DEFERRED_SLOW = "DeferredSlow"
    DEFERRED_BACKPRESSURE = "DeferredBackpressure"
    DEFERRED_LATE = "DeferredLate"
    BREAKER_OPENED = "BreakerOpened"
    OPEN_BREAKERS = "OpenBreakers"
    LIMIT_STORE_ERRORS = "LimitStoreErrors"
    UNREADABLE_MESSAGES = "UnreadableMessages"
    DEAD_LETTER_RESCHEDULED = "DeadLetterRescheduled"
    DEAD_LETTER_PARKED = "DeadLetterParked"
    DEAD_LETTER_FAILED = "DeadLetterFailed"
    REDRIVEN = "Redriven"
    REDRIVES_UNDONE = "RedrivesUndone"
    PARKED_WAITING = "ParkedWaiting"
    RECONCILER_TICK = "ReconcilerTick"
    RECONCILED_JOBS = "ReconciledJobs"
    MISSING_EXECUTIONS = "MissingExecutions"
    CHAINS_REPAIRED = "ChainsRepaired"
    DOUBLE_COMPLETED = "DoubleCompleted"
    RECOMPUTED = "Recomputed"
    JOBS_CREATED = "JobsCreated"
    RATE_LIMITED = "RateLimited"
    QUOTA_EXCEEDED = "QuotaExceeded"
    QUOTA_STORE_ERRORS = "QuotaStoreErrors"
    AUDIT_FAILED = "AuditFailed"
    API_REQUESTS = "ApiRequests"
    API_ERRORS = "ApiErrors"


MAX_CALLBACK_TIMEOUT_SECONDS = 60
"""The longest that one callback may take; leases, function and visibility timeouts follow from it."""

EXECUTOR_TIMEOUT_SECONDS = MAX_CALLBACK_TIMEOUT_SECONDS + 15
"""Lambda timeout of the executor: the callback plus claiming, waiting and completing around it."""

EXECUTOR_BATCH = 10
"""So many messages at most are handed to an executor at once; a batch that is full says that more wait."""

ENCRYPTION_CONTEXT_TENANT = "punctual:tenant"
"""The key of the KMS encryption context that names the tenant; the functions' roles insist on its presence."""
