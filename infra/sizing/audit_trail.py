"""What the audit trail uses in a month: ticks, the reads of each hour in three passes, and one segment an hour."""

from infra.components.function_specs import AUDITOR_MEMORY_MB
from infra.config import StageConfig
from infra.sizing import figures
from infra.sizing.batches import core_share
from infra.sizing.usage import GB, MB_PER_GB, MINUTES, Usage

HOURS = MINUTES / 60
EVERY_MINUTES = 5
HEADER_BYTES = 250
DAYS_PER_MONTH = 30


def audit_usage(stage: StageConfig) -> Usage:
    """Of a month, in which as many segments end as begin."""
    if not stage.audit_lock_days:
        return Usage()
    runs = MINUTES / EVERY_MINUTES
    request_ms = figures.latency("query_page") + figures.cpu("request") / core_share(AUDITOR_MEMORY_MB)
    queries = HOURS * figures.AUDIT_HOUR_READS.value
    runs_of_sandbox = figures.SANDBOX_HOURS.value * 60 / EVERY_MINUTES
    tick_ms = (
        figures.latency("cold_start") / runs_of_sandbox + (figures.AUDIT_TICK_GETS.value + 1) * request_ms
    )
    segment_bytes = HEADER_BYTES + figures.AUDIT_HOUR_RECORDS.value * figures.AUDIT_RECORD_BYTES.value
    stored_hours = stage.audit_lock_days * 24
    return Usage(
        write_units=HOURS * figures.AUDIT_HOUR_WRITES.value,
        read_units=queries + runs,
        lambda_requests=runs,
        gb_seconds=(runs * tick_ms + queries * request_ms) / 1_000 * AUDITOR_MEMORY_MB / MB_PER_GB,
        log_gb=runs * figures.TICK_LOG_BYTES.value / GB,
        object_puts=HOURS,
        object_gets=runs * figures.AUDIT_TICK_GETS.value + 2 * HOURS,
        object_storage=stored_hours * segment_bytes / GB,
    )
