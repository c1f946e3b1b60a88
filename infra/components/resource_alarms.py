"""Alarms over what AWS says of the resources: queues that fill, requests refused, functions that fail."""

from collections.abc import Iterator
from dataclasses import dataclass

from aws_cdk import aws_lambda as lambda_

from infra.components.alarm_spec import AlarmSpec
from infra.components.construct_ids import construct_id
from infra.components.functions import Functions
from infra.components.http_entry import HttpEntry
from infra.components.lanes import Lanes
from infra.components.metrics import MINUTE, SUM, function_metric, queue_metric, table_throttles
from infra.components.tables import Tables
from infra.config import StageConfig
from shared.names import Index, QueueName

QUEUE_AGE_SECONDS = 1_200
"""A message may lawfully be delayed for 900 s; one that is five minutes older is not being worked off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredResources:
    """What the alarms and the dashboard look at."""

    functions: Functions
    lanes: Lanes
    tables: Tables
    entry: HttpEntry


def resource_alarms(stage: StageConfig, resources: MonitoredResources) -> Iterator[AlarmSpec]:
    """The alarms over metrics of AWS."""
    for queue in QueueName:
        yield from _queue(queue, resources.lanes)
    yield from _entry(resources.entry)
    for service, function in resources.functions.by_service.items():
        spec = resources.functions.specs[service]
        yield from _function(spec.construct_id, function)
        if spec.allows_recursion:
            yield _recursion(spec.construct_id, function)
    if not stage.emulated:  # These are sums, and the emulator refuses alarms on expressions.
        yield from _tables(resources.tables)


def _queue(queue: QueueName, lanes: Lanes) -> Iterator[AlarmSpec]:
    pair, name = lanes.queues[queue], construct_id(queue)
    yield AlarmSpec(
        name=f"QueueAge{name}",
        description=f"Messages of the {queue} queue are not being worked off.",
        metric=queue_metric("ApproximateAgeOfOldestMessage", pair.main),
        threshold=QUEUE_AGE_SECONDS,
    )
    yield AlarmSpec(
        name=f"DeadLetters{name}",
        description=f"Messages of the {queue} queue failed too often and wait in its dead-letter queue.",
        metric=queue_metric("ApproximateNumberOfMessagesVisible", pair.dead),
    )


def _entry(entry: HttpEntry) -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="Api5xx",
        description="Clients get 5xx: jobs are not being accepted.",
        metric=entry.api.metric_server_error(statistic=SUM, period=MINUTE),
        minutes=3,
        of_minutes=5,
    )


def _function(name: str, function: lambda_.Function) -> Iterator[AlarmSpec]:
    """A single crash is healed by the protocol; one that goes on is not."""
    yield AlarmSpec(
        name=f"Errors{name}",
        description="The function keeps failing.",
        metric=function_metric("Errors", function),
        minutes=3,
        of_minutes=5,
    )
    yield AlarmSpec(
        name=f"Throttles{name}",
        description="The function keeps being refused concurrency: raise the account's limit or lower a lane's.",
        metric=function_metric("Throttles", function),
        minutes=3,
        of_minutes=5,
    )


def _recursion(name: str, function: lambda_.Function) -> AlarmSpec:
    return AlarmSpec(
        name=f"RecursionDropped{name}",
        description="Lambda cut a chain of retries or successors as a loop: its RecursiveLoop must be Allow.",
        metric=function_metric("RecursiveInvocationsDropped", function),
    )


def _tables(tables: Tables) -> Iterator[AlarmSpec]:
    for name, table in tables.by_name().items():
        indexes = (Index.BY_TENANT, Index.FAILED) if table is tables.executions else ()
        yield AlarmSpec(
            name=f"TableThrottles{name.capitalize()}",
            description=f"DynamoDB refuses requests to {name}: a partition is too hot; consider more shards.",
            metric=table_throttles(table, indexes),
            minutes=3,
            of_minutes=5,
        )
