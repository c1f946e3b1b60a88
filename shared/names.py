"""Names and limits that the run-time code, the infrastructure and the tests share.

This module imports no other project module, so `infra` can use it without run-time code.
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
    """A queue of wake-ups: each lane has a main queue and a slow path for slow destinations."""

    CRITICAL = "critical"
    STANDARD = "standard"
    BULK = "bulk"
    SLOW_CRITICAL = "slow-critical"
    SLOW_STANDARD = "slow"
    """The oldest slow path, once shared by all lanes; parked messages contain this value."""
    SLOW_BULK = "slow-bulk"

    @property
    def is_slow(self) -> bool:
        return self.name.startswith("SLOW_")

    @property
    def slow_path(self) -> "QueueName":
        """The slow path of this queue; a slow path returns itself."""
        return self if self.is_slow else QueueName[f"SLOW_{self.name}"]


class Env:
    """Environment variables of the functions; `shared.settings` defines their format."""

    STAGE = "PUNCTUAL_STAGE"
    REGION = "PUNCTUAL_REGION"
    CELL = "PUNCTUAL_CELL"
    EXECUTIONS_TABLE = "EXECUTIONS_TABLE"
    JOBS_TABLE = "JOBS_TABLE"
    TENANTS_TABLE = "TENANTS_TABLE"
    LEASES_TABLE = "LEASES_TABLE"
    AUDIT_TABLE = "AUDIT_TABLE"
    AUDIT_RETENTION_DAYS = "AUDIT_RETENTION_DAYS"
    AUDIT_ONE_OFFS = "AUDIT_ONE_OFFS"
    AUDIT_BUCKET = "AUDIT_BUCKET"
    AUDIT_LOCK_DAYS = "AUDIT_LOCK_DAYS"
    DEFAULT_QUOTAS = "DEFAULT_QUOTAS"
    LANE_QUEUE_URLS = "LANE_QUEUE_URLS"
    KMS_KEY_ID = "KMS_KEY_ID"
    SHARD_PLAN = "SHARD_PLAN"
    RETENTION_DAYS = "RETENTION_DAYS"
    DIAL_EXCEPTIONS = "DIAL_EXCEPTIONS"
    API_HOSTS = "API_HOSTS"
    CONSOLE_ORIGIN = "CONSOLE_ORIGIN"
    LANE = "LANE"
    DEAD_LETTER_ARNS = "DEAD_LETTER_ARNS"
    EVENTS_QUEUE_URL = "EVENTS_QUEUE_URL"
    DEAD_EVENTS_QUEUE_URL = "DEAD_EVENTS_QUEUE_URL"
    API_LOG_GROUP = "API_LOG_GROUP"
    TRANSPORT = "AWS_TRANSPORT"
    API_URL = "API_URL"
    CANARY_RECEIVER_URL = "CANARY_RECEIVER_URL"
    ARCHIVE_BUCKET = "ARCHIVE_BUCKET"
    ARCHIVE_DAYS = "ARCHIVE_DAYS"
    HISTORY_TABLE = "HISTORY_TABLE"
    ARCHIVE_READER = "ARCHIVE_READER"
    TARGET_ROLES = "TARGET_ROLES"
    TOKEN_ISSUER = "TOKEN_ISSUER"  # noqa: S105 - a name, not a secret
    TOKEN_KEYS = "TOKEN_KEYS"  # noqa: S105 - a name, not a secret


class Transport(StrEnum):
    """What carries the calls of AWS."""

    HTTP = "http"
    """Punctual's own signed requests, which take less processor time: docs/performance.md."""
    BOTO3 = "boto3"
    """The AWS SDK, with all that it alone knows: proxies, FIPS and dual-stack endpoints."""


class Index:
    """Global secondary indexes."""

    BY_TENANT = "by_tenant"
    FAILED = "failed"
    LIVE = "live"
    """Of the jobs table: definitions that have not ended, and large requests without an expiry."""


class Attr:
    """Key and TTL attributes that the tables and the adapters share."""

    PK = "pk"
    SK = "sk"
    TTL = "ttl"
    TENANT_PK = "gt"
    TENANT_SK = "gd"
    NAME = "n"
    TAGS = "gs"
    FAILED_PK = "ft"
    FAILED_SK = "fd"
    LIVE_PK = "lp"
    """With the table's own sort key."""
    STORED_AT = "st"


PROJECTED = {
    Index.BY_TENANT: (Attr.NAME, Attr.TAGS),
    Index.FAILED: (),
    Index.LIVE: (Attr.STORED_AT,),
}
"""The attributes of each index besides its keys: only an edit changes them, so no call costs an index write."""

ACCEPTED_LOG_LINE = "job accepted"
"""The message of the API's log line for an acknowledged job; the reconciler searches for it."""
ACCEPTED_BATCH_LOG_LINE = "job accepted in a batch"
"""The same for the jobs of a batch. It contains that of a single job, so that one search finds both."""

METRICS_NAMESPACE = "Punctual"
RUNBOOK_MARK = " Runbook: "
"""Between the sentences of an alarm's description and the page about it."""


class Dimension:
    """Dimensions of metrics: of the stage, since stages may share an account, and of the function."""

    STAGE = "stage"
    SERVICE = "service"


class Metric:
    """CloudWatch metric names; each function flushes its metrics once per invocation."""

    WATCHER_TICK = "WatcherTick"
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
    LATE_STARTS = "LateStarts"
    SUCCEEDED = "Succeeded"
    RETRIED = "Retried"
    FAILED = "Failed"
    ASYNC_ACCEPTED = "AsyncAccepted"
    ATTEMPTS_REFUNDED = "AttemptsRefunded"
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
    DEFERRED_SUSPENDED = "DeferredSuspended"
    BREAKER_OPENED = "BreakerOpened"
    OPEN_BREAKERS = "OpenBreakers"
    GROUPS_FAILED = "GroupsFailed"
    LIMIT_STORE_ERRORS = "LimitStoreErrors"
    THROTTLED_REQUESTS = "ThrottledRequests"
    CLOCK_SKEW_MS = "ClockSkewMs"
    UNREADABLE_MESSAGES = "UnreadableMessages"
    DEAD_MESSAGES = "DeadMessages"
    EVENTS_RECEIVED = "EventsReceived"
    EVENTS_UNMAPPED = "EventsUnmapped"
    EVENTS_NO_TENANT = "EventsNoTenant"
    EVENTS_REFUSED = "EventsRefused"
    EVENTS_DELAYED = "EventsDelayed"
    EVENTS_FAILED = "EventsFailed"
    EVENTS_GIVEN_UP = "EventsGivenUp"
    DEAD_LETTER_RESCHEDULED = "DeadLetterRescheduled"
    DEAD_LETTER_PARKED = "DeadLetterParked"
    DEAD_LETTER_FAILED = "DeadLetterFailed"
    REDRIVER_TICK = "RedriverTick"
    REDRIVEN = "Redriven"
    REDRIVES_UNDONE = "RedrivesUndone"
    BULK_CHANGED = "BulkChanged"
    PARKED_WAITING = "ParkedWaiting"
    RECONCILED_JOBS = "ReconciledJobs"
    RECONCILER_COVERAGE_SECONDS = "ReconcilerCoverageSeconds"
    RECONCILER_CHECKED_THROUGH_SECONDS = "ReconcilerCheckedThroughSeconds"
    RECONCILER_SAMPLE_PERCENT = "ReconcilerSamplePercent"
    MISSING_EXECUTIONS = "MissingExecutions"
    CHAINS_REPAIRED = "ChainsRepaired"
    DOUBLE_COMPLETED = "DoubleCompleted"
    RECOMPUTED = "Recomputed"
    JOBS_CREATED = "JobsCreated"
    RATE_LIMITED = "RateLimited"
    QUOTA_EXCEEDED = "QuotaExceeded"
    QUOTA_STORE_ERRORS = "QuotaStoreErrors"
    AUDIT_FAILED = "AuditFailed"
    API_ERRORS = "ApiErrors"
    CANARY_LAG_MS = "CanaryLagMs"
    CANARY_REQUEST_MS = "CanaryRequestMs"
    CANARY_FAILED = "CanaryFailed"
    ARCHIVE_MISMATCH = "ArchiveMismatch"
    ARCHIVE_OVERDUE_SECONDS = "ArchiveOverdueSeconds"
    AUDIT_TRAIL_OVERDUE_SECONDS = "AuditTrailOverdueSeconds"
    AUDIT_TRAIL_MISMATCH = "AuditTrailMismatch"


FROM_LOG = frozenset({Metric.JOBS_CREATED})
"""Metrics that metric filters make of the API's log, in a namespace of the stage: a line fewer in each request."""
WHOLE_STAGE = frozenset(
    {
        Metric.ATTEMPTS_REFUNDED,
        Metric.CLOCK_SKEW_MS,
        Metric.LATE_STARTS,
        Metric.LIMIT_STORE_ERRORS,
        Metric.QUARANTINED,
        Metric.THROTTLED_REQUESTS,
    }
)
"""Metrics without the dimension of the function: one alarm reads each of them for all functions."""

LATE_START_MS = 5_000
"""The objective: 99.9 % of first attempts start within this time."""
MAX_PAYLOAD_BYTES = 200 * 1024
"""Maximum size of the body of a job's request: sealed and encoded, it must fit into an item of 400 KB."""
MAX_CALLBACK_TIMEOUT_SECONDS = 60
"""Maximum duration of a callback; leases, function timeouts and visibility timeouts derive from it."""

CONSOLE_PATH = "/console"
"""The path of the console, at every host name of the API. Its files are below it."""
ORIGIN = (
    r"(?:https://[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*|http://(?:127\.0\.0\.1|localhost|\[::1\]))"
    r"(?::[1-9][0-9]{0,4})?"
)
"""Pattern of the URL of the API or of the console. Plain http is for this machine alone: requests carry an API key."""
TENANT_LIST = "tenants"
"""The partition of the list of tenants in the tenants table. A role may be limited to it."""
FORGETTING = "forgetting"
"""The partition of the list of deleted tenants that the archive still has, in the tenants table."""
FORGOTTEN = "forgotten"
"""The partition of the list of deleted tenants that the archive has no more, while a restore may bring rows back."""
DELETION_RECORDS = "deletion#"
"""The partitions of the records of deletions in the tenants table begin with this."""
LEDGER_PARTITIONS = 16
"""The ledger row of a shard is in partition `shard % LEDGER_PARTITIONS`; a sweeper takes a range of them."""
LIVE_SEGMENTS = 16
"""The index of live items is scanned in this many segments; a reconciler takes a range of them."""
FAILURE_PARTITIONS = 8
"""Partitions of a tenant's dead letters, and of its waiting retries, in the index of failures. May only grow."""
ARCHIVER_TIMEOUT_SECONDS = 900
"""Lambda's maximum: a pass of the archive reads and writes an hour of four shards."""
EXECUTOR_TIMEOUT_SECONDS = MAX_CALLBACK_TIMEOUT_SECONDS + 15
"""Lambda timeout of the executor: the callback plus time to claim, wait and complete."""
EXECUTOR_BATCH = 10
"""Maximum number of messages per executor invocation; a full batch indicates a backlog."""
CANARY_CYCLE_MINUTES = 3
CANARY_CALLS_PER_CYCLE = 4
"""The jobs of the canary in any three minutes make this many calls: shared/domain/canary.py."""


class CanarySecret(StrEnum):
    """A secret of the canary; each is a parameter of its own, which one function may read."""

    API_KEY = "api-key"
    SIGNING_SECRET = "signing-secret"  # noqa: S105 - a name, not a secret

    def parameter(self, stage: str) -> str:
        """The name of the SecureString in the Parameter Store, unique in an account and region."""
        return f"/punctual/{stage}/canary/{self}"


def token_key_alias(stage: str, number: int) -> str:
    """The alias of a KMS key that signs identity tokens: functions and their grants name the key by it."""
    return f"alias/punctual-{stage}-token-{number}"


SEARCHES_PREFIX = "searches/"
"""Of the files of searches in the bucket of the archive. The id of the tenant follows."""
ENCRYPTION_CONTEXT_TENANT = "punctual:tenant"
"""The KMS encryption context key for the tenant; the functions' roles require it."""


def alarm_prefix(stage: str) -> str:
    """The begin of the name of each alarm of a stage. Names of stages have no hyphen."""
    return f"punctual-{stage}-"


ROLE_PATTERN = r"^arn:aws(?:-[a-z]{1,8}){0,2}:iam::(?:\*|[0-9]{12}):role/[A-Za-z0-9+=,.@_/-]{1,512}\*?$"
"""The form of the pattern of roles that executors may assume: `*` stands for the account, or for the end of names."""
