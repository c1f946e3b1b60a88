"""What is billed: quantities of one execution, and of a month of a stage without jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum

from infra.capacity import (
    API_SECONDS_PER_JOB,
    API_SECONDS_PER_REQUEST,
    HEAD_ROOM,
    SWEEPER_ROWS,
    SWEPT_ROWS_PER_JOB,
    WATCHER_JOBS,
)
from infra.components.archive_days import COLD_AFTER_DAYS, is_cold
from infra.components.function_specs import ARCHIVER_MEMORY_MB
from infra.config import FunctionMemory
from infra.sizing import figures
from infra.sizing.batches import batch_seconds
from infra.sizing.traffic import Item
from shared.names import EXECUTOR_BATCH, QueueName

GB = 1_000_000_000
MB_PER_GB = 1_024
MINUTES = figures.HOURS_PER_MONTH.value * 60
"""Of a month."""
DAYS_PER_MONTH = figures.HOURS_PER_MONTH.value / 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Quantities that AWS bills, each by a price of its own."""

    table_writes: float = 0
    """Write units of the executions table and its indexes, on demand."""
    table_reads: float = 0
    write_units: float = 0
    """Write units of the other tables."""
    read_units: float = 0
    write_unit_hours: float = 0
    """Provisioned units of the executions table and its indexes, used or not."""
    read_unit_hours: float = 0
    storage: float = 0
    """GB-months in tables and indexes."""
    backup: float = 0
    """GB-months of point-in-time recovery."""
    object_storage: float = 0
    """GB-months in S3."""
    cold_storage: float = 0
    """GB-months in S3 Glacier Instant Retrieval."""
    object_puts: float = 0
    object_gets: float = 0
    lambda_requests: float = 0
    gb_seconds: float = 0
    sqs_requests: float = 0
    fair_requests: float = 0
    """The requests of SQS whose messages name a group."""
    api_requests: float = 0
    kms_requests: float = 0
    kms_keys: float = 0
    log_gb: float = 0
    metrics: float = 0
    alarm_metrics: float = 0
    dashboards: float = 0
    insight_rules: float = 0
    insight_events: float = 0
    """Lines of logs that match a rule of Contributor Insights."""
    transfer_gb: float = 0

    def __add__(self, other: Usage) -> Usage:
        return self._each(lambda name: getattr(self, name) + getattr(other, name))

    def __mul__(self, factor: float) -> Usage:
        return self._each(lambda name: getattr(self, name) * factor)

    def provisioned(self, *, write_unit_hours: float, read_unit_hours: float) -> Usage:
        """The same with provisioned units of the executions table in place of those on demand."""
        return replace(
            self,
            table_writes=0,
            table_reads=0,
            write_unit_hours=write_unit_hours,
            read_unit_hours=read_unit_hours,
        )

    def _each(self, value: Callable[[str], float]) -> Usage:
        return Usage(**{each.name: value(each.name) for each in fields(self)})


class Kind(StrEnum):
    """How an execution comes to be, and who sends its message."""

    ONE_OFF = "one-off, found by a watcher"
    DUE_SOON = "one-off, due within two minutes"
    HOURLY = "run of an hourly job"
    MINUTELY = "run of a minutely job"

    @property
    def is_run(self) -> bool:
        return self in (Kind.HOURLY, Kind.MINUTELY)

    @property
    def is_found(self) -> bool:
        """Whether a watcher sends its message."""
        return self in (Kind.ONE_OFF, Kind.HOURLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution that succeeds at once, with its creation."""

    kind: Kind
    item: Item
    jobs_per_request: float = 1
    keyed: float = 0
    """Share of the requests that carry an Idempotency-Key."""
    jobs_per_batch: float = figures.JOBS_PER_BATCH.value
    tenants: int = 1
    callback_ms: float = figures.CALLBACK_MS.value
    retention_days: float = 14
    archive_days: int = 400
    memory: FunctionMemory = field(default_factory=FunctionMemory)

    @property
    def table_writes(self) -> float:
        """Of the executions table: the item and its entry in the index of its tenant, the claim and the outcome."""
        return self.item.units + 1 + 2 * self.item.units

    @property
    def other_writes(self) -> float:
        """Of the other tables: limits and quotas, idempotency, and a request that is stored apart, by its job."""
        if self.kind.is_run:
            return 0
        key = self.keyed * self.requests * figures.KEYED_WRITES.value
        return figures.CREATION_LEASES.value + key + self.item.payload_units

    @property
    def other_reads(self) -> float:
        """The tenant where a process has not read it lately, and a request that is stored apart."""
        # A batch reads its requests without consistency, for half the units; a job alone in its batch does not.
        request = -(-self.item.payload_size // 4_096) * (1 + 1 / self.jobs_per_batch) / 2
        return request + self._loads(figures.TENANT_LIFETIME_SECONDS.value)

    @property
    def requests(self) -> float:
        """Requests to the API."""
        return 0 if self.kind.is_run else 1 / self.jobs_per_request

    @property
    def sqs_requests(self) -> float:
        """A send, and a receive and a delete of a batch. A watcher fills its sends, the API sends for a request,
        and an executor for its batch."""
        in_send: float = EXECUTOR_BATCH
        if self.kind is Kind.DUE_SOON:
            in_send = min(self.jobs_per_request, EXECUTOR_BATCH)
        elif self.kind is Kind.MINUTELY:
            in_send = self.jobs_per_batch
        return 1 / in_send + 2 / self.jobs_per_batch

    @property
    def usage(self) -> Usage:
        """All quantities of this execution."""
        return self._archived + Usage(
            table_writes=self.table_writes,
            table_reads=self.item.scan_units,
            write_units=self.other_writes,
            read_units=self.other_reads,
            storage=(self._byte_months + self._months * self._index_bytes) / GB,
            backup=self._byte_months / GB,
            lambda_requests=self.requests + 1 / self.jobs_per_batch,
            gb_seconds=self._gb_seconds,
            sqs_requests=self.sqs_requests,
            fair_requests=self.sqs_requests,
            api_requests=self.requests,
            kms_requests=self._loads(figures.SANDBOX_HOURS.value * 3_600),
            log_gb=self._log_bytes / GB,
            transfer_gb=(self.item.body_bytes + figures.CALL_BYTES.value) / GB,
        )

    @property
    def _archived(self) -> Usage:
        """Two passes of the archive, the comparison with the index, and the row for as long as it is kept."""
        if not self.archive_days:
            return Usage()
        warm_days = COLD_AFTER_DAYS if is_cold(self.archive_days) else self.archive_days
        row_gb = figures.ARCHIVE_ROW_BYTES.value / GB
        index_entry = figures.INDEX_ENTRY_BYTES.value / (2 * 4_096)
        passes = figures.ARCHIVE_PASSES.value
        return Usage(
            table_reads=passes * self.item.size / 4_096 + index_entry,
            gb_seconds=passes * figures.ARCHIVE_ROW_MS.value / 1_000 * ARCHIVER_MEMORY_MB / MB_PER_GB,
            object_storage=row_gb * warm_days / DAYS_PER_MONTH,
            cold_storage=row_gb * (self.archive_days - warm_days) / DAYS_PER_MONTH,
        )

    @property
    def provisioned_usage(self) -> Usage:
        """With units that traffic without bursts uses up to the head room. The index of failures has its reserve of
        one write, although this execution succeeds."""
        seconds = 3_600 * HEAD_ROOM
        return self.usage.provisioned(
            write_unit_hours=(self.table_writes + 1) / seconds, read_unit_hours=self.item.scan_units / seconds
        )

    @property
    def _executor_mb(self) -> int:
        """Of the standard lane, where jobs are that name none."""
        return self.memory.of_executor(QueueName.STANDARD)

    @property
    def _batch_seconds(self) -> float:
        cpu = figures.OCCURRENCE_CPU_MS if self.kind.is_run else figures.EXECUTOR_CPU_MS
        return batch_seconds(
            self.jobs_per_batch,
            callback_ms=self.callback_ms,
            cpu_ms=cpu.value,
            memory_mb=self._executor_mb,
            wait_ms=(figures.WINDOW_WAIT_MS if self.kind.is_found else figures.EXECUTOR_WAIT_MS).value,
        )

    @property
    def _api_seconds(self) -> float:
        """With the write of requests that are stored apart, which precedes that of the items."""
        write_seconds = figures.latency("write") / 1_000 if self.item.is_apart else 0
        job_seconds = 0 if self.kind.is_run else API_SECONDS_PER_JOB
        return self.requests * (API_SECONDS_PER_REQUEST + write_seconds) + job_seconds

    @property
    def _gb_seconds(self) -> float:
        memory = self.memory
        seconds = (
            (self._executor_mb, self._batch_seconds / self.jobs_per_batch),
            (memory.api, self._api_seconds),
            (memory.watcher, 1 / WATCHER_JOBS),
            (memory.sweeper, SWEPT_ROWS_PER_JOB / SWEEPER_ROWS),
        )
        return sum(megabytes / MB_PER_GB * duration for megabytes, duration in seconds)

    def _loads(self, lifetime_seconds: float) -> float:
        """How often executors and API processes load what they keep for a tenant, for this execution.

        Each tenant meets every process at the same rate. At most each message and each request loads it.
        """
        executor = _load_share(lifetime_seconds, self.tenants, self._batch_seconds / self.jobs_per_batch)
        return executor + self.requests * _load_share(lifetime_seconds, self.tenants, self._api_seconds)

    @property
    def _months(self) -> float:
        return self.retention_days / DAYS_PER_MONTH

    @property
    def _byte_months(self) -> float:
        """Of the item, and of a request that is stored apart, which is kept longer."""
        overhead = figures.ITEM_OVERHEAD_BYTES.value
        payload = 0.0 if self.kind.is_run or not self.item.is_apart else self.item.payload_size + overhead
        spare_months = figures.PAYLOAD_SPARE_DAYS.value / DAYS_PER_MONTH
        return self._months * (self.item.size + overhead) + (self._months + spare_months) * payload

    @property
    def _index_bytes(self) -> float:
        return figures.INDEX_ENTRY_BYTES.value + figures.ITEM_OVERHEAD_BYTES.value

    @property
    def _log_bytes(self) -> float:
        """Of Lambda's own lines, only those of failures are kept."""
        batch = figures.EXECUTOR_LOG_BYTES.value / self.jobs_per_batch
        if self.kind.is_run:
            return batch
        is_single = self.requests == 1
        accepted = figures.ACCEPTED_LOG_BYTES if is_single else figures.BATCH_ACCEPTED_LOG_BYTES
        return batch + self.requests * figures.ACCESS_LOG_BYTES.value + accepted.value


def _load_share(lifetime_seconds: float, tenants: int, seconds_per_use: float) -> float:
    """The share of uses that find nothing in their process, where uses keep so many processes busy."""
    if seconds_per_use == 0:
        return 0
    return 1 / (1 + lifetime_seconds / (tenants * seconds_per_use))
