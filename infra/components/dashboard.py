"""The CloudWatch dashboard: each row answers a question that operators ask first."""

from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.components.alarms import Alarms
from infra.components.metrics import MAXIMUM, MINUTE, P99, SUM, function_metric, own_metric, queue_metric
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
    rows: tuple[dict[str, Sequence[cloudwatch.IMetric]], ...] = (
        {"Start lag, p99 (ms)": _lag(), "Heartbeats": _ticks(), "Oldest unclaimed (s)": _late()},
        {"Executions": _outcomes(), "Dispatch": _dispatch(), "Recovered": _recovered()},
        {"Oldest message (s)": _ages(resources), "Dead messages": _dead(resources), "API": _api(resources)},
        {
            "Throttled by tenant limits": _deferred(_TENANT_DEFERRALS),
            "Throttled by destination": _deferred(_DESTINATION_DEFERRALS),
            "Backpressure": _deferred(_OTHER_DEFERRALS),
        },
        {
            "Oldest throttled (s)": [own_metric(Metric.OLDEST_WAITING_DUE_SECONDS, "sweeper", MAXIMUM)],
            "Lag of throttled calls (ms)": [
                own_metric(Metric.WAITED_LAG_MS, each, P99) for each in EXECUTORS
            ],
            "Circuit breakers": _breakers(),
        },
        {"Failed executions": _failed(), "Redrives": _redriven(), "Parked messages": _parked()},
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


def _lag() -> list[cloudwatch.Metric]:
    return [own_metric(Metric.START_LAG_MS, executor, P99) for executor in LANES]


def _ticks() -> list[cloudwatch.Metric]:
    return [
        own_metric(Metric.WATCHER_TICK, "watcher"),
        own_metric(Metric.SWEEPER_TICK, "sweeper"),
        own_metric(Metric.REDRIVER_TICK, "redriver"),
    ]


def _late() -> list[cloudwatch.Metric]:
    return [own_metric(Metric.OLDEST_UNCLAIMED_DUE_SECONDS, "sweeper", MAXIMUM)]


def _outcomes() -> list[cloudwatch.Metric]:
    names = (
        Metric.CLAIMED,
        Metric.SUCCEEDED,
        Metric.RETRIED,
        Metric.ATTEMPTS_REFUNDED,
        Metric.FAILED,
        Metric.FENCED,
    )
    return [own_metric(name, executor) for name in names for executor in EXECUTORS]


def _dispatch() -> list[cloudwatch.Metric]:
    names = (Metric.DUE_FOUND, Metric.WAKEUPS_SENT, Metric.SEND_FAILED)
    return [own_metric(name, "watcher") for name in names]


def _recovered() -> list[cloudwatch.Metric]:
    swept = [own_metric(name, "sweeper") for name in (Metric.RESENT, Metric.WORKER_LOST, Metric.QUARANTINED)]
    names = (Metric.DEAD_LETTER_RESCHEDULED, Metric.DEAD_LETTER_PARKED, Metric.DEAD_LETTER_FAILED)
    return swept + [own_metric(name, "dead-letter") for name in names]


def _deferred(names: Sequence[str]) -> list[cloudwatch.Metric]:
    return [own_metric(name, executor) for name in names for executor in EXECUTORS]


def _breakers() -> list[cloudwatch.Metric]:
    opened = [own_metric(Metric.BREAKER_OPENED, executor) for executor in EXECUTORS]
    return [own_metric(Metric.OPEN_BREAKERS, "sweeper", MAXIMUM), *opened]


def _failed() -> list[cloudwatch.Metric]:
    executors = [own_metric(Metric.FAILED, executor) for executor in EXECUTORS]
    others = [own_metric(Metric.FAILED, "sweeper"), own_metric(Metric.DEAD_LETTER_FAILED, "dead-letter")]
    return executors + others


def _redriven() -> list[cloudwatch.Metric]:
    names = (Metric.REDRIVEN, Metric.REDRIVES_UNDONE)
    return [own_metric(Metric.REDRIVEN, "api"), *(own_metric(name, "redriver") for name in names)]


def _parked() -> list[cloudwatch.Metric]:
    parked = own_metric(Metric.DEAD_LETTER_PARKED, "dead-letter")
    return [own_metric(Metric.PARKED_WAITING, "redriver", MAXIMUM), parked]


def _ages(resources: MonitoredResources) -> list[cloudwatch.Metric]:
    name = "ApproximateAgeOfOldestMessage"
    return [queue_metric(name, pair.main) for pair in resources.lanes.queues.values()]


def _dead(resources: MonitoredResources) -> list[cloudwatch.Metric]:
    name = "ApproximateNumberOfMessagesVisible"
    return [queue_metric(name, pair.dead) for pair in resources.lanes.queues.values()]


def _api(resources: MonitoredResources) -> list[cloudwatch.Metric]:
    api = resources.entry.api
    return [
        api.metric_count(statistic=SUM, period=MINUTE),
        api.metric_client_error(statistic=SUM, period=MINUTE),
        api.metric_server_error(statistic=SUM, period=MINUTE),
        own_metric(Metric.JOBS_CREATED, "api"),
    ]


def _calls(resources: MonitoredResources, name: str) -> list[cloudwatch.Metric]:
    return [function_metric(name, function) for function in resources.functions.by_service.values()]
