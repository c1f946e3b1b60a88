"""Alarms on AWS metrics: API errors, function errors, dropped ticks, concurrency and throttled tables."""

from collections.abc import Iterator
from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_

from infra.components.alarm_spec import AlarmSpec
from infra.components.function_specs import FunctionSpec
from infra.components.functions import Functions
from infra.components.http_entry import HttpEntry
from infra.components.lanes import Lanes
from infra.components.metrics import MAXIMUM, MINUTE, SUM, function_metric, table_throttles
from infra.components.tables import Tables
from infra.config import StageConfig
from shared.names import Index

CLAIMED_SHARE = 0.7
TWO_FULL_HOURS = 90
"""Minutes that contain the burst of two full hours. One such burst throttles for a minute or two."""
WITHOUT_TICKS_ALARM = frozenset({"reconciler"})
"""Its runs are a quarter of an hour apart: the age of its reports tells what it has not looked at."""
TABLES = ("executions", "jobs", "leases")
"""Throttled requests to the others fail requests and claims, which have alarms of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredResources:
    """The resources that the alarms and the dashboard monitor."""

    functions: Functions
    lanes: Lanes
    tables: Tables
    entry: HttpEntry


def resource_alarms(stage: StageConfig, resources: MonitoredResources) -> Iterator[AlarmSpec]:
    yield _entry(resources.entry)
    for service, function in resources.functions.by_service.items():
        spec = resources.functions.specs[service]
        if spec.consumes:
            yield _errors(spec, function)
        elif spec.is_scheduled and service not in WITHOUT_TICKS_ALARM:
            yield _lost_ticks(spec, function)
    yield _account(stage)
    if not stage.emulated:  # Metric sums are expressions, and the emulator refuses alarms on expressions.
        yield from table_alarms(stage, resources.tables)


def _entry(entry: HttpEntry) -> AlarmSpec:
    """Errors and throttles of the API's function show here, too: the gateway answers them with 5xx."""
    return AlarmSpec(
        name="Api5xx",
        description="The API returns 5xx errors: jobs are not accepted.",
        metric=entry.api.metric_server_error(statistic=SUM, period=MINUTE),
        minutes=3,
        of_minutes=5,
    )


def _errors(spec: FunctionSpec, function: lambda_.Function) -> AlarmSpec:
    """An executor pages for repeated errors, because the protocol recovers from a single crash. The handler of
    dead messages pages for each error: its next try is minutes away."""
    return AlarmSpec(
        name=f"Errors{spec.construct_id}",
        description="The function fails, and its messages are delivered again; see its log.",
        metric=function_metric("Errors", function),
        minutes=1 if spec.reads_dead_letters else 3,
        of_minutes=1 if spec.reads_dead_letters else 5,
    )


def _lost_ticks(spec: FunctionSpec, function: lambda_.Function) -> AlarmSpec:
    """A failed tick is not retried, and one that is throttled for a minute is dropped: this metric counts
    both."""
    return AlarmSpec(
        name=f"TicksDropped{spec.construct_id}",
        description="Ticks failed or were throttled for a minute: their work was left to the next tick.",
        metric=function_metric("AsyncEventsDropped", function),
        minutes=2,
        of_minutes=5,
    )


def _account(stage: StageConfig) -> AlarmSpec:
    return AlarmSpec(
        name="ClaimedConcurrency",
        description="Over 70 % of the account's concurrent executions are claimed: executors and ticks may soon "
        "be throttled.",
        metric=cloudwatch.Metric(
            namespace="AWS/Lambda",
            metric_name="ClaimedAccountConcurrency",
            statistic=MAXIMUM,
            period=MINUTE,
        ),
        threshold=CLAIMED_SHARE * stage.account_concurrency,
        minutes=3,
        of_minutes=5,
    )


def table_alarms(stage: StageConfig, tables: Tables) -> Iterator[AlarmSpec]:
    for name in TABLES:
        table = tables.by_name()[name]
        is_provisioned = table is tables.executions and stage.provisioned is not None
        indexes = (Index.BY_TENANT, Index.FAILED) if table is tables.executions else ()
        cause = "raise its minimum units" if is_provisioned else "a hot partition; consider more shards"
        yield AlarmSpec(
            name=f"TableThrottles{name.capitalize()}",
            description=f"DynamoDB throttles requests to {name}: {cause}.",
            metric=table_throttles(table, indexes),
            minutes=2 if is_provisioned else 3,
            of_minutes=TWO_FULL_HOURS if is_provisioned else 5,
        )
