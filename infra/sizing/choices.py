"""What a stage may choose: the memory of executors, and the billing of the executions table."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any

from infra.provisioned import Autoscaled, Provisioned, ProvisionedUnits
from infra.sizing import figures
from infra.sizing.batches import cold_start_seconds
from infra.sizing.cost import Billing, Cost
from infra.sizing.traffic import Traffic

MEMORIES = (512, 1_024, 1_769)
WITHIN_SECONDS = 1.0
"""A cold executor does its first job in this time, where cold executors are many."""
MOST_COLD = 0.01
MAXIMUM_PER_MINIMUM = 2
"""What a backfill or a bulk redrive may take beside the busiest minute."""


@dataclass(frozen=True)
class Choices:
    """For the traffic of a cost."""

    cost: Cost

    @property
    def memory_mb(self) -> int:
        """The least memory of executors that keeps the 99th percentile of calls within a second of their time."""
        are_warm = cold_share(self.cost.traffic) <= MOST_COLD
        return next(each for each in MEMORIES if are_warm or cold_start_seconds(each) <= WITHIN_SECONDS)

    @property
    def billing(self) -> Billing:
        """The cheaper one."""
        return min(Billing, key=self.dollars)

    def dollars(self, billing: Billing) -> float:
        """Of a month."""
        return self.cost.with_billing(billing).total()

    def dollars_with(self, memory_mb: int) -> float:
        """Of a month, with the stage's billing."""
        return self.cost.with_memory(memory_mb).total()

    @property
    def provisioned(self) -> Provisioned:
        """The least units that synth accepts for the traffic, with room for a load that lasts."""
        units = {
            name: ProvisionedUnits(reads=_autoscaled(each.reads), writes=_autoscaled(each.writes))
            for name, each in self.cost.reserves.items()
        }
        return Provisioned(**units)

    @property
    def changed(self) -> dict[str, Any]:
        """The fields of the stage that the choices change."""
        fields: dict[str, Any] = {}
        chosen = self.cost.with_memory(self.memory_mb).stage.memory
        if chosen != self.cost.stage.memory:
            fields["memory"] = chosen
        if self.billing is Billing.PROVISIONED:
            fields["provisioned"] = self.provisioned
        return fields


def cold_share(traffic: Traffic) -> float:
    """The share of jobs that meet no warm executor: all of a burst, or the gaps that outlast an idle sandbox."""
    if traffic.burst:
        return 1.0
    return exp(-traffic.jobs_per_second * figures.SANDBOX_IDLE_SECONDS.value)


def _autoscaled(minimum: int) -> Autoscaled:
    return Autoscaled(minimum=minimum, maximum=MAXIMUM_PER_MINIMUM * minimum)
