"""The deployment that the model computes, and the slice of it that the model runs."""

from dataclasses import dataclass

from infra import stages
from infra.concurrency import BATCHES_PER_POLLER, Pollers, executors_of
from infra.config import FunctionMemory, StageConfig
from infra.sizing import figures
from shared.domain.bucket import MINUTE_MS, ShardCounts, ShardEpoch, ShardPlan
from shared.names import LEDGER_PARTITIONS, QueueName

START_MS = 29_000_130 * MINUTE_MS
"""A normal minute in February 2025, far from :00, :15 and :30."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The sizes of a deployment that the model uses, from its configuration."""

    config: StageConfig
    shards: int
    """Of a normal bucket."""
    kms_quota: int
    tenants: int = 10_000

    @property
    def watchers(self) -> int:
        return self.config.watchers

    @property
    def sweepers(self) -> int:
        return self.config.sweepers

    @property
    def memory(self) -> FunctionMemory:
        return self.config.memory

    def quota_of(self, table: str) -> float:
        """Units a second that a table or an index bears at once, or its quota; named as the meters do."""
        warm = self.config.warm
        return {
            "writes executions": warm.executions.writes,
            "reads executions": warm.executions.reads,
            "writes executions, index by_tenant": warm.by_tenant.writes,
            "writes executions, index failed": figures.NEW_INDEX.value,
        }.get(table, figures.TABLE_QUOTA.value)

    @property
    def api_concurrency(self) -> int:
        return self.config.reserved.api if self.config.reserved else self.config.account_concurrency

    def executors(self, queue: QueueName) -> int:
        """The concurrent executors of a queue at most."""
        return executors_of(self.config.lane_concurrency.of(queue))

    def first_executors(self, queue: QueueName) -> float:
        """The concurrent executors of a queue that its event source starts at once."""
        source = self.config.lane_concurrency.of(queue)
        if isinstance(source, Pollers):
            return source.minimum * BATCHES_PER_POLLER
        return figures.POLLERS_FIRST.value

    def executors_per_minute(self, queue: QueueName) -> float:
        """How many more the event source of a queue starts each minute, while messages wait."""
        is_provisioned = isinstance(self.config.lane_concurrency.of(queue), Pollers)
        grows = figures.PROVISIONED_PER_MINUTE if is_provisioned else figures.POLLERS_PER_MINUTE
        return grows.value


LARGE = Stage(config=stages.LARGE, shards=stages.LARGE.shard_plan[0].normal, kms_quota=20_000)


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
