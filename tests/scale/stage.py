"""The deployment that the model computes, and the slice of it that the model runs."""

from dataclasses import dataclass

from shared.domain.bucket import MINUTE_MS, ShardCounts, ShardEpoch, ShardPlan
from shared.names import LEDGER_PARTITIONS, QueueName

START_MS = 29_000_130 * MINUTE_MS
"""A normal minute in February 2025, far from :00, :15 and :30."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A deployment for 10,000 jobs a second."""

    shards: int = 64
    """Of every bucket."""
    watchers: int = 16
    sweepers: int = 16
    lanes: dict[QueueName, int]
    """The concurrency of each queue's executors."""
    account_concurrency: int
    table_quota: int
    """Write units a second of the executions table: the quota that the stage must have."""
    kms_quota: int
    api_concurrency: int
    executor_mb: int = 1_769
    watcher_mb: int = 1_769
    sweeper_mb: int = 1_769
    api_mb: int = 1_024
    tenants: int = 10_000


LARGE = Stage(
    lanes={
        QueueName.CRITICAL: 500,
        QueueName.STANDARD: 1_000,
        QueueName.BULK: 500,
        QueueName.SLOW_CRITICAL: 100,
        QueueName.SLOW_STANDARD: 100,
        QueueName.SLOW_BULK: 100,
    },
    account_concurrency=5_000,
    table_quota=100_000,
    kms_quota=20_000,
    api_concurrency=1_000,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """`shards` of the stage's shards at their full rate, with the executors that belong to them.

    Everything that is shared keeps its full size: tenants, ledger partitions, the open list of a shard.
    """

    stage: Stage
    shards: int

    @property
    def factor(self) -> float:
        """The whole, in slices."""
        return self.stage.shards / self.shards

    @property
    def watchers(self) -> int:
        return max(1, self.stage.watchers * self.shards // self.stage.shards)

    @property
    def sweepers(self) -> int:
        return max(1, self.stage.sweepers * self.shards // self.stage.shards)

    @property
    def watcher_factor(self) -> float:
        """The shards of a watcher of the stage, in those of a watcher of the slice."""
        return self.stage.shards / self.stage.watchers / (self.shards / self.watchers)

    @property
    def sweeper_factor(self) -> float:
        return self.stage.shards / self.stage.sweepers / (self.shards / self.sweepers)

    @property
    def plan(self) -> ShardPlan:
        counts = ShardCounts(normal=self.shards, quarter=self.shards, midnight=self.shards)
        return ShardPlan((ShardEpoch(from_bucket=0, counts=counts),))

    @property
    def key_scales(self) -> dict[str, float]:
        """What the rest of the stage asks of a shared key, as a multiple of what the slice asks of it.

        Keys of executions belong to one shard, and have all their load in the slice.
        """
        shared = (
            "tenants",
            "by_tenant",
            "failed",
            "jobs",
            "budgets",
            "scopes",
            "hot_scopes",
            "progress",
            "marks",
        )
        in_partition = max(1, self.shards // LEDGER_PARTITIONS)
        ledger = self.stage.shards / LEDGER_PARTITIONS / in_partition
        return dict.fromkeys(shared, self.factor) | {"ledger": ledger}
