"""What the traffic of a plan uses in a month, and what that costs beside other services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from infra.config import StageConfig
from infra.sizing import figures
from infra.sizing.bill import Capacity, bill
from infra.sizing.idle import idle_usage
from infra.sizing.prices import RIVALS, Prices
from infra.sizing.traffic import Item, Traffic
from infra.sizing.usage import Execution, Kind, Usage
from shared.names import EXECUTOR_BATCH

MILLION = 1_000_000
WATCHED_SECONDS = 120
"""A run that is due within this time after its predecessor is sent by the executor that files it."""


@dataclass(frozen=True)
class Cost:
    """Of a month of this traffic on this stage."""

    traffic: Traffic
    stage: StageConfig
    prices: Prices

    @cached_property
    def variable(self) -> Usage:
        """All executions; it grows with their number alone."""
        return sum(self._by_kind(), Usage())

    @cached_property
    def fixed(self) -> Usage:
        """An idle stage, and the metrics that functions report once there are jobs."""
        return idle_usage(self.stage) + Usage(metrics=figures.BUSY_METRICS.value)

    @property
    def millions(self) -> float:
        """Of executions a month."""
        return self.traffic.executions_per_month / MILLION

    def by_component(self, capacity: Capacity = Capacity.ON_DEMAND) -> Mapping[str, float]:
        """Dollars a month; what does not depend on the jobs is one row."""
        rows = {
            name: dollars for name, dollars in bill(self.variable, self.prices, capacity).items() if dollars
        }
        return rows | {"idle, and metrics of jobs": sum(bill(self.fixed, self.prices, capacity).values())}

    def total(self, capacity: Capacity = Capacity.ON_DEMAND) -> float:
        """Dollars a month."""
        return sum(self.by_component(capacity).values())

    def per_million(self, capacity: Capacity = Capacity.ON_DEMAND) -> float:
        """Dollars for a million executions, with their share of what is fixed."""
        return self.total(capacity) / self.millions

    def with_batches(self, jobs: float) -> Cost:
        """The same with other batches of the executors: 1 in thin traffic, 10 in full batches."""
        return replace(self, traffic=replace(self.traffic, jobs_per_batch=jobs))

    @property
    def rivals(self) -> Mapping[str, float]:
        """Dollars for a million executions."""
        return {rival.name: rival.dollars_per_million(self.traffic.body_bytes) for rival in RIVALS}

    def _by_kind(self) -> Iterator[Usage]:
        traffic = self.traffic
        run = Kind.MINUTELY if traffic.every_seconds <= WATCHED_SECONDS else Kind.HOURLY
        for kind, rate in (
            (Kind.ONE_OFF, traffic.one_offs_per_second * (1 - traffic.due_soon)),
            (Kind.DUE_SOON, traffic.one_offs_per_second * traffic.due_soon),
            (run, traffic.runs_per_second),
        ):
            execution = Execution(
                kind=kind,
                item=Item(traffic.body_bytes),
                jobs_per_request=traffic.jobs_per_request,
                keyed=traffic.keyed,
                jobs_per_batch=traffic.jobs_per_batch,
                tenants=traffic.tenants,
                callback_ms=traffic.callback_ms,
                retention_days=self.stage.retention_days,
                memory=self.stage.memory,
            )
            yield execution.usage * (rate * figures.HOURS_PER_MONTH.value * 3_600)


THIN, FULL = 1, EXECUTOR_BATCH
"""Jobs in a batch, at least and at most."""
