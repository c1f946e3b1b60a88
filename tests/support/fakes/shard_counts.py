"""The record of the largest shard counts and of the first bucket in memory."""

from dataclasses import replace

from shared.domain.bucket import ShardCounts
from shared.ports.dispatch import ShardRecord


class FakeShardCountStore:
    """Each compare-and-swap is atomic."""

    def __init__(self) -> None:
        self.record: ShardRecord | None = None

    def read(self) -> ShardRecord | None:
        return self.record

    def begin(self, record: ShardRecord) -> bool:
        if self.record is not None:
            return False
        self.record = record
        return True

    def swap(self, before: ShardCounts, after: ShardCounts) -> bool:
        if self.record is None or self.record.counts != before:
            return False
        self.record = replace(self.record, counts=after)
        return True
