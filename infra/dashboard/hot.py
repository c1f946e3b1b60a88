"""What is hot?"""

from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cloudwatch

from infra.components.metrics import MAXIMUM, MINUTE, P99
from infra.dashboard.section import Graph, Limit, Section, capacity_line
from infra.dashboard.sources import Sources, added

SECONDS = 60


def hot(sources: Sources, more: Sequence[cloudwatch.IWidget]) -> Section:
    stage, api = sources.stage, sources.resources.entry.api
    latency = api.metric_latency(statistic=P99, period=MINUTE).with_(label="p99")
    throttles = [
        added(f"{kind} of DynamoDB", sources.each_table(f"{kind}ThrottleEvents"), kind)
        for kind in ("Write", "Read")
    ]
    return Section(
        question="What is hot?",
        good="Nothing is throttled. Units, concurrency and requests stay under 70 % of what they may use.",
        alarms=("TableThrottles", "ClaimedConcurrency", "GatewayRate"),
        graphs=(
            Graph(
                title="Write units",
                metrics=sources.each_table("ConsumedWriteCapacityUnits"),
                limits=[_at_once(sources, "writes")],
            ),
            Graph(
                title="Read units",
                metrics=sources.each_table("ConsumedReadCapacityUnits"),
                limits=[_at_once(sources, "reads")],
            ),
            Graph(
                title="Throttled requests",
                metrics=[*sources.watched("TableThrottles"), *throttles],
                limits=sources.lines("TableThrottles"),
            ),
            Graph(
                title="Claimed concurrency of the account",
                metrics=sources.watched("ClaimedConcurrency"),
                limits=[
                    *sources.lines("ClaimedConcurrency"),
                    capacity_line(stage.concurrency_quota, f"account: {stage.concurrency_quota:,}"),
                ],
            ),
            Graph(
                title="Concurrent executions", metrics=sources.each_function("ConcurrentExecutions", MAXIMUM)
            ),
            Graph(title="Throttled invocations", metrics=sources.each_function("Throttles")),
            Graph(
                title="Requests to the API",
                metrics=sources.watched("GatewayRate"),
                limits=[
                    *sources.lines("GatewayRate"),
                    capacity_line(
                        stage.api_rate_limit * SECONDS, f"api_rate_limit: {stage.api_rate_limit * SECONDS:,}"
                    ),
                ],
            ),
            Graph(title="Latency of the API (ms)", metrics=[latency]),
        ),
        more=more,
    )


def _at_once(sources: Sources, kind: str) -> Limit:
    """What the executions table bears in a minute without a wait for DynamoDB or autoscaling."""
    units = getattr(sources.stage.at_once["executions"], kind) * SECONDS
    return capacity_line(units, f"executions at once: {units:,}")
