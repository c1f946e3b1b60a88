"""Alarms on AWS metrics: queue age, dead messages, API errors, function errors and throttling."""

from collections.abc import Iterator
from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_

from infra.components.alarm_spec import AlarmSpec
from infra.components.construct_ids import construct_id
from infra.components.functions import Functions
from infra.components.http_entry import HttpEntry
from infra.components.lanes import MAX_RECEIVES, Lanes
from infra.components.metrics import MAXIMUM, MINUTE, SUM, function_metric, queue_metric, table_throttles
from infra.components.tables import Tables
from infra.config import StageConfig
from shared.names import Index, QueueName

CLAIMED_SHARE = 0.7
TWO_FULL_HOURS = 90
"""Minutes that contain the burst of two full hours. One such burst throttles for a minute or two."""
QUEUE_AGE_SECONDS = 1_200
"""A message may be delayed for 900 s; if it is five minutes older, no executor processes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredResources:
    """The resources that the alarms and the dashboard monitor."""

    functions: Functions
    lanes: Lanes
    tables: Tables
    entry: HttpEntry


def resource_alarms(stage: StageConfig, resources: MonitoredResources) -> Iterator[AlarmSpec]:
    for queue in QueueName:
        yield from _queue(queue, resources.lanes)
    yield from _entry(resources.entry)
    for service, function in resources.functions.by_service.items():
        spec = resources.functions.specs[service]
        yield from _function(spec.construct_id, function)
        if spec.allows_recursion:
            yield _recursion(spec.construct_id, function)
        if spec.is_scheduled:
            yield _lost_ticks(spec.construct_id, function)
    yield _account(stage)
    if not stage.emulated:  # Metric sums are expressions, and the emulator refuses alarms on expressions.
        yield from table_alarms(stage, resources.tables)


def _queue(queue: QueueName, lanes: Lanes) -> Iterator[AlarmSpec]:
    pair, name = lanes.queues[queue], construct_id(queue)
    yield AlarmSpec(
        name=f"QueueAge{name}",
        description=f"The oldest message of the {queue} queue is over 20 minutes old; check its executor.",
        metric=queue_metric("ApproximateAgeOfOldestMessage", pair.main),
        threshold=QUEUE_AGE_SECONDS,
    )
    yield AlarmSpec(
        name=f"DeadLetters{name}",
        description=f"Messages of the {queue} queue failed {MAX_RECEIVES} receives and are in its DLQ.",
        metric=queue_metric("ApproximateNumberOfMessagesVisible", pair.dead),
    )


def _entry(entry: HttpEntry) -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="Api5xx",
        description="The API returns 5xx errors: jobs are not accepted.",
        metric=entry.api.metric_server_error(statistic=SUM, period=MINUTE),
        minutes=3,
        of_minutes=5,
    )


def _function(name: str, function: lambda_.Function) -> Iterator[AlarmSpec]:
    """Alarms need repeated errors, because the protocol recovers from a single crash."""
    yield AlarmSpec(
        name=f"Errors{name}",
        description="The function fails repeatedly; see its log.",
        metric=function_metric("Errors", function),
        minutes=3,
        of_minutes=5,
    )
    yield AlarmSpec(
        name=f"Throttles{name}",
        description="Lambda throttles the function: raise the account's limit or lower a lane's concurrency.",
        metric=function_metric("Throttles", function),
        minutes=3,
        of_minutes=5,
    )


def _lost_ticks(name: str, function: lambda_.Function) -> AlarmSpec:
    """A tick that is throttled or fails for a minute is dropped, and only this metric counts it."""
    return AlarmSpec(
        name=f"TicksDropped{name}",
        description="Lambda dropped a tick because of throttles or errors: its work was left to the next tick.",
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


def _recursion(name: str, function: lambda_.Function) -> AlarmSpec:
    return AlarmSpec(
        name=f"RecursionDropped{name}",
        description="Lambda stopped a chain of retries or successors as a loop: set RecursiveLoop to Allow.",
        metric=function_metric("RecursiveInvocationsDropped", function),
    )


def table_alarms(stage: StageConfig, tables: Tables) -> Iterator[AlarmSpec]:
    for name, table in tables.by_name().items():
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
