"""What the archive uses in a month without jobs: ticks, and passes over empty hours."""

from infra.components.function_specs import ARCHIVER_MEMORY_MB
from infra.config import StageConfig
from infra.sizing import figures
from infra.sizing.batches import core_share
from infra.sizing.usage import DAYS_PER_MONTH, GB, MB_PER_GB, MINUTES, Usage

HOURS = MINUTES / 60
EVERY_MINUTES = 5
GROUP_SHARDS = 4
"""As in shared/domain/archive/unit.py."""
HOURS_PER_DAY = 24


def archive_usage(stage: StageConfig, shards: float) -> Usage:
    """Of a month; `shards` is the mean number of shards of a minute. An empty hour has no file."""
    if not stage.archivers:
        return Usage()
    runs = stage.archivers * MINUTES / EVERY_MINUTES
    queries = figures.ARCHIVE_PASSES.value * shards * MINUTES
    units = units_per_hour(stage) * HOURS
    request_ms = figures.latency("query_page") + figures.cpu("request") / core_share(ARCHIVER_MEMORY_MB)
    runs_of_sandbox = figures.SANDBOX_HOURS.value * 60 / EVERY_MINUTES
    tick_ms = figures.latency("cold_start") / runs_of_sandbox + figures.ARCHIVE_TICK_READS.value * request_ms
    return Usage(
        # Each tick of the first archiver notes which hours were passed.
        write_units=units * figures.ARCHIVE_UNIT_WRITES.value + HOURS + MINUTES / EVERY_MINUTES,
        read_units=queries
        + runs * figures.ARCHIVE_TICK_READS.value
        + HOURS * figures.ARCHIVE_DAY_READS.value,
        lambda_requests=runs,
        gb_seconds=(runs * tick_ms + queries * request_ms) / 1_000 * ARCHIVER_MEMORY_MB / MB_PER_GB,
        log_gb=runs * figures.TICK_LOG_BYTES.value / GB,
        object_puts=units * figures.ARCHIVE_UNIT_PUTS.value,
        object_gets=units * figures.ARCHIVE_UNIT_GETS.value + HOURS * figures.ARCHIVE_SAMPLE_GETS.value,
    )


def statistics_usage(stage: StageConfig, tenants: float) -> Usage:
    """Of a month in which these tenants have executions in each hour and group of shards."""
    if not stage.archivers:
        return Usage()
    items = (tenants + 1) * units_per_hour(stage) * HOURS
    kept = items * figures.HISTORY_ITEM_BYTES.value / GB * stage.archive_days / DAYS_PER_MONTH
    days = (tenants + 1) * DAYS_PER_MONTH * figures.DAY_COUNTS.value
    return Usage(write_units=figures.ARCHIVE_PASSES.value * items + days, storage=kept, backup=kept)


def units_per_hour(stage: StageConfig) -> float:
    """On average: midnight UTC has more groups of shards than the other hours."""
    epoch = stage.shard_plan[-1]
    usual, midnight = (
        -(-max(counts) // GROUP_SHARDS) for counts in ((epoch.normal, epoch.quarter), epoch.counts)
    )
    return (usual * (HOURS_PER_DAY - 1) + midnight) / HOURS_PER_DAY
