"""Configuration of one deployment: every choice that may differ between two stages is a field here.

A stage is one frozen value that checks its own invariants, so that a configuration which would break a promise
(work that expires before it can be retried, shards that disappear from under their jobs) fails at synth.
"""

import re
from dataclasses import dataclass
from typing import Literal

from infra.components.shard_plan import ShardEpoch, check_plan, fewest_shards
from shared.names import QueueName

BundleMode = Literal["cloud", "host"]
"""`cloud`: sources and wheels for Lambda; `host`: sources alone, the emulator's interpreter has the rest."""

IDEMPOTENCY_DAYS = 7
"""How long an Idempotency-Key is remembered; the record that it leads to must live longer."""
_NAME = re.compile(r"[a-z][a-z0-9]{0,19}")
_LOG_RETENTION_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneConcurrency:
    """The most executors that each queue may have at work at once."""

    critical: int
    standard: int
    bulk: int
    slow_critical: int
    slow_standard: int
    slow_bulk: int

    def __post_init__(self) -> None:
        """Refuse what an SQS event source does not accept."""
        if not all(2 <= self.of(queue) <= 1000 for queue in QueueName):
            raise ValueError("the concurrency of a lane must be 2 to 1000")

    def of(self, queue: QueueName) -> int:
        """The limit of one queue."""
        limit: int = getattr(self, queue.name.lower())
        return limit


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMemory:
    """Memory in MB, and with it CPU: 1,769 MB is one whole core."""

    api: int = 1024
    watcher: int = 1769
    sweeper: int = 1024
    executor: int = 1769
    dead_letter: int = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultQuotas:
    """What each tenant may have, unless an operator gives it other limits; the API names them alike."""

    recurring_jobs: int = 1_000
    creates_per_second: int = 100
    due_per_minute: int = 60_000
    payload_bytes: int = 262_144
    tags: int = 10
    api_keys: int = 10
    concurrency: int = 100_000
    """This and the others that are asked at each call: 100,000 means no limit, and costs nothing."""
    calls_per_second: int = 100_000
    destination_concurrency: int = 100_000
    destination_calls_per_second: int = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StageConfig:
    """One deployment of Punctual into one region of one account."""

    name: str
    region: str
    account: str | None
    """None leaves it to the credentials of whoever deploys."""
    shard_plan: tuple[ShardEpoch, ...]
    """Grow-only: an epoch is appended, never changed, since items already lie in the shards that it names."""
    watchers: int
    """How many ranges the shards of a bucket are split into, each with its own tick."""
    lane_concurrency: LaneConcurrency
    retention_days: int = 14
    """How long a finished execution stays readable."""
    queue_retention_days: int = 4
    dead_letter_retention_days: int = 10
    """Longer than the lanes': SQS counts the age of a message that it moved from when it was first sent."""
    default_quotas: DefaultQuotas = DefaultQuotas()
    audit_retention_days: int = 400
    """How long the record of a change stays readable."""
    audit_one_offs: bool = False
    """Put the creation of one-off jobs into the audit table too: two more write units a job. The log of the API has
    it anyway, for as long as logs are kept."""
    memory: FunctionMemory = FunctionMemory()
    log_retention_days: int = 30
    log_level: str = "INFO"
    api_rate_limit: int = 1000
    """Requests a second that the gateway lets through, over all tenants."""
    api_burst_limit: int = 2000
    bundle: BundleMode = "cloud"
    dial_exceptions: tuple[str, ...] = ()
    """CIDRs of non-public addresses that callbacks may reach."""
    api_domains: tuple[str, ...] = ()
    """Host names that lead to the API besides its own: custom domains, proxies. No job may call them."""
    protect_data: bool = True
    """Retain tables and key, and refuse to delete them; off only where the data is meant to be thrown away."""
    alarm_topic_arn: str | None = None
    """An existing SNS topic for the alarms to notify; None creates one."""
    emulated: bool = False
    """Bend to the local emulator: no alarms on expressions, no demand for TLS, no condition on the key's use."""

    def __post_init__(self) -> None:
        """Refuse a stage that could not keep the promises, or that AWS would refuse half way."""
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"a stage is named by 1 to 20 lower-case letters and digits, not {self.name!r}")
        if self.log_retention_days not in _LOG_RETENTION_DAYS:
            raise ValueError(f"CloudWatch Logs keeps for one of {_LOG_RETENTION_DAYS} days")
        check_plan(self.shard_plan)
        if not 1 <= self.watchers <= fewest_shards(self.shard_plan):
            raise ValueError("each watcher needs at least one shard of every bucket")
        self._check_retention()

    def _check_retention(self) -> None:
        """A message or a remembered key must never outlive the record that it leads to."""
        if self.retention_days <= IDEMPOTENCY_DAYS:
            raise ValueError(f"records must outlive idempotency keys: more than {IDEMPOTENCY_DAYS} days")
        if not 1 <= self.queue_retention_days < self.dead_letter_retention_days <= 14:
            raise ValueError("a dead-letter queue keeps longer than its lane, and neither over 14 days")
        if self.audit_retention_days < self.retention_days:
            raise ValueError("the record of a change must outlive what was changed")
        if self.retention_days <= self.dead_letter_retention_days:
            raise ValueError("records must outlive every message that names them")

    @property
    def prefix(self) -> str:
        """What the names of this stage's stacks begin with."""
        return f"punctual-{self.name}"


def cloud_stage(name: str, region: str, account: str | None = None) -> StageConfig:
    """A stage in AWS, its data protected."""
    return StageConfig(
        name=name,
        region=region,
        account=account,
        shard_plan=(ShardEpoch(since="2026-01-01T00:00Z", normal=4, quarter=8, midnight=16),),
        watchers=2,
        lane_concurrency=LaneConcurrency(
            critical=300, standard=300, bulk=100, slow_critical=50, slow_standard=50, slow_bulk=20
        ),
    )


def local_stage() -> StageConfig:
    """The laptop's stage: the same handlers in the emulator, callbacks to loopback allowed, nothing protected."""
    return StageConfig(
        name="local",
        region="us-east-1",
        account="000000000000",
        shard_plan=(ShardEpoch(since="2026-01-01T00:00Z", normal=2, quarter=2, midnight=2),),
        watchers=1,
        lane_concurrency=LaneConcurrency(
            critical=4, standard=4, bulk=2, slow_critical=2, slow_standard=2, slow_bulk=2
        ),
        bundle="host",
        default_quotas=DefaultQuotas(
            recurring_jobs=100_000, creates_per_second=10_000, due_per_minute=1_000_000
        ),
        dial_exceptions=("127.0.0.0/8", "::1/128"),
        protect_data=False,
        emulated=True,
    )
