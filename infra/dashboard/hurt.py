"""Who is hurt?"""

from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cloudwatch

from infra.components.burn_alarms import api_objective
from infra.components.metrics import MAXIMUM, MINUTE, P99, SUM
from infra.dashboard.section import Graph, Section
from infra.dashboard.shares import share_graph
from infra.dashboard.sources import Sources
from shared.names import Metric

_STORES = ("AttemptsRefunded", "LimitStoreErrors", "QuotaStoreErrors")
_TENANT = (Metric.DEFERRED_TENANT_CONCURRENCY, Metric.DEFERRED_TENANT_RATE)
_DESTINATION = (
    Metric.DEFERRED_BREAKER_OPEN,
    Metric.DEFERRED_DESTINATION_CONCURRENCY,
    Metric.DEFERRED_DESTINATION_RATE,
    Metric.DEFERRED_SLOW,
)
_LANE = (Metric.DEFERRED_BACKPRESSURE, Metric.DEFERRED_LATE)


def hurt(sources: Sources, more: Sequence[cloudwatch.IWidget]) -> Section:
    own, api = sources.own, sources.resources.entry.api
    refused = [own.of("api", name) for name in (Metric.RATE_LIMITED, Metric.QUOTA_EXCEEDED)]
    errors = api.metric_client_error(statistic=SUM, period=MINUTE).with_(label="4xx of the gateway")
    rejected = own.of("sweeper", Metric.FAILED).with_(label="worker lost")
    dead = own.of("dead-letter", Metric.DEAD_LETTER_FAILED).with_(label="dead message")
    opened = sources.all_executors(Metric.BREAKER_OPENED)
    return Section(
        question="Who is hurt?",
        good="99.95 % of requests get no 5xx. Failures, circuit breakers and waits belong to a few tenants or "
        "destinations: they are the tenant's responsibility, and fire no alarm.",
        alarms=("ApiBurnFast", "ApiBurnSlow", *sources.named("Rollout"), *_STORES, "ClockSkew"),
        graphs=(
            share_graph(
                "Requests answered with 5xx (%, of five minutes)",
                api_objective(sources.resources.entry),
                sources,
            ),
            Graph(title="Refused requests", metrics=[errors, *refused]),
            Graph(title="Failed executions", metrics=[*sources.each_executor(Metric.FAILED), rejected, dead]),
            Graph(title="Calls that wait for a tenant's limit", metrics=_sums(sources, _TENANT)),
            Graph(title="Calls that wait for a destination", metrics=_sums(sources, _DESTINATION)),
            Graph(title="Calls that make room for others", metrics=_sums(sources, _LANE)),
            Graph(
                title="Lag of calls that waited, p99 (ms)",
                metrics=sources.each_executor(Metric.WAITED_LAG_MS, P99),
            ),
            Graph(
                title="Circuit breakers", metrics=[own.of("sweeper", Metric.OPEN_BREAKERS, MAXIMUM), opened]
            ),
            Graph(
                title="Claims without a call, calls without limits",
                metrics=sources.watched(*_STORES),
                limits=sources.lines(*_STORES[:1]),
            ),
            Graph(
                title="Clock skew of executors (ms)",
                metrics=sources.watched("ClockSkew"),
                limits=sources.lines("ClockSkew"),
            ),
        ),
        more=more,
    )


def _sums(sources: Sources, names: Sequence[str]) -> list[cloudwatch.IMetric]:
    return [sources.all_executors(name) for name in names]
