"""The event bus of a stage, its rule, and the queues of its receiver."""

from collections.abc import Sequence

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.components.function_specs import EVENT_RECEIVER_TIMEOUT_SECONDS
from infra.config import StageConfig
from infra.event_bus import EventBusConfig

MAX_RECEIVES = 10
"""With the visibility timeout, half an hour: of an event that ends the process that receives it, or that can be sent
neither to this queue again nor to the dead-letter queue. All others leave the queue after each receipt, because an
event that waits for the end of its visibility timeout is in flight, of which a queue has 120,000 at most."""
BATCH = 10
MAX_CONCURRENCY = 10
"""Concurrent executions of the receiver. A flood of events waits in the queue."""
DELIVERY_HOURS = 24
"""How long EventBridge tries to put an event into the queue, which is as long as it can."""


class EventBus(Construct):
    """EventBridge puts each event of the bus into a queue, from which the receiver takes batches. The receiver puts an
    event that cannot be received into the dead-letter queue itself."""

    def __init__(self, scope: Construct, stage: StageConfig, own: EventBusConfig) -> None:
        super().__init__(scope, "Events")
        self.dead = self._queue(stage, "Dead", 14, None)
        self.queue = self._queue(
            stage,
            "Queue",
            stage.queue_retention_days,
            sqs.DeadLetterQueue(queue=self.dead, max_receive_count=MAX_RECEIVES),
        )
        self.bus = events.EventBus(self, "Bus", event_bus_name=f"{stage.prefix}-events")
        if own.accounts:
            self._admit(own.accounts)
        events.Rule(
            self,
            "All",
            event_bus=self.bus,
            description=f"{stage.prefix}: every event, which operators map to tenants",
            event_pattern=events.EventPattern(source=events.Match.prefix("")),
            targets=[
                targets.SqsQueue(
                    self.queue,
                    # Without a dead-letter queue of its own, an event that the queue refuses would be lost.
                    dead_letter_queue=self.dead,
                    max_event_age=Duration.hours(DELIVERY_HOURS),
                )
            ],
        )

    def connect(self, receiver: lambda_.Alias) -> None:
        """Let the receiver take events from the queue."""
        receiver.add_event_source_mapping(
            "EventsSource",
            event_source_arn=self.queue.queue_arn,
            batch_size=BATCH,
            max_concurrency=MAX_CONCURRENCY,
            report_batch_item_failures=True,
        )

    def _admit(self, accounts: Sequence[str]) -> None:
        """Let other accounts put events on the bus, and nothing else.

        All are in one statement: the policy of a bus has at most 10,240 characters.
        """
        partition = Stack.of(self).partition
        events.CfnEventBusPolicy(
            self,
            "Accounts",
            event_bus_name=self.bus.event_bus_name,
            statement_id="Accounts",
            statement={
                "Sid": "Accounts",
                "Effect": "Allow",
                "Principal": {"AWS": [f"arn:{partition}:iam::{account}:root" for account in accounts]},
                "Action": "events:PutEvents",
                "Resource": self.bus.event_bus_arn,
            },
        )

    def _queue(self, stage: StageConfig, name: str, days: int, dead: sqs.DeadLetterQueue | None) -> sqs.Queue:
        return sqs.Queue(
            self,
            name,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=not stage.emulated,  # the emulator speaks plain HTTP on loopback
            retention_period=Duration.days(days),
            # AWS advises six times the timeout of the function.
            visibility_timeout=Duration.seconds(6 * EVENT_RECEIVER_TIMEOUT_SECONDS),
            receive_message_wait_time=Duration.seconds(20),
            dead_letter_queue=dead,
        )
