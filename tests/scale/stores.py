"""The fake stores with an index by shard, and with rows that are only counted once they have ended.

A shard of the stage has some ten thousand rows a minute, and sweeps read them for half an hour. A row that
has ended changes no more, so the model keeps its number and one example in its place.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ScanPage
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.scan import due_row, reminder_row
from tests.support.fakes.table import FakeTable, ReminderKey, reminder_key

_ENDED = "~"
"""Prefix of the sort keys of counted rows: they follow all others."""


@dataclass(slots=True)
class ShardRows:
    """The rows of one shard of one bucket: by sort key, and the number of counted ones."""

    keys: dict[str, ExecutionId | ReminderKey] = field(default_factory=dict)
    ended: int = 0
    example: DueRow | None = None
    _sorted: list[str] | None = None

    def add(self, sort_key: str, key: ExecutionId | ReminderKey) -> None:
        self.keys[sort_key] = key
        self._sorted = None

    def remove(self, sort_key: str) -> None:
        del self.keys[sort_key]
        self._sorted = None

    def after(self, cursor: str | None, limit: int) -> tuple[list[str], int, str | None]:
        """The next sort keys, how many counted rows follow them, and the cursor of the next page."""
        if self._sorted is None:
            self._sorted = sorted(self.keys)
        done = int(cursor[1:]) if cursor is not None and cursor.startswith(_ENDED) else 0
        start = len(self._sorted) if done else 0 if cursor is None else bisect_right(self._sorted, cursor)
        keys = self._sorted[start : start + limit]
        counted = min(limit - len(keys), self.ended - done)
        if len(keys) + counted < limit:
            return keys, counted, None
        return keys, counted, f"{_ENDED}{done + counted}" if counted else keys[-1]


class ScaleTable(FakeTable):
    """Rows by shard."""

    def __init__(self) -> None:
        super().__init__()
        self.shards: dict[tuple[int, int], ShardRows] = {}

    def shard(self, bucket: int, shard: int) -> ShardRows:
        return self.shards.setdefault((bucket, shard), ShardRows())

    def insert(self, execution: Execution, expires_at_s: int | None) -> None:
        super().insert(execution, expires_at_s)
        location = execution.id
        self.shard(location.bucket, location.shard).add(due_row(execution).sort_key, location)

    def count_ended(self, bucket: int, shard: int) -> None:
        """From now on, only the number of the rows that have ended is kept."""
        rows = self.shard(bucket, shard)
        for sort_key, key in list(rows.keys.items()):
            row = self.row(key)
            if row.state.is_terminal and row.reminder_target is None:
                assert isinstance(key, ExecutionId)
                rows.example = replace(row, notification=None)
                rows.remove(sort_key)
                rows.ended += 1
                del self.executions[key]

    def row(self, key: ExecutionId | ReminderKey) -> DueRow:
        if isinstance(key, ExecutionId):
            return due_row(self.executions[key].execution)
        return reminder_row(self.pointers[key].pointer)


class ScaleExecutionStore(FakeExecutionStore):
    """Scans cost by the rows of their page, not by the table."""

    _table: ScaleTable

    def put_reminder(self, pointer: RetryReminder) -> bool:
        is_new = super().put_reminder(pointer)
        location = pointer.location
        rows = self._table.shard(location.bucket, location.shard)
        rows.add(reminder_row(pointer).sort_key, reminder_key(location, pointer.target, pointer.claims))
        return is_new

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        rows = self._table.shard(bucket, shard)
        keys, counted, next_after = rows.after(after, limit)
        found = [self._table.row(rows.keys[key]) for key in keys]
        if counted and rows.example is not None:
            found += [rows.example] * counted
        return ScanPage(rows=tuple(found), unreadable=(), next_after=next_after)

    def read_rows(self, bucket: int, shard: int, sort_keys: Sequence[str]) -> ScanPage:
        rows = self._table.shard(bucket, shard)
        found = [self._table.row(rows.keys[key]) for key in sort_keys if key in rows.keys]
        return ScanPage(rows=tuple(found), unreadable=(), next_after=None)
