"""The record of the largest shard counts in memory."""

from shared.domain.bucket import LEAST_COUNTS, ShardCounts


class FakeShardCountStore:
    """Each compare-and-swap is atomic."""

    def __init__(self) -> None:
        self.recorded = LEAST_COUNTS

    def read(self) -> ShardCounts:
        return self.recorded

    def swap(self, before: ShardCounts, after: ShardCounts) -> bool:
        if self.recorded != before:
            return False
        self.recorded = after
        return True
