"""The arithmetic of a stage: which share of its limit each component needs at the rates of the stage.

Rates and limits are documented or computed ones; docs/design/capacity.md explains each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from infra.components.shard_plan import fewest_shards
from infra.concurrency import Pollers, executors_of
from infra.provisioned import UnitsPerSecond
from infra.sizing import figures
from infra.sizing.batches import batch_seconds
from shared.names import EXECUTOR_BATCH, LEDGER_PARTITIONS, QueueName

if TYPE_CHECKING:
    from infra.config import StageConfig

HEAD_ROOM = 0.7
"""The share of its limit that a component may need."""
WATCHER_JOBS = 3_800
"""Jobs that a watcher finds and sends in a second if each belongs to another tenant: 5,700, in the two thirds of a
minute in which it holds no message for a send window."""
SWEEPER_ROWS = 6_000
SWEPT_ROWS_PER_JOB = 4
"""Scans of a row if every shard has failures: after 10 s, 1 min, 5 min and 30 min."""
POLLER_MESSAGES = 100
"""Messages that a provisioned poller receives in a second: ten batches of ten."""
KEY_WRITES = int(figures.KEY_WRITES.value)
WRITES_WHEN_CREATED_NEAR, WRITES_WHEN_DUE = 3, 2
"""Writes of a job to its shard in one minute: its claim and outcome, and its creation if that is near."""
READS_PER_JOB = 1.5
"""Read units of a job: one scan of a watcher, four of sweepers and one of the reconciler, four rows a unit."""
PAGE_READS = 50
"""Read units of a page of a list with a filter; an index with a reserve bears one each second."""
API_SECONDS_PER_REQUEST, API_SECONDS_PER_JOB = 0.04, 0.005
PAGE_ROWS = 500
LEDGER_WRITES_PER_SHARD = 9
"""Writes to the ledger row of a shard, apart from one for each page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSize:
    """What a job takes. The defaults are those of the presets: items of less than 1 KB, calls of 100 ms."""

    write_units: int = 1
    """Of one write of its item."""
    read_units: float = READS_PER_JOB
    callback_ms: float = figures.CALLBACK_MS.value

    def executor_jobs(self, memory_mb: int) -> float:
        """Such jobs that an executor finishes in a second: batches of ten messages with one key each."""
        return EXECUTOR_BATCH / batch_seconds(
            EXECUTOR_BATCH, callback_ms=self.callback_ms, memory_mb=memory_mb
        )


PRESET_JOB = JobSize()


def watchers_needed(jobs_per_second: int, due_in_one_minute: int) -> int:
    """The watchers that find and send the jobs of the busiest minute, with head room."""
    return ceil(peak(jobs_per_second, due_in_one_minute) / (WATCHER_JOBS * HEAD_ROOM))


def peak(jobs_per_second: int, due_in_one_minute: int) -> float:
    """The jobs per second that are due in the busiest minute."""
    return max(jobs_per_second, due_in_one_minute / 60)


def reserves(
    jobs_per_second: int, due_in_one_minute: int, job: JobSize = PRESET_JOB
) -> dict[str, UnitsPerSecond]:
    """The least units of the executions table and its indexes, by name: those of the busiest minute, with head room."""
    taken = _units_taken(job, jobs_per_second, peak(jobs_per_second, due_in_one_minute))
    return {name: UnitsPerSecond(*(_with_head_room(units) for units in pair)) for name, pair in taken.items()}


def _units_taken(job: JobSize, steady: float, busiest: float) -> dict[str, tuple[float, float]]:
    """Reads and writes per second while the busiest minute runs and other jobs are created at the steady rate."""
    in_table = job.write_units * (WRITES_WHEN_DUE * busiest + steady)
    # A new job writes one entry. If a receiver fails, each job writes one entry to the index of failures.
    return {
        "executions": (job.read_units * busiest, in_table),
        "by_tenant": (PAGE_READS, steady),
        "failed": (PAGE_READS, steady),
    }


def _with_head_room(units: float) -> int:
    return ceil(round(units / HEAD_ROOM, 6))


def shares(stage: StageConfig, job: JobSize = PRESET_JOB) -> dict[str, float]:
    """The share of its limit that each component needs, by the name of the component."""
    steady, busiest = stage.jobs_per_second, peak(stage.jobs_per_second, stage.due_in_one_minute)
    return {
        "watchers": busiest / (stage.watchers * WATCHER_JOBS),
        "sweepers": _busiest_sweeper(stage) * SWEPT_ROWS_PER_JOB * steady / SWEEPER_ROWS,
        **_table_shares(stage, job, steady, busiest),
        **_lane_shares(stage, job, busiest),
        **_api_shares(stage, steady),
    }


def _busiest_sweeper(stage: StageConfig) -> float:
    """The part of the ledger that one sweeper has at most: partitions are not divided."""
    return ceil(LEDGER_PARTITIONS / stage.sweepers) / LEDGER_PARTITIONS


def _table_shares(stage: StageConfig, job: JobSize, steady: float, busiest: float) -> dict[str, float]:
    shards = fewest_shards(stage.shard_plan)
    in_shard = job.write_units * max(WRITES_WHEN_CREATED_NEAR * steady, WRITES_WHEN_DUE * busiest) / shards
    pages = ceil(busiest * 60 / shards / PAGE_ROWS)
    ledger = (pages + LEDGER_WRITES_PER_SHARD) * ceil(shards / LEDGER_PARTITIONS) / 60
    bears, (reads, writes) = stage.at_once, _units_taken(job, steady, busiest)["executions"]
    return {
        "shard": in_shard / KEY_WRITES,
        "ledger partition": ledger / KEY_WRITES,
        "executions, writes": writes / bears["executions"].writes,
        "executions, reads": reads / bears["executions"].reads,
        "index by tenant, writes": steady / bears["by_tenant"].writes,
    }


def _lane_shares(stage: StageConfig, job: JobSize, busiest: float) -> dict[str, float]:
    """The standard lane bears all jobs, each in a message of its own."""
    source = stage.lane_concurrency.of(QueueName.STANDARD)
    executors = executors_of(source)
    jobs_per_second = job.executor_jobs(stage.memory.of_executor(QueueName.STANDARD))
    found = {
        "standard lane": busiest / (executors * jobs_per_second),
        "messages in flight": executors * EXECUTOR_BATCH / figures.IN_FLIGHT.value,
    }
    if isinstance(source, Pollers):
        found["pollers"] = busiest / (source.maximum * POLLER_MESSAGES)
    return found


def _api_shares(stage: StageConfig, steady: float) -> dict[str, float]:
    requests = steady / stage.jobs_per_request
    busy = requests * API_SECONDS_PER_REQUEST + steady * API_SECONDS_PER_JOB
    found = {"gateway": requests / stage.api_rate_limit}
    if stage.reserved is not None:
        found["api"] = busy / stage.reserved.api
    return found
