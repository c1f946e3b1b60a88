"""Alarms on resources of AWS: old messages, messages that stay dead, function errors, ticks that are dropped or not
delivered, concurrency, the gateway's rate and throttles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_

from infra.components.alarm_spec import AlarmSpec
from infra.components.construct_ids import construct_id
from infra.components.event_bus import EventBus
from infra.components.function_specs import EVENT_RECEIVER, FunctionSpec
from infra.components.functions import Functions
from infra.components.http_entry import HttpEntry
from infra.components.lanes import Lanes
from infra.components.metrics import MAXIMUM, MINUTE, SUM, OwnMetrics, function_metric, queue_metric
from infra.components.tables import Tables
from infra.config import StageConfig
from shared.names import Metric, QueueName

CLAIMED_SHARE = 0.7
TWO_FULL_HOURS = 90
"""Minutes that contain the burst of two full hours. One such burst throttles for a minute or two."""
SLOW_PATH_AGE_SECONDS = 1_200
"""A row that is overdue is sent again every quarter of an hour: no copy was received meanwhile."""
LEFT_MINUTES = 15
MAX_IN_FLIGHT = 120_000
"""Of a standard queue. Lambda's long polls get nothing beyond it, and no error."""
IN_FLIGHT_SHARE = 0.25
FAILING_MINUTES = 10
"""Each of them has such events. They come again after a minute or more, unless there are many."""
MOST_IN_EXPRESSION = 10
"""Metrics that an alarm on an expression may read."""
WITHOUT_TICKS_ALARM = frozenset({"archiver", "auditor", "reconciler", "canary-prober"})
"""The runs of these functions are minutes apart, and their reports tell what they have not looked at.
`CanaryMissing` tells of ticks of the prober that are lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredResources:
    """The resources that the alarms and the dashboard monitor."""

    functions: Functions
    lanes: Lanes
    entry: HttpEntry
    tables: Tables
    rules: Sequence[events.Rule]
    """The rules of the scheduled ticks."""
    events: EventBus | None = None
    """The event bus; None for a stage without one."""


def resource_alarms(stage: StageConfig, resources: MonitoredResources) -> Iterator[AlarmSpec]:
    yield _entry(stage, resources.entry)
    for queue in QueueName:
        if queue.is_slow:
            yield _slow_path(queue, resources.lanes)
    for service, function in resources.functions.by_service.items():
        spec = resources.functions.specs[service]
        if spec.consumes:
            yield _errors(spec, function)
        elif spec.is_scheduled and service not in WITHOUT_TICKS_ALARM:
            yield _lost_ticks(spec, function)
    yield from _undelivered_ticks(resources.rules)
    yield _left_dead(resources.lanes)
    if resources.events is not None:
        yield _dead_events(resources.events)
        yield _events_in_flight(resources.events)
        yield _events_failing(stage)
    yield _account(stage)
    yield throttles_alarm(stage)


def _entry(stage: StageConfig, entry: HttpEntry) -> AlarmSpec:
    """Beyond its rate, the gateway refuses requests of every tenant with 429. Its metric of 4xx cannot tell: it
    also has the errors of clients."""
    return AlarmSpec(
        name="GatewayRate",
        description="Requests use over 70 % of the gateway's rate: it may soon refuse those of every tenant.",
        metric=entry.api.metric_count(statistic=SUM, period=MINUTE),
        threshold=CLAIMED_SHARE * stage.api_rate_limit * 60,
        minutes=3,
        of_minutes=5,
    )


def _slow_path(queue: QueueName, lanes: Lanes) -> AlarmSpec:
    """Executions behind a slow destination may count as throttled while the rest of their lane is working. The
    other queues need no such alarm: if their executors are down, the sweeper measures it."""
    return AlarmSpec(
        name=f"QueueAge{construct_id(queue)}",
        description=f"The oldest message of the {queue} queue is over 20 minutes old: its executor is down or "
        "overloaded.",
        metric=queue_metric("ApproximateAgeOfOldestMessage", lanes.queues[queue].main),
        threshold=SLOW_PATH_AGE_SECONDS,
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


def _undelivered_ticks(rules: Sequence[events.Rule]) -> Iterator[AlarmSpec]:
    """EventBridge gives up a tick within a minute, for instance without the permission to invoke the function."""
    for first in range(0, len(rules), MOST_IN_EXPRESSION):
        number = first // MOST_IN_EXPRESSION + 1
        yield AlarmSpec(
            name=f"TicksUndelivered{number if number > 1 else ''}",
            description="EventBridge could not deliver ticks: their work was left to the next tick.",
            metric=_total(
                {
                    f"r{index}": cloudwatch.Metric(
                        namespace="AWS/Events",
                        metric_name="FailedInvocations",
                        dimensions_map={"RuleName": rule.rule_name},
                        statistic=SUM,
                        period=MINUTE,
                    )
                    for index, rule in enumerate(rules[first : first + MOST_IN_EXPRESSION])
                },
                "ticks that were not delivered",
            ),
            minutes=2,
            of_minutes=5,
        )


def _left_dead(lanes: Lanes) -> AlarmSpec:
    """The handler of dead messages empties their queues within seconds, unless it is not invoked."""
    return AlarmSpec(
        name="DeadMessagesLeft",
        description="A dead-letter queue has had messages for 15 minutes: their handler does not receive them.",
        metric=_total(
            {
                f"q{index}": queue_metric("ApproximateNumberOfMessagesVisible", pair.dead)
                for index, pair in enumerate(lanes.queues.values())
            },
            "messages in dead-letter queues",
        ),
        minutes=LEFT_MINUTES,
        of_minutes=LEFT_MINUTES,
    )


def _dead_events(events: EventBus) -> AlarmSpec:
    """Nothing receives from this queue: an operator decides about each event."""
    return AlarmSpec(
        name="DeadEvents",
        description="Events of the bus could not be received: they start no job until they are redriven.",
        metric=queue_metric("ApproximateNumberOfMessagesVisible", events.dead),
    )


def _events_in_flight(events: EventBus) -> AlarmSpec:
    """Ten executions with a batch each have 100 events in flight. More wait for the end of their visibility timeout."""
    return AlarmSpec(
        name="EventsInFlight",
        description="A quarter of the events that the queue of the bus may have in flight are so: at 120,000 it "
        "delivers none, of any tenant.",
        metric=queue_metric("ApproximateNumberOfMessagesNotVisible", events.queue),
        threshold=IN_FLIGHT_SHARE * MAX_IN_FLIGHT,
        minutes=3,
        of_minutes=5,
    )


def _events_failing(stage: StageConfig) -> AlarmSpec:
    """They are delivered again for hours, so `DeadEvents` would tell of them late. A tenant's quota is no fault."""
    return AlarmSpec(
        name="EventsFailing",
        description="Events of the bus are delivered again because of faults that are not those of their tenants.",
        metric=OwnMetrics(stage).of(EVENT_RECEIVER, Metric.EVENTS_FAILED),
        minutes=FAILING_MINUTES,
        of_minutes=FAILING_MINUTES,
    )


def _total(metrics: Mapping[str, cloudwatch.Metric], label: str) -> cloudwatch.MathExpression:
    """The sum of metrics, of which AWS may report none in a minute."""
    return cloudwatch.MathExpression(
        expression=f"SUM(FILL([{', '.join(metrics)}], 0))",
        using_metrics=metrics,
        period=MINUTE,
        label=label,
    )


def _account(stage: StageConfig) -> AlarmSpec:
    """The metric is of the whole account, also of other programs in it."""
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
        threshold=CLAIMED_SHARE * stage.concurrency_quota,
        minutes=3,
        of_minutes=5,
    )


def throttles_alarm(stage: StageConfig) -> AlarmSpec:
    """On a count of our own, because alarms on metrics of DynamoDB keep their state while data is missing."""
    is_provisioned = stage.provisioned is not None
    cause = "raise the minimum units" if is_provisioned else "a hot partition; consider more shards"
    return AlarmSpec(
        name="TableThrottles",
        description=f"DynamoDB throttles requests despite retries: {cause}.",
        metric=OwnMetrics(stage).of_stage(Metric.THROTTLED_REQUESTS),
        minutes=2 if is_provisioned else 3,
        of_minutes=TWO_FULL_HOURS if is_provisioned else 5,
    )
