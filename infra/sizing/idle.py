"""What a stage uses in a month without jobs: ticks, polls of empty queues, alarms, metrics and the key."""

from collections.abc import Iterator
from dataclasses import dataclass

from infra.components.shard_plan import ShardEpoch
from infra.concurrency import Pollers, Source
from infra.config import StageConfig
from infra.sizing import figures
from infra.sizing.archive import archive_usage
from infra.sizing.audit_trail import audit_usage
from infra.sizing.batches import core_share
from infra.sizing.canary import canary_usage
from infra.sizing.usage import GB, MB_PER_GB, MINUTES, Usage
from shared.names import LEDGER_PARTITIONS, QueueName

MINUTES_PER_DAY = 1_440
QUARTER_MINUTES = 3 * 24 - 1
"""Minutes a day at :00, :15 and :30, but for midnight."""
EVENT_BUS_ALARMS = 4
"""`DeadEvents`, `EventsInFlight`, `EventsFailing`, and the errors of the receiver."""
WATCHED_BUCKETS = 3
"""A shard is taken in each of these minutes before it is over, and scanned and finished in the first."""


def shards_of(epoch: ShardEpoch) -> float:
    """The mean number of shards of a minute."""
    normal = MINUTES_PER_DAY - QUARTER_MINUTES - 1
    minutes = normal * epoch.normal + QUARTER_MINUTES * epoch.quarter + epoch.midnight
    return minutes / MINUTES_PER_DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticks:
    """The runs of one function's ticks."""

    ranges: float
    every_minutes: float
    seconds: float
    memory_mb: int

    @property
    def usage(self) -> Usage:
        """Of a month. A sandbox is replaced after some hours, and its first run is a cold start."""
        runs = self.ranges * MINUTES / self.every_minutes
        runs_of_sandbox = figures.SANDBOX_HOURS.value * 60 / self.every_minutes
        seconds = self.seconds + figures.latency("cold_start") / 1_000 / runs_of_sandbox
        return Usage(
            lambda_requests=runs,
            gb_seconds=runs * seconds * self.memory_mb / MB_PER_GB,
            log_gb=runs * figures.TICK_LOG_BYTES.value / GB,
        )


def idle_usage(stage: StageConfig) -> Usage:
    """Of a month without jobs of tenants, dead letters and alarms."""
    shards = shards_of(stage.shard_plan[-1])
    writes = shards * (figures.WATCH_WRITES.value + figures.SWEEP_WRITES.value) + figures.MARK_WRITES.value
    reads = (
        2 * shards
        + stage.watchers
        + stage.sweepers * figures.SWEEPER_READS.value
        + figures.LEDGER_READS.value
        + figures.REDRIVER_READS.value
    )
    requests = Usage(
        write_units=writes * MINUTES,
        read_units=reads * MINUTES,
        sqs_requests=_polls(stage) * MINUTES,
    )
    fixed = requests + monthly_usage(stage) + archive_usage(stage, shards) + audit_usage(stage)
    used = sum((ticks.usage for ticks in _ticks(stage, shards)), fixed)
    return used + canary_usage(stage) if stage.canary else used


def monthly_usage(stage: StageConfig) -> Usage:
    """What is billed by the month, whatever the stage does; the canary's part is its own."""
    return Usage(
        kms_keys=1,
        metrics=figures.IDLE_METRICS.value + bool(stage.archive_days) + bool(stage.audit_lock_days),
        alarm_metrics=figures.ALARM_METRICS.value
        + (figures.ARCHIVE_ALARMS.value + stage.archivers if stage.archive_days else 0)
        + (figures.AUDIT_TRAIL_ALARMS.value if stage.audit_lock_days else 0)
        + sum(ticks.ranges for ticks in _ticks(stage, shards=1))
        + (EVENT_BUS_ALARMS if stage.event_bus is not None else 0)
        + (figures.ROLLOUT_ALARM.value if stage.api_rollout == "canary" else 0),
        dashboards=int(stage.dashboard),
        insight_rules=figures.INSIGHT_RULES.value if stage.contributor_insights else 0,
    )


def _ticks(stage: StageConfig, shards: float) -> Iterator[Ticks]:
    memory = stage.memory
    watched, swept = shards / stage.watchers, shards / stage.sweepers
    yield Ticks(
        ranges=stage.watchers,
        every_minutes=1,
        seconds=_seconds(memory.watcher, get=1, write=watched * (WATCHED_BUCKETS + 1), query_page=watched),
        memory_mb=memory.watcher,
    )
    queries = swept + 2 * LEDGER_PARTITIONS / stage.sweepers
    yield Ticks(
        ranges=stage.sweepers,
        every_minutes=1,
        seconds=_seconds(memory.sweeper, get=2, batch_get=1, write=2 * swept, query_page=queries),
        memory_mb=memory.sweeper,
    )
    yield Ticks(
        ranges=1,
        every_minutes=1,
        seconds=_seconds(memory.redriver, query_page=5),
        memory_mb=memory.redriver,
    )
    yield Ticks(
        ranges=stage.reconcilers + 1,
        every_minutes=figures.RECONCILE_SECONDS.value / 60,
        seconds=figures.RECONCILER_IDLE_MS.value / 1_000,
        memory_mb=memory.sweeper,
    )


def _seconds(memory_mb: int, **requests: float) -> float:
    """One request after another, each with its processor time."""
    each_ms = figures.cpu("request") / core_share(memory_mb)
    return sum(count * (figures.latency(name) + each_ms) for name, count in requests.items()) / 1_000


def _polls(stage: StageConfig) -> float:
    """Empty receives a minute, of every queue and its dead-letter queue."""
    dead = figures.IDLE_POLLS_PER_MINUTE.value * len(QueueName)
    events = figures.IDLE_POLLS_PER_MINUTE.value if stage.event_bus is not None else 0
    return dead + events + sum(_polls_of(stage.lane_concurrency.of(queue)) for queue in QueueName)


def _polls_of(source: Source) -> float:
    if isinstance(source, Pollers):
        return source.minimum * figures.POLLER_POLLS_PER_MINUTE.value
    return figures.IDLE_POLLS_PER_MINUTE.value
