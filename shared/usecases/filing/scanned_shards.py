"""The shards that watchers and the sweeper scan: those of the plan, and those that any release has filed into.

A release with larger shard counts may be rolled back while its jobs wait in the upper shards. A grow-only
record in the jobs table therefore holds the largest counts in use. A writer extends the record before its
first put into a shard; each scan reads the record first. A put that follows the read is near its bucket, and
its writer sends the wake-up itself.

The record also keeps the bucket in which filing began: a sweeper that has no mark of an earlier sweep lists
the buckets from there on.
"""

from shared.dataclass import dataclass
from shared.domain.bucket import LEAST_COUNTS, ShardCounts, ShardPlan, bucket_of
from shared.domain.errors import UnavailableError
from shared.domain.ids import ExecutionId
from shared.ports.dispatch import ShardCountStore, ShardRecord

SWAP_TRIES = 5
OPEN_FROM_MARGIN = 60
"""Minutes between `open_from` and the clock of the first writer. An unlisted row lies at most one bucket before
its writer's clock; the rest is for a first writer with a fast clock."""


@dataclass(slots=True)
class ScannedShards:
    """One instance per process, which remembers the record: at most one read for each growth."""

    store: ShardCountStore
    plan: ShardPlan
    last_seen: ShardCounts | None = None
    """A lower bound of the recorded counts; None until the record is known to exist."""

    def ensure(self, location: ExecutionId, now_ms: int) -> None:
        """Before a put into a shard: make sure that every scan of its bucket includes the shard.

        UnavailableError if the record can be neither read nor extended; the put must not follow.
        """
        bucket, shard = location.bucket, location.shard
        if self.last_seen is not None and shard < self.last_seen.of(bucket):
            return
        for _ in range(SWAP_TRIES):
            record = self.record()
            if record is not None and shard < record.counts.of(bucket):
                return
            recorded = LEAST_COUNTS if record is None else record.counts
            # The id may come from a release with larger counts: the plan alone need not contain its shard.
            grown = recorded.grown_to(self.plan.counts_at(bucket)).with_shard(bucket, shard)
            if record is None:
                first = ShardRecord(counts=grown, open_from=bucket_of(now_ms) - OPEN_FROM_MARGIN)
                is_stored = self.store.begin(first)
            else:
                is_stored = self.store.swap(recorded, grown)
            if is_stored:
                self.last_seen = grown
                return
        raise UnavailableError("other processes extend the shard counts")

    def record(self) -> ShardRecord | None:
        """Read the record; UnavailableError."""
        record = self.store.read()
        if record is not None:
            self.last_seen = record.counts
        return record

    def scan_plan(self) -> ShardPlan:
        """Read the record, and return the plan to scan by; UnavailableError.

        A scan must read the record at its start: a value of an earlier tick misses shards whose writers have
        left the wake-up to this tick.
        """
        self.record()
        return self.known_plan()

    def known_plan(self) -> ShardPlan:
        """The plan to scan by if the record cannot be read: it contains all that this process has read of it."""
        return self.plan.grown_to(self.last_seen) if self.last_seen else self.plan
