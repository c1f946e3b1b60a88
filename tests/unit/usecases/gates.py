"""The gate of one process over a world's ports."""

from typing import Any

from shared.domain.quota import Quotas
from shared.names import QueueName
from shared.usecases.admit_calls import AdmitCalls
from shared.usecases.defer_keys import DeferKeys
from shared.usecases.gate_calls import GateCalls
from shared.usecases.give_way import GiveWay
from shared.usecases.limit_states import LimitStates
from shared.usecases.read_tenant import ReadTenant
from shared.usecases.settle_limits import SettleLimits
from shared.usecases.spend_budget import SpendBudget


def _pass(clock: Any, duration_ms: int) -> None:
    clock.time_ms += duration_ms


def gate(ports: Any, queue: QueueName, defaults: Quotas, owner: str = "process1") -> GateCalls:
    """A process that has just started: it knows nothing yet."""
    states = LimitStates(
        store=ports.tapped("limits", ports.limits),
        clock=ports.clock,
        owner=owner,
        entropy=ports.entropy,
        pause=lambda duration_ms: _pass(ports.clock, duration_ms),
    )
    admit = AdmitCalls(
        states=states,
        spend=SpendBudget(budgets=ports.tapped("budgets", ports.budgets), clock=ports.clock),
        read_tenant=ReadTenant(tenants=ports.tenants, clock=ports.clock),
        defaults=defaults,
        clock=ports.clock,
        entropy=ports.entropy,
    )
    return GateCalls(
        queue=queue,
        give_way=GiveWay(progress=ports.board, clock=ports.clock, entropy=ports.entropy),
        admit=admit,
        settle_limits=SettleLimits(states=states, clock=ports.clock),
        defer=DeferKeys(queue=ports.tapped("queue", ports.queue), clock=ports.clock),
    )
