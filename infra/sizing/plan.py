"""The configuration that bears the traffic: a preset if one suffices, or else fields that are computed."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import ceil, floor

from infra.capacity import (
    API_SECONDS_PER_JOB,
    API_SECONDS_PER_REQUEST,
    HEAD_ROOM,
    KEY_WRITES,
    POLLER_MESSAGES,
    SWEEPER_ROWS,
    SWEPT_ROWS_PER_JOB,
    WRITES_WHEN_CREATED_NEAR,
    WRITES_WHEN_DUE,
    peak,
    reserves,
    shares,
    watchers_needed,
)
from infra.components.shard_plan import ShardEpoch
from infra.concurrency import (
    BATCHES_PER_POLLER,
    LEAST_UNRESERVED,
    RUNS_PER_RANGE,
    LaneConcurrency,
    Pollers,
    ReservedConcurrency,
    Source,
)
from infra.config import FunctionMemory, StageConfig
from infra.sizing import figures
from infra.sizing.batches import core_share
from infra.sizing.bursts import Burst
from infra.sizing.traffic import Traffic
from infra.stage_files.write import stage_lines
from infra.stages import FIRST_MINUTE, PRESETS
from infra.warm_throughput import Units, WarmThroughput
from shared.names import EXECUTOR_BATCH, LEDGER_PARTITIONS, LIVE_SEGMENTS, QueueName

LEAST_SHARDS = 4
MOST_OF_A_LANE = 1_000
MOST_MINIMUM = 200
MOST_POLLERS = floor(figures.IN_FLIGHT.value * HEAD_ROOM / EXECUTOR_BATCH / BATCHES_PER_POLLER)
"""More of them would take more messages than a queue has in flight."""
SWEEPER_SHARE_OF_A_CORE = 0.35
"""Above this share, a sweeper gets one core: with 1,024 MB its run takes 50 of the 60 seconds at 42 %."""
COVERAGE_SECONDS = 3_600
OTHER_LANES = {"critical": 3, "bulk": 3, "slow_critical": 12, "slow_standard": 6, "slow_bulk": 15}
"""The part of the standard lane's executors that each other lane gets. The standard lane bears all jobs alone."""
LEAST_OF_A_LANE = 20
LEAST_OF_API = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A configuration for the traffic. `preset` is None where no preset suffices."""

    traffic: Traffic
    stage: StageConfig
    preset: str | None

    @property
    def shares(self) -> dict[str, float]:
        """The share of its limit that each component needs, by the arithmetic of the presets."""
        return shares(self.stage, self.traffic.job_size)

    @property
    def changed(self) -> dict[str, object]:
        """The fields that differ from the preset, or from `small` where no preset suffices."""
        base = PRESETS[self.preset or "small"]
        names = [field.name for field in fields(StageConfig)]
        return {
            name: getattr(self.stage, name)
            for name in names
            if getattr(self.stage, name) != getattr(base, name) and name not in ("name", "region", "account")
        }

    @property
    def stage_file(self) -> list[str]:
        """The lines of a stage file that make this configuration."""
        preset = self.preset or "small"
        return [f'preset = "{preset}"', *stage_lines(self.changed, PRESETS[preset])]

    def burst_seconds(self, share: float = 1) -> float:
        """From the instant of the burst until this share of its calls have begun, beside the steady rate."""
        return Burst.on(self.stage, self.traffic).seconds_until(share * self.traffic.burst)


def plan_for(traffic: Traffic, region: str = "us-east-1", name: str = "prod") -> Plan:
    """The smallest preset that bears the traffic, or a stage of its own. ValueError above what one stage bears."""
    for preset, base in PRESETS.items():
        try:
            stage = replace(
                base,
                name=name,
                region=region,
                jobs_per_second=traffic.whole_jobs_per_second,
                due_in_one_minute=traffic.due_in_one_minute,
                jobs_per_request=traffic.whole_jobs_per_request,
            )
        except ValueError:
            continue
        if _bears(stage, traffic):
            return Plan(traffic=traffic, stage=stage, preset=preset)
    return Plan(traffic=traffic, stage=computed_stage(traffic, region, name), preset=None)


def computed_stage(traffic: Traffic, region: str = "us-east-1", name: str = "prod") -> StageConfig:
    """A stage whose fields follow from the traffic alone."""
    steady = traffic.whole_jobs_per_second
    busiest = peak(steady, traffic.due_in_one_minute)
    size = traffic.job_size
    shard_units = size.write_units * max(WRITES_WHEN_CREATED_NEAR * steady, WRITES_WHEN_DUE * busiest)
    shards = max(LEAST_SHARDS, ceil(shard_units / (KEY_WRITES * HEAD_ROOM)))
    watchers = max(2, watchers_needed(steady, traffic.due_in_one_minute))
    sweepers, sweeper_mb = _sweepers(steady)
    reconcilers = _reconcilers(traffic.recurring, sweeper_mb)
    memory = replace(PRESETS["small"].memory, sweeper=sweeper_mb)
    lanes = _lanes(steady, busiest, size.executor_jobs(memory.of_executor(QueueName.STANDARD)))
    # Like capacity.py, as if requests had created every job.
    requests = steady / traffic.whole_jobs_per_request
    api_seconds = requests * API_SECONDS_PER_REQUEST + steady * API_SECONDS_PER_JOB
    reserved = ReservedConcurrency(
        api=max(LEAST_OF_API, ceil(api_seconds / HEAD_ROOM)),
        watcher=RUNS_PER_RANGE * watchers,
        sweeper=RUNS_PER_RANGE * sweepers,
        reconciler=reconcilers + 1,
    )
    rate_limit = max(1_000, rounded(requests / HEAD_ROOM, 100))
    return replace(
        PRESETS["small"],
        name=name,
        region=region,
        jobs_per_second=steady,
        due_in_one_minute=traffic.due_in_one_minute,
        jobs_per_request=traffic.whole_jobs_per_request,
        shard_plan=(ShardEpoch(since=FIRST_MINUTE, normal=shards, quarter=shards, midnight=2 * shards),),
        watchers=watchers,
        sweepers=sweepers,
        reconcilers=reconcilers,
        lane_concurrency=lanes,
        reserved=reserved,
        account_concurrency=max(1_000, rounded(reserved.total + max(LEAST_UNRESERVED, lanes.total), 500)),
        memory=memory,
        warm_throughput=_warm(traffic, steady),
        api_rate_limit=rate_limit,
        api_burst_limit=max(2_000, rate_limit),
    )


def _bears(stage: StageConfig, traffic: Traffic) -> bool:
    enough = stage.reconcilers >= _reconcilers(traffic.recurring, stage.memory.sweeper)
    return enough and max(shares(stage, traffic.job_size).values()) <= HEAD_ROOM


def _sweepers(steady: float) -> tuple[int, int]:
    """The fewest sweepers, and their memory. The partitions of the ledger are not divided."""
    core_mb = int(figures.MB_OF_ONE_CORE.value)
    usual_mb = FunctionMemory().sweeper
    for sweepers in (2, 4, 8, LEDGER_PARTITIONS):
        share = SWEPT_ROWS_PER_JOB * steady / sweepers / SWEEPER_ROWS
        if share <= HEAD_ROOM:
            return sweepers, core_mb if share > SWEEPER_SHARE_OF_A_CORE else usual_mb
    most = floor(LEDGER_PARTITIONS * SWEEPER_ROWS * HEAD_ROOM / SWEPT_ROWS_PER_JOB)
    raise ValueError(
        f"one stage bears at most {most:,} jobs a second, because the ledger has {LEDGER_PARTITIONS} partitions: "
        f"plan {ceil(steady / most)} stages of their own, each with its part of the tenants, and size one of them"
    )


def _reconcilers(recurring: int, memory_mb: int) -> int:
    """The fewest reconcilers that look at each definition within the hour, with head room."""
    share = core_share(memory_mb)
    seconds = recurring * figures.cpu("reconciled") / share / 1_000
    available = COVERAGE_SECONDS * HEAD_ROOM - figures.RECONCILE_SECONDS.value
    for reconcilers in (1, 2, 4, 8, LIVE_SEGMENTS):
        if seconds / reconcilers <= available:
            return reconcilers
    most = floor(available * LIVE_SEGMENTS * share * 1_000 / figures.cpu("reconciled"))
    raise ValueError(
        f"one stage reconciles at most {most:,} recurring jobs within the hour: plan several stages, each with "
        "its part of the tenants"
    )


def _lanes(steady: float, busiest: float, executor_jobs: float) -> LaneConcurrency:
    """The standard lane bears all jobs alone, and the others a part each."""
    executors = busiest / executor_jobs / HEAD_ROOM
    others = {name: _source(executors / part, steady / part) for name, part in OTHER_LANES.items()}
    return LaneConcurrency(standard=_source(executors, steady, busiest), **others)


def _source(executors: float, steady: float, busiest: float = 0) -> Source:
    needed = max(LEAST_OF_A_LANE, rounded(executors, 10))
    if needed <= MOST_OF_A_LANE and busiest <= POLLER_MESSAGES * MOST_OF_A_LANE:
        return needed
    maximum = max(ceil(needed / BATCHES_PER_POLLER), ceil(busiest / POLLER_MESSAGES / HEAD_ROOM))
    if maximum > MOST_POLLERS:
        raise ValueError(
            f"the standard lane needs {maximum:,} pollers, and the messages in flight of a queue suffice for "
            f"{MOST_POLLERS}: plan several stages, a smaller --burst, or calls that are answered with 202 at once"
        )
    minimum = min(MOST_MINIMUM, maximum, max(2, ceil(steady / POLLER_MESSAGES)))
    return Pollers(minimum=minimum, maximum=maximum)


def _warm(traffic: Traffic, steady: int) -> WarmThroughput | None:
    """None where a new table bears the traffic."""
    usual, needed = Units(), reserves(steady, traffic.due_in_one_minute, traffic.job_size)
    table, by_tenant = needed["executions"], needed["by_tenant"]
    warm = WarmThroughput(
        executions=Units(
            reads=max(usual.reads, rounded(table.reads, 1_000)),
            writes=max(usual.writes, rounded(table.writes, 1_000)),
        ),
        by_tenant=Units(writes=max(usual.writes, rounded(by_tenant.writes, 1_000))),
    )
    return None if warm == WarmThroughput(executions=usual) else warm


def rounded(value: float, step: int) -> int:
    """Up to a multiple of `step`."""
    return ceil(value / step) * step
