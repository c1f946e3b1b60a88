"""What the traffic of a plan uses in a month, and what that costs beside other services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from infra.capacity import READS_PER_JOB, reserves
from infra.config import StageConfig
from infra.executor_memory import LaneMemory
from infra.provisioned import UnitsPerSecond
from infra.sizing import figures
from infra.sizing.archive import statistics_usage
from infra.sizing.bill import bill, total
from infra.sizing.idle import idle_usage
from infra.sizing.prices import RIVALS, Prices
from infra.sizing.traffic import Item, Traffic
from infra.sizing.usage import Execution, Kind, Usage
from shared.names import EXECUTOR_BATCH

MILLION = 1_000_000
WATCHED_SECONDS = 120
"""A run that is due within this time after its predecessor is sent by the executor that files it."""


class Billing(StrEnum):
    """How the executions table is billed."""

    ON_DEMAND = "on demand"
    PROVISIONED = "provisioned"


@dataclass(frozen=True)
class Cost:
    """Of a month of this traffic on this stage."""

    traffic: Traffic
    stage: StageConfig
    prices: Prices
    billing: Billing = Billing.ON_DEMAND

    @cached_property
    def variable(self) -> Usage:
        """All executions with their tables on demand; it grows with their number alone."""
        return sum(self._by_kind(), Usage(insight_events=self._insight_events))

    @cached_property
    def billed(self) -> Usage:
        """The same as it is billed. Provisioned units are paid for in each hour, whatever the traffic."""
        if self.billing is Billing.ON_DEMAND:
            return self.variable
        hours, units = figures.HOURS_PER_MONTH.value, self.reserves.values()
        return self.variable.provisioned(
            write_unit_hours=hours * sum(each.writes for each in units),
            read_unit_hours=hours * sum(each.reads for each in units),
        )

    @cached_property
    def fixed(self) -> Usage:
        """An idle stage, the tenants' statistics, and the metrics that functions report once there are jobs."""
        alarms = figures.SCALING_ALARMS.value if self.billing is Billing.PROVISIONED else 0
        reported = figures.CANARY_JOB_METRICS.value if self.stage.canary else 0
        metrics = figures.BUSY_METRICS.value - reported
        busy = min(self.traffic.tenants, self.traffic.jobs_per_second * 3_600)
        statistics = statistics_usage(self.stage, busy)
        return idle_usage(self.stage) + statistics + Usage(metrics=metrics, alarm_metrics=alarms)

    @property
    def reserves(self) -> Mapping[str, UnitsPerSecond]:
        """The least provisioned units of the executions table and its indexes, by name. Synth accepts no less."""
        job = self.traffic.job_size
        return reserves(
            self.traffic.whole_jobs_per_second,
            self.traffic.due_in_one_minute,
            replace(job, read_units=max(READS_PER_JOB, job.read_units)),
        )

    @property
    def millions(self) -> float:
        """Of executions a month."""
        return self.traffic.executions_per_month / MILLION

    def by_component(self) -> Mapping[str, float]:
        """Dollars a month; what does not depend on the jobs is one row."""
        rows = {name: dollars for name, dollars in bill(self.billed, self.prices).items() if dollars}
        return rows | {"idle, and metrics of jobs": total(self.fixed, self.prices)}

    def total(self) -> float:
        """Dollars a month."""
        return sum(self.by_component().values())

    def per_million(self) -> float:
        """Dollars for a million executions, with their share of what is fixed."""
        return self.total() / self.millions

    def with_billing(self, billing: Billing) -> Cost:
        return replace(self, billing=billing)

    def with_memory(self, executor_mb: int) -> Cost:
        """The same with other memory of the executors, which is that of all lanes."""
        memory = replace(self.stage.memory, executor=executor_mb, lanes=LaneMemory())
        return replace(self, stage=replace(self.stage, memory=memory))

    def with_batches(self, jobs: float) -> Cost:
        """The same with other batches of the executors: 1 in thin traffic, 10 in full batches."""
        return replace(self, traffic=replace(self.traffic, jobs_per_batch=jobs))

    @property
    def rivals(self) -> Mapping[str, float]:
        """Dollars for a million executions."""
        return {rival.name: rival.dollars_per_million(self.traffic.body_bytes) for rival in RIVALS}

    @property
    def _insight_events(self) -> float:
        """A line of the API's log for each job that it accepts; those of failures are left out."""
        seconds = figures.HOURS_PER_MONTH.value * 3_600
        return self.traffic.one_offs_per_second * seconds if self.stage.contributor_insights else 0

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
                archive_days=self.stage.archive_days,
                memory=self.stage.memory,
            )
            yield execution.usage * (rate * figures.HOURS_PER_MONTH.value * 3_600)


THIN, FULL = 1, EXECUTOR_BATCH
"""Jobs in a batch, at least and at most."""
