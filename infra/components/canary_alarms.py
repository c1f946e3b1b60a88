"""Alarms on the jobs of the canary, by cycles of three minutes: each cycle has calls on every path."""

from collections.abc import Iterator

from aws_cdk import Duration

from infra.components.alarm_spec import MISSING_IS_BREACHING, UNDER, AlarmSpec
from infra.components.metrics import MAXIMUM, OwnMetrics
from infra.config import StageConfig
from shared.names import CANARY_CALLS_PER_CYCLE, CANARY_CYCLE_MINUTES, LATE_START_MS, Metric

COUNT = "SampleCount"
CYCLES, OF_CYCLES = 3, 4
"""One lost call, or one that slips into the next cycle, leaves one cycle short and never three."""


def canary_alarms(stage: StageConfig) -> Iterator[AlarmSpec]:
    own = OwnMetrics(stage)
    cycle = Duration.minutes(CANARY_CYCLE_MINUTES)
    yield AlarmSpec(
        name="CanaryMissing",
        description="Calls of the canary's jobs do not arrive: the public path, or one way of messages to the "
        "executors, is broken.",
        metric=own.of("canary-receiver", Metric.CANARY_LAG_MS, COUNT).with_(period=cycle),
        threshold=CANARY_CALLS_PER_CYCLE,
        comparison=UNDER,
        minutes=CYCLES,
        of_minutes=OF_CYCLES,
        missing=MISSING_IS_BREACHING,
    )
    yield AlarmSpec(
        name="CanaryLate",
        description="Calls of the canary's jobs arrive over 5 seconds late: so do those of other tenants.",
        metric=own.of("canary-receiver", Metric.CANARY_LAG_MS, MAXIMUM).with_(period=cycle),
        threshold=LATE_START_MS,
        minutes=CYCLES,
        of_minutes=OF_CYCLES,
    )
    yield AlarmSpec(
        name="CanaryRefused",
        description="The public API does not accept the canary's jobs: clients may get no answer, or its key is "
        "not valid.",
        metric=own.of("canary-prober", Metric.CANARY_FAILED),
        minutes=3,
        of_minutes=5,
    )
