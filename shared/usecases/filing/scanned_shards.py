"""The shards that watchers and the sweeper scan: those of the plan, and those that any release has filed into.

A release with larger shard counts may be rolled back while its jobs wait in the upper shards. A grow-only
record in the jobs table therefore holds the largest counts in use. A writer extends the record before its
first put into a shard; each scan reads the record first. A put that follows the read is near its bucket, and
its writer sends the wake-up itself.
"""

from dataclasses import dataclass

from shared.domain.bucket import LEAST_COUNTS, ShardCounts, ShardPlan
from shared.domain.errors import UnavailableError
from shared.domain.ids import ExecutionId
from shared.ports.dispatch import ShardCountStore

SWAP_TRIES = 5


@dataclass(slots=True)
class ScannedShards:
    """One instance per process, which remembers the record: at most one read for each growth."""

    store: ShardCountStore
    plan: ShardPlan
    last_seen: ShardCounts = LEAST_COUNTS
    """A lower bound of the record."""

    def ensure(self, location: ExecutionId) -> None:
        """Before a put into a shard: make sure that every scan of its bucket includes the shard.

        UnavailableError if the record can be neither read nor extended; the put must not follow.
        """
        bucket, shard = location.bucket, location.shard
        if shard < self.last_seen.of(bucket):
            return
        for _ in range(SWAP_TRIES):
            recorded = self.recorded()
            if shard < recorded.of(bucket):
                return
            # The id may come from a release with larger counts: the plan alone need not contain its shard.
            grown = recorded.grown_to(self.plan.counts_at(bucket)).with_shard(bucket, shard)
            if self.store.swap(recorded, grown):
                self.last_seen = grown
                return
        raise UnavailableError("other processes extend the shard counts")

    def recorded(self) -> ShardCounts:
        """Read the record; UnavailableError."""
        self.last_seen = self.store.read()
        return self.last_seen

    def scan_plan(self) -> ShardPlan:
        """Read the record, and return the plan to scan by; UnavailableError.

        A scan must read the record at its start: a value of an earlier tick misses shards whose writers have
        left the wake-up to this tick.
        """
        return self.plan.grown_to(self.recorded())
