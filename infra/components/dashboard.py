"""The dashboard: one row for each question that an operator asks first."""

from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.components.alarms import Alarms
from infra.components.metrics import MAXIMUM, MINUTE, P99, SUM, of_function, of_queue, own
from infra.components.resource_alarms import Watched
from infra.config import StageConfig
from shared.names import Lane, Metric, QueueName

WIDTH = 24
HEIGHT = 6
LANES = tuple(f"executor-{lane}" for lane in Lane)
EXECUTORS = tuple(f"executor-{queue}" for queue in QueueName)
_WAITS_OF_TENANTS = (Metric.DEFERRED_TENANT_CONCURRENCY, Metric.DEFERRED_TENANT_RATE)
_WAITS_OF_DESTINATIONS = (
    Metric.DEFERRED_BREAKER_OPEN,
    Metric.DEFERRED_DESTINATION_CONCURRENCY,
    Metric.DEFERRED_DESTINATION_RATE,
    Metric.DEFERRED_SLOW,
)
_WAITS_FOR_OTHERS = (Metric.DEFERRED_BACKPRESSURE, Metric.DEFERRED_LATE)


def add_dashboard(scope: Construct, stage: StageConfig, watched: Watched, alarms: Alarms) -> None:
    """Declare the dashboard; its name carries the region, since dashboards are global to an account."""
    board = cloudwatch.Dashboard(scope, "Dashboard", dashboard_name=f"{stage.prefix}-{stage.region}")
    board.add_widgets(
        cloudwatch.AlarmStatusWidget(title="Alarms", alarms=list(alarms.alarms), width=WIDTH, height=5)
    )
    _row(board, {"Are calls in time?": _lag(), "Is the clock ticking?": _ticks(), "What is late?": _late()})
    _row(board, {"Claimed and ended": _outcomes(), "Found and sent": _dispatch(), "Recovered": _recovered()})
    _row(board, {"Queue age (s)": _ages(watched), "Dead letters": _dead(watched), "API": _api(watched)})
    _row(
        board,
        {
            "Waits for tenants' limits": _deferred(_WAITS_OF_TENANTS),
            "Waits for destinations": _deferred(_WAITS_OF_DESTINATIONS),
            "Gives way": _deferred(_WAITS_FOR_OTHERS),
        },
    )
    _row(
        board,
        {
            "Oldest that waits (s)": [own(Metric.OLDEST_WAITING_DUE_SECONDS, "sweeper", MAXIMUM)],
            "Lag of what had to wait (ms)": [own(Metric.WAITED_LAG_MS, each, P99) for each in EXECUTORS],
            "Breakers": _breakers(),
        },
    )
    _row(board, {"Failed for good": _failed(), "Redriven": _redriven(), "Parked": _parked()})
    _row(board, {"Errors": _calls(watched, "Errors"), "Throttles": _calls(watched, "Throttles")})


def _row(board: cloudwatch.Dashboard, graphs: dict[str, Sequence[cloudwatch.IMetric]]) -> None:
    board.add_widgets(
        *(
            cloudwatch.GraphWidget(title=title, left=list(metrics), width=WIDTH // len(graphs), height=HEIGHT)
            for title, metrics in graphs.items()
        )
    )


def _lag() -> list[cloudwatch.Metric]:
    return [own(Metric.START_LAG_MS, executor, P99) for executor in LANES]


def _ticks() -> list[cloudwatch.Metric]:
    return [own(Metric.WATCHER_TICK, "watcher"), own(Metric.SWEEPER_TICK, "sweeper")]


def _late() -> list[cloudwatch.Metric]:
    return [own(Metric.OLDEST_UNCLAIMED_DUE_SECONDS, "sweeper", MAXIMUM)]


def _outcomes() -> list[cloudwatch.Metric]:
    names = (Metric.CLAIMED, Metric.SUCCEEDED, Metric.RETRIED, Metric.FAILED, Metric.FENCED)
    return [own(name, executor) for name in names for executor in EXECUTORS]


def _dispatch() -> list[cloudwatch.Metric]:
    return [own(name, "watcher") for name in (Metric.DUE_FOUND, Metric.WAKEUPS_SENT, Metric.SEND_FAILED)]


def _recovered() -> list[cloudwatch.Metric]:
    swept = [own(name, "sweeper") for name in (Metric.RESENT, Metric.WORKER_LOST, Metric.QUARANTINED)]
    names = (Metric.DEAD_LETTER_RESCHEDULED, Metric.DEAD_LETTER_PARKED, Metric.DEAD_LETTER_FAILED)
    return swept + [own(name, "dead-letter") for name in names]


def _deferred(names: Sequence[str]) -> list[cloudwatch.Metric]:
    return [own(name, executor) for name in names for executor in EXECUTORS]


def _breakers() -> list[cloudwatch.Metric]:
    opened = [own(Metric.BREAKER_OPENED, executor) for executor in EXECUTORS]
    return [own(Metric.OPEN_BREAKERS, "sweeper", MAXIMUM), *opened]


def _failed() -> list[cloudwatch.Metric]:
    executors = [own(Metric.FAILED, executor) for executor in EXECUTORS]
    return [*executors, own(Metric.FAILED, "sweeper"), own(Metric.DEAD_LETTER_FAILED, "dead-letter")]


def _redriven() -> list[cloudwatch.Metric]:
    swept = [own(name, "sweeper") for name in (Metric.REDRIVEN, Metric.REDRIVES_UNDONE)]
    return [own(Metric.REDRIVEN, "api"), *swept]


def _parked() -> list[cloudwatch.Metric]:
    return [
        own(Metric.PARKED_WAITING, "sweeper", MAXIMUM),
        own(Metric.DEAD_LETTER_PARKED, "dead-letter"),
    ]


def _ages(watched: Watched) -> list[cloudwatch.Metric]:
    return [of_queue("ApproximateAgeOfOldestMessage", pair.main) for pair in watched.lanes.queues.values()]


def _dead(watched: Watched) -> list[cloudwatch.Metric]:
    name = "ApproximateNumberOfMessagesVisible"
    return [of_queue(name, pair.dead) for pair in watched.lanes.queues.values()]


def _api(watched: Watched) -> list[cloudwatch.Metric]:
    api = watched.entry.api
    return [
        api.metric_count(statistic=SUM, period=MINUTE),
        api.metric_client_error(statistic=SUM, period=MINUTE),
        api.metric_server_error(statistic=SUM, period=MINUTE),
        own(Metric.JOBS_CREATED, "api"),
    ]


def _calls(watched: Watched, name: str) -> list[cloudwatch.Metric]:
    return [of_function(name, function) for function in watched.functions.by_service.values()]
