"""What a sandbox of an executor remembers from one batch to the next, and which sandbox gets a batch.

Lambda hands a batch to a sandbox that has none, or makes a new one. A sandbox that dies takes what it knew with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.domain.tenancy.quota import Quotas
from shared.names import QueueName
from shared.usecases.limits.admit_calls import AdmitCalls
from shared.usecases.limits.limit_cache import LimitStates
from shared.usecases.limits.settle_limits import SettleLimits
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.tenancy.spend_budget import SpendBudget

if TYPE_CHECKING:
    from tests.simulation.world import World


class Memory:
    """One sandbox's. Its ports are those of the process that works on the present batch."""

    def __init__(self, world: World, owner: str) -> None:
        self._world = world
        self._owner = owner
        self._states: LimitStates | None = None
        self._admit: AdmitCalls | None = None
        self._settle: SettleLimits | None = None

    def states(self, limits: Any, clock: Any) -> LimitStates:
        """The states of limits that it knows."""
        if self._states is None:
            self._states = LimitStates(limits, clock, self._owner, self._world.entropy, lambda _: None)
        self._states.store, self._states.clock = limits, clock
        return self._states

    def admit(
        self, states: LimitStates, budgets: Any, read_tenant: ReadTenant, defaults: Quotas
    ) -> AdmitCalls:
        """What it has leased of rates, and where somebody had to wait."""
        if self._admit is None:
            spend = SpendBudget(budgets, states.clock)
            self._admit = AdmitCalls(states, spend, read_tenant, defaults, states.clock, self._world.entropy)
        self._admit.spend.budgets, self._admit.spend.clock = budgets, states.clock
        self._admit.clock, self._admit.read_tenant = states.clock, read_tenant
        return self._admit

    def settle_limits(self, states: LimitStates) -> SettleLimits:
        """What it heard of destinations and has not said yet."""
        if self._settle is None:
            self._settle = SettleLimits(states, states.clock)
        self._settle.clock = states.clock
        return self._settle


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
