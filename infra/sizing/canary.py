"""What the canary uses in a month: its two functions, its jobs and its metrics."""

from infra.components.function_specs import CANARY_MEMORY_MB
from infra.config import StageConfig
from infra.sizing import figures
from infra.sizing.traffic import Item
from infra.sizing.usage import GB, MB_PER_GB, MINUTES, Execution, Kind, Usage
from shared.names import CANARY_CALLS_PER_CYCLE, CANARY_CYCLE_MINUTES

BODY_BYTES = 23
CYCLES = MINUTES / CANARY_CYCLE_MINUTES
_REQUESTS = MINUTES
_CALLS = CYCLES * CANARY_CALLS_PER_CYCLE


def canary_usage(stage: StageConfig) -> Usage:
    """Of a month, if no call fails. Each job has a batch of its own."""
    return sum((_jobs(stage), _functions()), _fixed())


def _fixed() -> Usage:
    return Usage(metrics=figures.CANARY_METRICS.value, alarm_metrics=figures.CANARY_ALARMS.value)


def _jobs(stage: StageConfig) -> Usage:
    """A cycle has three creations and four calls: a recurring job has two runs."""

    def of(kind: Kind) -> Usage:
        return Execution(
            kind=kind,
            item=Item(BODY_BYTES),
            keyed=1,
            jobs_per_batch=1,
            retention_days=stage.retention_days,
            archive_days=stage.archive_days,
            memory=stage.memory,
        ).usage

    cycle = (of(Kind.DUE_SOON), of(Kind.ONE_OFF), of(Kind.DUE_SOON), of(Kind.MINUTELY))
    writes = CANARY_CYCLE_MINUTES * figures.CANARY_LEASES.value + figures.CANARY_RECURRING_WRITES.value
    return sum(cycle, Usage(write_units=writes)) * CYCLES


def _functions() -> Usage:
    """Runs, and the lines that they log. A prober's request leaves AWS for its public address."""
    seconds = (_REQUESTS * figures.PROBER_MS.value + _CALLS * figures.CANARY_RECEIVER_MS.value) / 1_000
    # A call has a line of its metric, and one of its path.
    lines = _REQUESTS + 2 * _CALLS
    return Usage(
        lambda_requests=_REQUESTS + _CALLS,
        gb_seconds=seconds * CANARY_MEMORY_MB / MB_PER_GB,
        log_gb=lines * figures.TICK_LOG_BYTES.value / GB,
        transfer_gb=_REQUESTS * figures.CALL_BYTES.value / GB,
    )
