"""Configuration of a deployment: every setting that may differ between two stages is a field here.

A stage is an immutable value that checks its invariants. A configuration that would break a guarantee, such
as records that expire before their retries or shards that disappear, therefore fails at synth.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, get_args

from infra.alarm_targets import AlarmTargets
from infra.api_domain import ApiDomain
from infra.capacity import reserves, watchers_needed
from infra.components.shard_plan import ShardEpoch, archivers_of, check_plan, fewest_shards
from infra.concurrency import LaneConcurrency, ReservedConcurrency, check_account
from infra.default_quotas import DefaultQuotas
from infra.event_bus import EventBusConfig
from infra.executor_memory import LaneMemory, check_memory
from infra.origins import check_origins
from infra.pipeline import Pipeline
from infra.provisioned import MaximumUnits, Provisioned, UnitsPerSecond
from infra.retention_days import check_retention
from infra.target_roles import check_target_roles
from infra.token_keys import check_token_keys
from infra.warm_throughput import Units, WarmThroughput
from shared.names import LEDGER_PARTITIONS, LIVE_SEGMENTS, QueueName, Transport

BundleMode = Literal["cloud", "host"]
"""`cloud`: sources and wheels for Lambda; `host`: sources only, the emulator's interpreter has the
dependencies."""

Rollout = Literal["canary", "at_once"]
LockMode = Literal["governance", "compliance"]
"""How a release reaches the API's clients: `canary` gives it a tenth of the requests for ten minutes first, and
goes back on an alarm; `at_once` switches all requests, also while an alarm is active."""

_NAME = re.compile(r"[a-z][a-z0-9]{0,19}")
_CELL = re.compile(r"[0-9a-hjkmnp-tv-z]")
_LOG_RETENTION_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMemory:
    """Memory in MB, which also sets the CPU share: 1,769 MB is one full core."""

    api: int = 1024
    watcher: int = 1769
    sweeper: int = 1024
    redriver: int = 1769
    executor: int = 1769
    """Of each lane without memory of its own. Less costs less while calls wait, and stretches cold starts."""
    lanes: LaneMemory = field(default_factory=LaneMemory)
    dead_letter: int = 512

    def __post_init__(self) -> None:
        """Raise ValueError for memory that Lambda refuses, or that a full batch could exhaust."""
        for each in fields(self):
            if each.name != "lanes":
                check_memory(each.name, getattr(self, each.name))

    def of_executor(self, queue: QueueName) -> int:
        """Of the executors of one queue."""
        return self.lanes.of(queue) or self.executor


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
    reconcilers: int = 1
    """Number of ranges of the definitions that have not ended; each range has its own tick."""
    jobs_per_second: int = 100
    """The steady rate for which the stage is laid out."""
    due_in_one_minute: int = 60_000
    """The most jobs that are due in one minute, of all tenants."""
    jobs_per_request: int = 1
    """Jobs that a request creates on average; more than one in batches."""
    warm_throughput: WarmThroughput | None = None
    """None leaves a new table with what DynamoDB gives to each, which grows to twice the peak of 30 minutes.
    Provisioned units need none: DynamoDB warms a table for its minimum."""
    provisioned: Provisioned | None = None
    """Units of the executions table with autoscaling. None bills the table on demand."""
    maximum_units: MaximumUnits | None = None
    """A fuse for the bill on demand: above these units, DynamoDB throttles. None leaves the account's quota."""
    account_concurrency: int = 1_000
    """Concurrent executions of the account in this region that belong to this stage."""
    account_concurrency_quota: int | None = None
    """The account's Lambda quota, which other programs share. None says that it is `account_concurrency`."""
    reserved: ReservedConcurrency | None = field(default_factory=ReservedConcurrency)
    """None reserves nothing, for new accounts with 10: executors can then starve the ticks and the API."""
    retention_days: int = 14
    """How long a finished execution stays readable."""
    queue_retention_days: int = 4
    dead_letter_retention_days: int = 10
    """Longer than the lanes' retention, because SQS counts a moved message's age from its first send."""
    default_quotas: DefaultQuotas = field(default_factory=DefaultQuotas)
    audit_retention_days: int = 400
    """How long an audit record stays readable."""
    archive_days: int = 400
    """How long an archived execution is kept, from its hour. 0 archives none."""
    audit_lock_days: int = 400
    """For how long S3 locks each segment of the audit trail. 0 keeps none: the table alone has the records."""
    audit_lock_mode: LockMode = "governance"
    """In governance mode, people with `s3:BypassGovernanceRetention` can end a lock; in compliance mode no caller can,
    the owner of the account included."""
    audit_one_offs: bool = False
    """Whether the audit table also records one-off jobs, at two more write units each. The API's log does so anyway."""
    memory: FunctionMemory = FunctionMemory()
    log_retention_days: int = 30
    log_level: str = "INFO"
    transport: Transport = Transport.HTTP
    """What carries calls of AWS. boto3 takes more processor time, and knows proxies, FIPS and dual-stack endpoints."""
    api_rate_limit: int = 1000
    """Requests per second that the gateway accepts, over all tenants."""
    api_burst_limit: int = 2000
    api_rollout: Rollout = "canary"
    bundle: BundleMode = "cloud"
    dial_exceptions: tuple[str, ...] = ()
    """CIDRs of non-public addresses that callbacks may reach."""
    event_bus: EventBusConfig | None = None
    """The bus whose events start jobs of tenants. None has none."""
    target_roles: str | None = None
    """The pattern of the roles that executors may assume, for targets of tenants in AWS. None lets them assume none."""
    token_keys: tuple[int, ...] = ()
    """The numbers of the keys of identity tokens, of which the first signs. Without any, calls have no such tokens."""
    domain: ApiDomain | None = None
    """The custom domain of the API, which outlives a new API. None leaves the endpoint of API Gateway alone."""
    api_domains: tuple[str, ...] = ()
    """Additional host names of the API, such as those of proxies. No job may call them."""
    console_origin: str | None = None
    """Where people open the console, if it is not where clients call the API: alerts link to it."""
    cors_origins: tuple[str, ...] = ()
    """Origins whose web pages may call the API from a browser, or `*`. Without any, browsers refuse to."""
    protect_data: bool = True
    """Retain the tables and the key and refuse their deletion; disable only for disposable data."""
    canary: bool = False
    """Whether a job of each minute probes the public path, from the API to a receiver of the stage. Its secrets must
    exist before: docs/operations/canary.md."""
    dashboard: bool = True
    """Whether the stage has a CloudWatch dashboard, which AWS bills by the month."""
    contributor_insights: bool = False
    """Whether CloudWatch ranks tenants and DynamoDB ranks throttled keys, by rules that AWS bills by the month."""
    alarm_targets: AlarmTargets = field(default_factory=AlarmTargets)
    """Who receives the alarms: addresses, which subscribe to a topic of the stack, or a topic that exists."""
    monthly_dollars: int | None = None
    """The budget of a month. Above it, AWS writes to the e-mail addresses of the alarms, or to their topic that
    exists. None watches no costs."""
    pipeline: Pipeline | None = None
    """Whose workflows may deploy the stage. None leaves that to people."""
    tags: tuple[tuple[str, str], ...] = ()
    """Tags of all resources, beside `punctual:stage`."""
    emulated: bool = False
    """Leave out what the emulator cannot deploy: docs/design/deviations.md has each part."""

    def __post_init__(self) -> None:
        """Raise ValueError for a stage that breaks a guarantee, or whose deployment AWS would reject.

        Messages name the keys of a stage file.
        """
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"a stage is named by 1 to 20 lower-case letters and digits, not {self.name!r}")
        if not _CELL.fullmatch(self.cell):
            raise ValueError(
                f"cell is one digit, or one small letter but i, l, o and u, such as '0', not {self.cell!r}"
            )
        if self.api_rollout not in get_args(Rollout):
            raise ValueError(
                f"api_rollout is one of {', '.join(get_args(Rollout))}, not {self.api_rollout!r}"
            )
        if self.audit_lock_mode not in get_args(LockMode):
            raise ValueError(
                f"audit_lock_mode is one of {', '.join(get_args(LockMode))}, not {self.audit_lock_mode!r}"
            )
        if self.log_retention_days not in _LOG_RETENTION_DAYS:
            days = ", ".join(map(str, _LOG_RETENTION_DAYS))
            raise ValueError(f"log_retention_days is one of {days}, not {self.log_retention_days}")
        self._check_parts()
        self._check_capacity()
        check_retention(
            queue=self.queue_retention_days,
            dead_letters=self.dead_letter_retention_days,
            records=self.retention_days,
            audit=self.audit_retention_days,
            archive=self.archive_days,
        )
        check_target_roles(self.target_roles)
        check_token_keys(self.token_keys, has_issuer=self.domain is not None or self.emulated)
        check_origins(cors=self.cors_origins, console=self.console_origin)
        if self.domain is not None:
            self.domain.check(self.region, self.account)
        self.alarm_targets.check(self.region)
        if self.monthly_dollars is not None:
            self.alarm_targets.check_for_budget()
        if self.concurrency_quota < self.account_concurrency:
            raise ValueError(
                f"account_concurrency_quota is at least account_concurrency, {self.account_concurrency}, not "
                f"{self.concurrency_quota}: the stage has a part of the account's quota"
            )
        if self.reserved is not None:
            self.reserved.check(self.watchers, self.sweepers, self.reconcilers)
            check_account(self.reserved, self.lane_concurrency, self.account_concurrency, canary=self.canary)
        elif self.canary:
            # Anyone may call the receiver.
            raise ValueError(
                "canary needs reserved concurrency, which bounds the calls of strangers: remove "
                "reserved = false, or write canary = false"
            )

    def _check_parts(self) -> None:
        check_plan(self.shard_plan)
        fewest = fewest_shards(self.shard_plan)
        if not 1 <= self.watchers <= fewest:
            raise ValueError(
                f"watchers is 1 to {fewest}, the fewest shards of a bucket, not {self.watchers}: each needs a shard"
            )
        needed = watchers_needed(self.jobs_per_second, self.due_in_one_minute)
        if self.watchers < needed:
            raise ValueError(
                f"watchers is at least {needed} for jobs_per_second and due_in_one_minute of the stage, "
                f"not {self.watchers}"
            )
        if not 1 <= self.sweepers <= LEDGER_PARTITIONS:
            raise ValueError(f"sweepers is 1 to {LEDGER_PARTITIONS}, not {self.sweepers}")
        if not 1 <= self.reconcilers <= LIVE_SEGMENTS:
            raise ValueError(f"reconcilers is 1 to {LIVE_SEGMENTS}, not {self.reconcilers}")

    def _check_capacity(self) -> None:
        needed = reserves(self.jobs_per_second, self.due_in_one_minute)
        if self.provisioned is not None:
            # A burst beyond the minimum is throttled for minutes, until autoscaling has followed.
            self.provisioned.check(needed)
        if self.maximum_units is not None:
            if self.provisioned is not None:
                raise ValueError(
                    "capacity.maximum bounds a table on demand: remove it, because capacity.provisioned has "
                    "maximum units of its own"
                )
            self.maximum_units.check(needed["executions"])

    @property
    def concurrency_quota(self) -> int:
        """The concurrent executions of the whole account."""
        return self.account_concurrency_quota or self.account_concurrency

    @property
    def archivers(self) -> int:
        """Number of ranges of the groups of shards; each range has its own tick."""
        return archivers_of(self.shard_plan) if self.archive_days else 0

    @property
    def warm(self) -> WarmThroughput:
        """What the executions table and its indexes bear before any load has warmed them."""
        return self.warm_throughput or WarmThroughput(executions=Units())

    @property
    def at_once(self) -> Mapping[str, UnitsPerSecond]:
        """Units that the executions table and its indexes bear without a wait for DynamoDB or autoscaling."""
        if self.provisioned is not None:
            return {name: units.at_least for name, units in self.provisioned.by_name.items()}
        warm = {each.name: getattr(self.warm, each.name) for each in fields(self.warm)}
        return {name: UnitsPerSecond(reads=units.reads, writes=units.writes) for name, units in warm.items()}

    @property
    def all_tags(self) -> Mapping[str, str]:
        """The tags of both stacks, which CloudFormation puts on their resources."""
        return {**dict(self.tags), "punctual:stage": self.name}

    @property
    def prefix(self) -> str:
        return f"punctual-{self.name}"
