"""The operator's view of what is about to run in the whole cell, read strongly from the buckets."""

from collections.abc import Sequence
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.bucket import bucket_of, bucket_start_ms
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.states import NOT_STARTED
from shared.ports.listings import Queries, ShardRows
from shared.ports.runtime import Clock
from shared.usecases.filing.scanned_shards import ScannedShards

SHARDS_AT_MOST = 256
"""Shards that one page reads; a single bucket with more shards is read in full."""
ROWS_AT_MOST = 500
_ROWS_OF_SHARD_AT_LEAST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DuePosition:
    """Where a page ended, after a row's sort key or at the start of a bucket, and the end of the window."""

    bucket: int
    after: str | None
    until: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DuePage:
    """A page in order of time. It may be short or empty although `next_position` shows that more follow."""

    rows: tuple[DueRow, ...]
    until: int
    next_position: DuePosition | None


@dataclass(frozen=True, slots=True)
class ListDue:
    """Lists stored rows: executions that have not started, and retry reminders. Near retries exist only as
    messages."""

    queries: Queries
    clock: Clock
    scanned: ScannedShards

    def execute(self, within_ms: int, *, limit: int, position: DuePosition | None = None) -> DuePage:
        """At most `limit` rows of all tenants, from now on or from a position on."""
        now_ms, plan = self.clock.now_ms(), self.scanned.scan_plan()
        if position is None:
            first = bucket_of(now_ms)
            after = f"{now_ms - bucket_start_ms(first):05d}"
            position = DuePosition(bucket=first, after=after, until=now_ms + within_ms)
        rows: list[DueRow] = []
        shards_read = rows_read = 0
        following: DuePosition | None = position
        while following is not None and len(rows) < limit and rows_read < ROWS_AT_MOST:
            shards = plan.counts_at(following.bucket).of(following.bucket)
            if shards_read and shards_read + shards > SHARDS_AT_MOST:
                break
            more, following, examined = self._read(following, shards, limit - len(rows))
            rows += more
            shards_read, rows_read = shards_read + shards, rows_read + examined
        return DuePage(rows=tuple(rows), until=position.until, next_position=following)

    def _read(
        self, position: DuePosition, shards: int, limit: int
    ) -> tuple[list[DueRow], DuePosition | None, int]:
        """Rows of one bucket after a position, the next position, and the number of rows examined."""
        each = max(_ROWS_OF_SHARD_AT_LEAST, ROWS_AT_MOST // shards)
        found = self.queries.rows(position.bucket, shards, after=position.after, limit=each)
        frontier = min((shard.last for shard in found if shard.last is not None), default=None)
        merged = _merged(found, frontier)
        rows = [row for row in merged if row.state in NOT_STARTED and row.id.dispatch_at <= position.until]
        examined = sum(len(shard.rows) for shard in found)
        if len(rows) > limit:
            return rows[:limit], replace(position, after=rows[limit - 1].sort_key), examined
        if frontier is not None and not (merged and merged[-1].id.dispatch_at > position.until):
            return rows, replace(position, after=frontier), examined
        if frontier is not None or position.bucket >= bucket_of(position.until):
            return rows, None, examined
        return rows, replace(position, bucket=position.bucket + 1, after=None), examined


def _merged(found: Sequence[ShardRows], frontier: str | None) -> list[DueRow]:
    """All shards in one order, up to the sort key that every shard has been read to."""
    rows = (row for shard in found for row in shard.rows)
    return sorted(
        (row for row in rows if frontier is None or row.sort_key <= frontier),
        key=lambda row: row.sort_key,
    )
