"""The gate of one process over a world's ports."""

from typing import Any

from shared.domain.tenancy.quota import Quotas
from shared.names import QueueName
from shared.usecases.limits.admit_calls import AdmitCalls
from shared.usecases.limits.apply_backpressure import ApplyBackpressure
from shared.usecases.limits.defer_keys import DeferKeys
from shared.usecases.limits.limit_cache import LimitCache
from shared.usecases.limits.settle_limits import SettleLimits
from shared.usecases.limits.throttle_batch import ThrottleBatch
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.tenancy.spend_budget import SpendBudget


def _pass(clock: Any, duration_ms: int) -> None:
    clock.time_ms += duration_ms


def gate(ports: Any, queue: QueueName, defaults: Quotas, owner: str = "process1") -> ThrottleBatch:
    """A process that has just started: it knows nothing yet."""
    limits = LimitCache.over(
        store=ports.tapped("limits", ports.limits),
        clock=ports.clock,
        owner=owner,
        entropy=ports.entropy,
        pause=lambda duration_ms: _pass(ports.clock, duration_ms),
    )
    admit = AdmitCalls(
        limits=limits,
        spend=SpendBudget(budgets=ports.tapped("budgets", ports.budgets), clock=ports.clock),
        read_tenant=ReadTenant(tenants=ports.tenants, clock=ports.clock),
        defaults=defaults,
        clock=ports.clock,
        entropy=ports.entropy,
    )
    return ThrottleBatch(
        queue=queue,
        backpressure=ApplyBackpressure(progress=ports.board, clock=ports.clock, entropy=ports.entropy),
        admit=admit,
        settle_limits=SettleLimits(limits=limits, clock=ports.clock),
        defer_keys=DeferKeys(queue=ports.tapped("queue", ports.queue), clock=ports.clock),
    )
