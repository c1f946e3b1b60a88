"""The stages: three presets for the cloud, and the laptop.

Each preset is laid out for the rates that it states, so that no component needs more than 70 % of its limit.
docs/design/capacity.md has the arithmetic and names the quotas that the account must have.
"""

from collections.abc import Mapping
from dataclasses import replace

from infra.components.shard_plan import ShardEpoch
from infra.concurrency import LaneConcurrency, Pollers, ReservedConcurrency
from infra.config import FunctionMemory, StageConfig
from infra.default_quotas import DefaultQuotas
from infra.event_bus import EventBusConfig
from infra.warm_throughput import Units, WarmThroughput

FIRST_MINUTE = "2026-01-01T00:00Z"

SMALL = StageConfig(
    name="small",
    region="us-east-1",
    account=None,
    jobs_per_second=100,
    due_in_one_minute=60_000,
    shard_plan=(ShardEpoch(since=FIRST_MINUTE, normal=4, quarter=8, midnight=16),),
    watchers=2,
    sweepers=2,
    lane_concurrency=LaneConcurrency(
        critical=300, standard=300, bulk=100, slow_critical=50, slow_standard=50, slow_bulk=20
    ),
    # The least of the priced memories with which a cold executor does its first job within a second.
    memory=FunctionMemory(executor=1_024),
)
"""100 jobs/s, and 60,000 due in one minute. It fits the default quotas of an account."""

MEDIUM = StageConfig(
    name="medium",
    region="us-east-1",
    account=None,
    jobs_per_second=2_000,
    due_in_one_minute=200_000,
    shard_plan=(ShardEpoch(since=FIRST_MINUTE, normal=16, quarter=16, midnight=32),),
    watchers=2,
    sweepers=4,
    reconcilers=4,
    lane_concurrency=LaneConcurrency(
        critical=300, standard=500, bulk=200, slow_critical=100, slow_standard=100, slow_bulk=50
    ),
    reserved=ReservedConcurrency(api=200, sweeper=8, reconciler=5),
    account_concurrency=2_000,
    warm_throughput=WarmThroughput(executions=Units(reads=12_000, writes=14_000)),
    api_rate_limit=4_000,
    api_burst_limit=4_000,
    contributor_insights=True,
)
"""2,000 jobs/s, each created by a request of its own, and 200,000 due in one minute."""

LARGE = StageConfig(
    name="large",
    region="us-east-1",
    account=None,
    jobs_per_second=10_000,
    jobs_per_request=10,
    due_in_one_minute=1_000_000,
    shard_plan=(ShardEpoch(since=FIRST_MINUTE, normal=80, quarter=80, midnight=160),),
    watchers=8,
    sweepers=16,
    reconcilers=16,
    lane_concurrency=LaneConcurrency(
        critical=Pollers(minimum=10, maximum=80),
        standard=Pollers(minimum=100, maximum=250),
        bulk=Pollers(minimum=10, maximum=80),
        slow_critical=100,
        slow_standard=200,
        slow_bulk=50,
    ),
    reserved=ReservedConcurrency(api=300, watcher=16, sweeper=32, reconciler=17, archiver=10),
    account_concurrency=5_000,
    # With 1,024 MB, the scans and long runs of a sweeper's range take 50 of the 60 seconds between two ticks.
    memory=FunctionMemory(sweeper=1_769),
    warm_throughput=WarmThroughput(
        executions=Units(reads=40_000, writes=72_000), by_tenant=Units(writes=20_000)
    ),
    api_rate_limit=4_000,
    api_burst_limit=5_000,
    contributor_insights=True,
)
"""10,000 jobs/s, created in batches of ten or more, and a million due in one minute."""

PRESETS: Mapping[str, StageConfig] = {"small": SMALL, "medium": MEDIUM, "large": LARGE}


def cloud_stage(name: str, region: str, account: str | None = None, *, preset: str = "small") -> StageConfig:
    """Return a stage with the sizes of a preset. ValueError for an unknown preset."""
    if preset not in PRESETS:
        raise ValueError(f"a preset is one of {', '.join(PRESETS)}, not {preset!r}")
    return replace(PRESETS[preset], name=name, region=region, account=account)


def on_emulator(stage: StageConfig) -> StageConfig:
    """Return the stage without what the emulator cannot deploy; docs/design/deviations.md has each field.

    Calls may reach the loopback address.
    """
    return replace(
        stage,
        api_rollout="at_once",
        bundle="host",
        dashboard=False,
        dial_exceptions=("127.0.0.0/8", "::1/128"),
        emulated=True,
        reserved=None,
    )


def local_stage() -> StageConfig:
    """Return the local stage: the same handlers in the emulator, with unprotected data."""
    stage = on_emulator(
        StageConfig(
            name="local",
            region="us-east-1",
            account="000000000000",
            shard_plan=(ShardEpoch(since=FIRST_MINUTE, normal=2, quarter=2, midnight=2),),
            watchers=1,
            sweepers=1,
            lane_concurrency=LaneConcurrency(
                critical=4, standard=4, bulk=2, slow_critical=2, slow_standard=2, slow_bulk=2
            ),
            default_quotas=DefaultQuotas(
                recurring_jobs=100_000,
                creates_per_second=10_000,
                requests_per_second=100_000,
                due_per_minute=1_000_000,
            ),
            protect_data=False,
            target_roles="arn:aws:iam::*:role/punctual/*",
            event_bus=EventBusConfig(),
        )
    )
    # Behind it, since only an emulated stage has no domain: its issuer is the address of its front door.
    return replace(stage, token_keys=(1,))
