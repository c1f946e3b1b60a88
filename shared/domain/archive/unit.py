"""Units of the archive: the executions that are due in one hour, in one group of shards.

Hour and shard are parts of an execution's id, so each execution belongs to one unit, and to one file, for ever.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from shared.dataclass import dataclass
from shared.domain.bucket import HOURLY_MS, ShardPlan
from shared.domain.ids import ExecutionId, parse_execution_id

GROUP_SHARDS = 4
HOUR_MS = HOURLY_MS
DAY_MS = 24 * HOUR_MS
MINUTES_PER_HOUR = 60
SEALED_AFTER_MS = 12 * DAY_MS
"""From the end of an hour. Records expire 14 days after their end, so that two daily passes may fail."""
COUNTED_AFTER_MS = 11 * DAY_MS
"""From the end of an hour: a put into an older hour is counted. A day before the first hour may be sealed, so that
the clocks of writers do not matter."""


def hour_of(instant_ms: int) -> int:
    """The number of an hour since the epoch."""
    return instant_ms // HOUR_MS


def hour_end_ms(hour: int) -> int:
    """Exclusive end."""
    return (hour + 1) * HOUR_MS


def is_counted(dispatch_at: int, now_ms: int) -> bool:
    """Whether a put at this instant must be counted, because its hour may be sealed."""
    return now_ms - hour_end_ms(hour_of(dispatch_at)) >= COUNTED_AFTER_MS


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ArchiveUnit:
    """Units sort by hour."""

    hour: int
    group: int

    @property
    def start_ms(self) -> int:
        return self.hour * HOUR_MS

    @property
    def end_ms(self) -> int:
        return hour_end_ms(self.hour)

    @property
    def buckets(self) -> range:
        """The minutes of the hour."""
        return range(self.hour * MINUTES_PER_HOUR, (self.hour + 1) * MINUTES_PER_HOUR)

    def shards(self, plan: ShardPlan) -> Iterator[tuple[int, int]]:
        """Bucket and shard of each partition of the unit, by a plan that contains all recorded shards."""
        first = self.group * GROUP_SHARDS
        for bucket in self.buckets:
            count = plan.counts_at(bucket).of(bucket)
            for shard in range(first, min(first + GROUP_SHARDS, count)):
                yield bucket, shard

    def contains(self, execution_id: ExecutionId) -> bool:
        return unit_of(execution_id) == self

    def file_key(self, cell: str) -> str:
        """The name of the Parquet file in the bucket; `cell` is the region of the deployment."""
        return f"v1/executions/{self._partition(cell)}.parquet"

    def manifest_key(self, cell: str) -> str:
        """The name of the description of the file."""
        return f"v1/manifests/{self._partition(cell)}.json"

    def _partition(self, cell: str) -> str:
        start = datetime.fromtimestamp(self.start_ms / 1000, UTC)
        return f"cell={cell}/dt={start:%Y-%m-%d}/hh={start:%H}/g{self.group:03d}"


def unit_of(execution_id: ExecutionId) -> ArchiveUnit:
    return ArchiveUnit(hour=hour_of(execution_id.dispatch_at), group=execution_id.shard // GROUP_SHARDS)


def unit_of_text(id_text: str) -> ArchiveUnit:
    """The unit of an id; InvalidValueError for any other text."""
    return unit_of(parse_execution_id(id_text))


def units_of(hour: int, plan: ShardPlan) -> list[ArchiveUnit]:
    """All units of an hour, by a plan that contains all recorded shards."""
    buckets = range(hour * MINUTES_PER_HOUR, (hour + 1) * MINUTES_PER_HOUR)
    shards = max(plan.counts_at(bucket).of(bucket) for bucket in buckets)
    return [ArchiveUnit(hour=hour, group=group) for group in range(-(-shards // GROUP_SHARDS))]
