"""What a sandbox of an executor remembers from one batch to the next, and which sandbox gets a batch.

Lambda hands a batch to a sandbox that has none, or makes a new one. A sandbox that dies takes what it knew with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.domain.tenancy.quota import Quotas
from shared.names import QueueName
from shared.usecases.limits.admit_calls import AdmitCalls
from shared.usecases.limits.limit_cache import LimitCache
from shared.usecases.limits.settle_limits import SettleLimits
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.tenancy.spend_budget import SpendBudget

if TYPE_CHECKING:
    from tests.simulation.world import World


class Rebound:
    """A port of the process that runs the present batch: `port` is replaced with each batch."""

    def __init__(self) -> None:
        self.port: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.port, name)


class Memory:
    """What one sandbox remembers. Its ports are those of the process that runs the present batch."""

    def __init__(self, world: World, owner: str) -> None:
        self._entropy = world.entropy
        self._store: Any = Rebound()
        self._budgets: Any = Rebound()
        self._clock: Any = Rebound()
        self._limits = LimitCache.over(self._store, self._clock, owner, world.entropy, lambda _: None)
        self._spend = SpendBudget(self._budgets, self._clock)
        self._admit: AdmitCalls | None = None
        self.settle_limits = SettleLimits(self._limits, self._clock)

    def resume(self, limits: Any, budgets: Any, clock: Any) -> None:
        """Another process goes on with what the sandbox remembers."""
        self._store.port, self._budgets.port, self._clock.port = limits, budgets, clock

    def admit(self, read_tenant: ReadTenant, defaults: Quotas) -> AdmitCalls:
        """The leased tokens, and the scopes that deferred work a moment ago."""
        if self._admit is None:
            self._admit = AdmitCalls(
                self._limits, self._spend, read_tenant, defaults, self._clock, self._entropy
            )
        self._admit.read_tenant = read_tenant
        return self._admit


class Sandboxes:
    """Those of all queues that have no batch."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._idle: dict[QueueName, list[Memory]] = {queue: [] for queue in QueueName}
        self._made = 0

    def take(self, queue: QueueName) -> Memory:
        """The one that was used last, as Lambda does, or a new one."""
        if self._idle[queue]:
            return self._idle[queue].pop()
        self._made += 1
        return Memory(self._world, f"{self._made:08d}")

    def give_back(self, queue: QueueName, memory: Memory) -> None:
        """The batch is over, and the sandbox is alive."""
        self._idle[queue].append(memory)
