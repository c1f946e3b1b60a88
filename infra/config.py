"""Configuration of a deployment: every setting that may differ between two stages is a field here.

A stage is an immutable value that checks its invariants. A configuration that would break a guarantee, such
as records that expire before their retries or shards that disappear, therefore fails at synth.
"""

import re
from dataclasses import dataclass, fields
from typing import Literal

from infra.components.shard_plan import ShardEpoch, check_plan, fewest_shards
from shared.names import LEDGER_PARTITIONS, QueueName

BundleMode = Literal["cloud", "host"]
"""`cloud`: sources and wheels for Lambda; `host`: sources only, the emulator's interpreter has the
dependencies."""

IDEMPOTENCY_DAYS = 7
"""Lifetime of an Idempotency-Key; the record that it refers to must live longer."""
DEAD_LETTER_CONCURRENCY = 2
"""For each dead-letter queue. Low, because dead messages arrive in large numbers while another fault is
active."""
RUNS_PER_RANGE = 2
"""A tick may run for longer than the minute until the next tick of its range."""
LEAST_UNRESERVED = 100
"""Lambda refuses a reservation that leaves fewer concurrent executions of the account."""
_NAME = re.compile(r"[a-z][a-z0-9]{0,19}")
_CELL = re.compile(r"[0-9a-hjkmnp-tv-z]")
_LOG_RETENTION_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneConcurrency:
    """Maximum number of concurrent executors per queue."""

    critical: int
    standard: int
    bulk: int
    slow_critical: int
    slow_standard: int
    slow_bulk: int

    def __post_init__(self) -> None:
        """Raise ValueError outside the range of an SQS event source."""
        if not all(2 <= self.of(queue) <= 1000 for queue in QueueName):
            raise ValueError("the concurrency of a lane must be 2 to 1000")

    def of(self, queue: QueueName) -> int:
        limit: int = getattr(self, queue.name.lower())
        return limit

    @property
    def total(self) -> int:
        return sum(self.of(queue) for queue in QueueName)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedConcurrency:
    """Concurrent executions that Lambda keeps for a function, and never exceeds. Executors have none: the rest
    of the account is theirs, up to `lane_concurrency`."""

    api: int = 150
    watcher: int = 4
    sweeper: int = 4
    reconciler: int = 2
    redriver: int = RUNS_PER_RANGE
    dead_letter: int = DEAD_LETTER_CONCURRENCY * len(QueueName)

    @property
    def total(self) -> int:
        return sum(getattr(self, each.name) for each in fields(self))

    def of(self, package: str) -> int | None:
        """None for a package under `functions/` without a reservation."""
        limit: int | None = getattr(self, package, None)
        return limit


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMemory:
    """Memory in MB, which also sets the CPU share: 1,769 MB is one full core."""

    api: int = 1024
    watcher: int = 1769
    sweeper: int = 1024
    redriver: int = 1769
    executor: int = 1769
    dead_letter: int = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultQuotas:
    """Default limits of a tenant, which an operator can override; the names match the API."""

    recurring_jobs: int = 1_000
    creates_per_second: int = 100
    requests_per_second: int = 300
    """All other requests; 100,000 means unlimited."""
    due_per_minute: int = 60_000
    payload_bytes: int = 262_144
    tags: int = 10
    api_keys: int = 10
    concurrency: int = 100_000
    """Here and in the following limits, which each call checks, 100,000 means unlimited at no cost."""
    calls_per_second: int = 100_000
    destination_concurrency: int = 100_000
    destination_calls_per_second: int = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StageConfig:
    """One deployment of Punctual into one region of one account."""

    name: str
    region: str
    cell: str = "0"
    """One character that all ids of this deployment carry, so that they tell the cell that owns a job."""
    account: str | None
    """None uses the account of the deployment credentials."""
    shard_plan: tuple[ShardEpoch, ...]
    """Grow-only: append epochs, never change them, because existing items are in their shards."""
    watchers: int
    """Number of shard ranges of a bucket; each range has its own tick."""
    sweepers: int
    """Number of ranges of the ledger's partitions; each range has its own tick."""
    lane_concurrency: LaneConcurrency
    account_concurrency: int = 1_000
    """Concurrent executions of the account in this region that belong to this stage."""
    reserved: ReservedConcurrency | None = ReservedConcurrency()
    """None reserves nothing, for accounts that are too small, such as new accounts with 10. Then executors can
    starve the ticks and the API."""
    retention_days: int = 14
    """How long a finished execution stays readable."""
    queue_retention_days: int = 4
    dead_letter_retention_days: int = 10
    """Longer than the lanes' retention, because SQS counts a moved message's age from its first send."""
    default_quotas: DefaultQuotas = DefaultQuotas()
    audit_retention_days: int = 400
    """How long an audit record stays readable."""
    audit_one_offs: bool = False
    """Whether the audit table also records the creation of one-off jobs, at two more write units per job. The
    API's log records it in any case."""
    memory: FunctionMemory = FunctionMemory()
    log_retention_days: int = 30
    log_level: str = "INFO"
    api_rate_limit: int = 1000
    """Requests per second that the gateway accepts, over all tenants."""
    api_burst_limit: int = 2000
    bundle: BundleMode = "cloud"
    dial_exceptions: tuple[str, ...] = ()
    """CIDRs of non-public addresses that callbacks may reach."""
    api_domains: tuple[str, ...] = ()
    """Additional host names of the API, such as custom domains and proxies. No job may call them."""
    protect_data: bool = True
    """Retain the tables and the key and refuse their deletion; disable only for disposable data."""
    alarm_topic_arn: str | None = None
    """An existing SNS topic for alarms; None creates a topic."""
    emulated: bool = False
    """Adapt to the emulator: no alarms on expressions, no TLS requirement, no condition on the key."""

    def __post_init__(self) -> None:
        """Raise ValueError for a stage that breaks a guarantee, or whose deployment AWS would reject."""
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"a stage is named by 1 to 20 lower-case letters and digits, not {self.name!r}")
        if not _CELL.fullmatch(self.cell):
            raise ValueError(f"a cell is one character of Crockford's base32, not {self.cell!r}")
        if self.log_retention_days not in _LOG_RETENTION_DAYS:
            raise ValueError(f"CloudWatch Logs retention must be one of {_LOG_RETENTION_DAYS} days")
        check_plan(self.shard_plan)
        if not 1 <= self.watchers <= fewest_shards(self.shard_plan):
            raise ValueError("each watcher needs at least one shard of every bucket")
        if not 1 <= self.sweepers <= LEDGER_PARTITIONS:
            raise ValueError(f"there are 1 to {LEDGER_PARTITIONS} sweepers, not {self.sweepers}")
        self._check_retention()
        if self.reserved is not None:
            self._check_reserved(self.reserved)

    def _check_reserved(self, reserved: ReservedConcurrency) -> None:
        """No function may be able to starve another one, and Lambda must accept the reservations."""
        least = {
            "api": 1,
            "watcher": RUNS_PER_RANGE * self.watchers,
            "sweeper": RUNS_PER_RANGE * self.sweepers,
            "reconciler": 1,
            "redriver": RUNS_PER_RANGE,
            "dead_letter": DEAD_LETTER_CONCURRENCY * len(QueueName),
        }
        for name, runs in least.items():
            if getattr(reserved, name) < runs:
                raise ValueError(f"the reserved concurrency of {name} must be at least {runs}")
        needed = reserved.total + max(LEAST_UNRESERVED, self.lane_concurrency.total)
        if needed > self.account_concurrency:
            raise ValueError(
                f"reserved concurrency and lanes need {needed} concurrent executions, and the account has "
                f"{self.account_concurrency}: raise its quota, lower the lanes, or reserve nothing"
            )

    def _check_retention(self) -> None:
        """A message or an idempotency key must never outlive the record that it refers to."""
        if self.retention_days <= IDEMPOTENCY_DAYS:
            raise ValueError(f"records must outlive idempotency keys: more than {IDEMPOTENCY_DAYS} days")
        if not 1 <= self.queue_retention_days < self.dead_letter_retention_days <= 14:
            raise ValueError(
                "dead-letter retention must exceed the lane's retention, and neither may exceed 14 days"
            )
        if self.audit_retention_days < self.retention_days:
            raise ValueError("audit records must outlive the records that they describe")
        if self.retention_days <= self.dead_letter_retention_days:
            raise ValueError("records must outlive every message that names them")

    @property
    def prefix(self) -> str:
        return f"punctual-{self.name}"


def cloud_stage(name: str, region: str, account: str | None = None) -> StageConfig:
    return StageConfig(
        name=name,
        region=region,
        account=account,
        shard_plan=(ShardEpoch(since="2026-01-01T00:00Z", normal=4, quarter=8, midnight=16),),
        watchers=2,
        sweepers=2,
        lane_concurrency=LaneConcurrency(
            critical=300, standard=300, bulk=100, slow_critical=50, slow_standard=50, slow_bulk=20
        ),
    )


def local_stage() -> StageConfig:
    """Return the local stage: the same handlers in the emulator.

    Callbacks to loopback allowed, data unprotected.
    """
    return StageConfig(
        name="local",
        region="us-east-1",
        account="000000000000",
        shard_plan=(ShardEpoch(since="2026-01-01T00:00Z", normal=2, quarter=2, midnight=2),),
        watchers=1,
        sweepers=1,
        lane_concurrency=LaneConcurrency(
            critical=4, standard=4, bulk=2, slow_critical=2, slow_standard=2, slow_bulk=2
        ),
        bundle="host",
        default_quotas=DefaultQuotas(
            recurring_jobs=100_000,
            creates_per_second=10_000,
            requests_per_second=100_000,
            due_per_minute=1_000_000,
        ),
        reserved=None,
        dial_exceptions=("127.0.0.0/8", "::1/128"),
        protect_data=False,
        emulated=True,
    )
