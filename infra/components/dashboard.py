"""The CloudWatch dashboard: each row answers a question that operators ask first."""

from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.components.alarms import Alarms
from infra.components.metrics import MAXIMUM, MINUTE, P99, SUM, OwnMetrics, function_metric, queue_metric
from infra.components.resource_alarms import MonitoredResources
from infra.config import StageConfig
from shared.names import Lane, Metric, QueueName

WIDTH = 24
HEIGHT = 6
LANES = tuple(f"executor-{lane}" for lane in Lane)
EXECUTORS = tuple(f"executor-{queue}" for queue in QueueName)
_TENANT_DEFERRALS = (Metric.DEFERRED_TENANT_CONCURRENCY, Metric.DEFERRED_TENANT_RATE)
_DESTINATION_DEFERRALS = (
    Metric.DEFERRED_BREAKER_OPEN,
    Metric.DEFERRED_DESTINATION_CONCURRENCY,
    Metric.DEFERRED_DESTINATION_RATE,
    Metric.DEFERRED_SLOW,
)
_OTHER_DEFERRALS = (Metric.DEFERRED_BACKPRESSURE, Metric.DEFERRED_LATE)


def add_dashboard(
    scope: Construct, stage: StageConfig, resources: MonitoredResources, alarms: Alarms
) -> None:
    """Declare the dashboard; its name includes the region, because dashboards are global to an account."""
    dashboard = cloudwatch.Dashboard(scope, "Dashboard", dashboard_name=f"{stage.prefix}-{stage.region}")
    dashboard.add_widgets(
        cloudwatch.AlarmStatusWidget(title="Alarms", alarms=list(alarms.alarms), width=WIDTH, height=5)
    )
    own = OwnMetrics(stage)
    rows: tuple[dict[str, Sequence[cloudwatch.IMetric]], ...] = (
        {"Start lag, p99 (ms)": _lag(own), "Heartbeats": _ticks(own), "Oldest unclaimed (s)": _late(own)},
        {"Executions": _outcomes(own), "Dispatch": _dispatch(own), "Recovered": _recovered(own)},
        {
            "Oldest message (s)": _ages(resources),
            "Dead messages": _dead(resources),
            "API": _api(own, resources),
        },
        {
            "Throttled by tenant limits": _deferred(own, _TENANT_DEFERRALS),
            "Throttled by destination": _deferred(own, _DESTINATION_DEFERRALS),
            "Backpressure": _deferred(own, _OTHER_DEFERRALS),
        },
        {
            "Oldest throttled (s)": [own.of("sweeper", Metric.OLDEST_WAITING_DUE_SECONDS, MAXIMUM)],
            "Lag of throttled calls (ms)": [own.of(each, Metric.WAITED_LAG_MS, P99) for each in EXECUTORS],
            "Circuit breakers": _breakers(own),
        },
        {"Failed executions": _failed(own), "Redrives": _redriven(own), "Parked messages": _parked(own)},
        {"Function errors": _calls(resources, "Errors"), "Throttles": _calls(resources, "Throttles")},
    )
    for graphs in rows:
        width = WIDTH // len(graphs)
        dashboard.add_widgets(
            *(
                cloudwatch.GraphWidget(title=title, left=list(metrics), width=width, height=HEIGHT)
                for title, metrics in graphs.items()
            )
        )


def _lag(own: OwnMetrics) -> list[cloudwatch.Metric]:
    return [own.of(executor, Metric.START_LAG_MS, P99) for executor in LANES]


def _ticks(own: OwnMetrics) -> list[cloudwatch.Metric]:
    return [
        own.of("watcher", Metric.WATCHER_TICK),
        own.of("sweeper", Metric.SWEEPER_TICK),
        own.of("redriver", Metric.REDRIVER_TICK),
    ]


def _late(own: OwnMetrics) -> list[cloudwatch.Metric]:
    return [own.of("sweeper", Metric.OLDEST_UNCLAIMED_DUE_SECONDS, MAXIMUM)]


def _outcomes(own: OwnMetrics) -> list[cloudwatch.Metric]:
    names = (
        Metric.CLAIMED,
        Metric.SUCCEEDED,
        Metric.RETRIED,
        Metric.FAILED,
        Metric.FENCED,
    )
    refunded = own.of_stage(Metric.ATTEMPTS_REFUNDED)
    return [*(own.of(executor, name) for name in names for executor in EXECUTORS), refunded]


def _dispatch(own: OwnMetrics) -> list[cloudwatch.Metric]:
    names = (Metric.DUE_FOUND, Metric.WAKEUPS_SENT, Metric.SEND_FAILED)
    return [own.of("watcher", name) for name in names]


def _recovered(own: OwnMetrics) -> list[cloudwatch.Metric]:
    swept = [own.of("sweeper", name) for name in (Metric.RESENT, Metric.WORKER_LOST)]
    swept.append(own.of_stage(Metric.QUARANTINED))
    names = (Metric.DEAD_LETTER_RESCHEDULED, Metric.DEAD_LETTER_PARKED, Metric.DEAD_LETTER_FAILED)
    return swept + [own.of("dead-letter", name) for name in names]


def _deferred(own: OwnMetrics, names: Sequence[str]) -> list[cloudwatch.Metric]:
    return [own.of(executor, name) for name in names for executor in EXECUTORS]


def _breakers(own: OwnMetrics) -> list[cloudwatch.Metric]:
    opened = [own.of(executor, Metric.BREAKER_OPENED) for executor in EXECUTORS]
    return [own.of("sweeper", Metric.OPEN_BREAKERS, MAXIMUM), *opened]


def _failed(own: OwnMetrics) -> list[cloudwatch.Metric]:
    executors = [own.of(executor, Metric.FAILED) for executor in EXECUTORS]
    others = [own.of("sweeper", Metric.FAILED), own.of("dead-letter", Metric.DEAD_LETTER_FAILED)]
    return executors + others


def _redriven(own: OwnMetrics) -> list[cloudwatch.Metric]:
    names = (Metric.REDRIVEN, Metric.REDRIVES_UNDONE)
    return [own.of("api", Metric.REDRIVEN), *(own.of("redriver", name) for name in names)]


def _parked(own: OwnMetrics) -> list[cloudwatch.Metric]:
    parked = own.of("dead-letter", Metric.DEAD_LETTER_PARKED)
    return [own.of("redriver", Metric.PARKED_WAITING, MAXIMUM), parked]


def _ages(resources: MonitoredResources) -> list[cloudwatch.Metric]:
    name = "ApproximateAgeOfOldestMessage"
    return [queue_metric(name, pair.main) for pair in resources.lanes.queues.values()]


def _dead(resources: MonitoredResources) -> list[cloudwatch.Metric]:
    name = "ApproximateNumberOfMessagesVisible"
    return [queue_metric(name, pair.dead) for pair in resources.lanes.queues.values()]


def _api(own: OwnMetrics, resources: MonitoredResources) -> list[cloudwatch.Metric]:
    api = resources.entry.api
    return [
        api.metric_count(statistic=SUM, period=MINUTE),
        api.metric_client_error(statistic=SUM, period=MINUTE),
        api.metric_server_error(statistic=SUM, period=MINUTE),
        own.of("api", Metric.JOBS_CREATED),
    ]


def _calls(resources: MonitoredResources, name: str) -> list[cloudwatch.Metric]:
    return [function_metric(name, function) for function in resources.functions.by_service.values()]
