"""What invokes the functions: the lanes, their dead-letter queues, and the clock."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.components.construct_ids import construct_id
from infra.components.functions import Functions
from infra.components.lanes import Lanes
from infra.config import StageConfig
from shared.names import EXECUTOR_BATCH, QueueName

RECONCILE_MINUTES = 15
DEAD_LETTER_CONCURRENCY = 2
"""Dead letters are put back gently: they come in crowds, when something is already wrong."""


def connect_queues(functions: Functions, lanes: Lanes, stage: StageConfig) -> None:
    """Feed each lane to its executor, and every dead-letter queue to the one function that reads them."""
    for lane, pair in lanes.queues.items():
        _map(functions.executor(lane), lane, pair.main, stage.lane_concurrency.of(lane))
        _map(functions.by_service["dead-letter"], lane, pair.dead, DEAD_LETTER_CONCURRENCY)


def _map(function: lambda_.Function, name: QueueName, queue: sqs.Queue, concurrency: int) -> None:
    function.add_event_source_mapping(
        f"{construct_id(name)}Source",
        event_source_arn=queue.queue_arn,
        batch_size=EXECUTOR_BATCH,  # without a window: a due call never waits for company
        max_concurrency=concurrency,
        report_batch_item_failures=True,
    )


class Ticks(Construct):
    """The clock: every minute one tick for each range of shards and one for the sweeper; the reconciler's are rarer."""

    def __init__(self, scope: Construct, functions: Functions, stage: StageConfig) -> None:
        """Declare one rule for each tick."""
        super().__init__(scope, "Ticks")
        watcher, sweeper = functions.by_service["watcher"], functions.by_service["sweeper"]
        for index in range(stage.watchers):
            part = {"range": {"index": index, "of": stage.watchers}}
            self._rule(f"Watch{index}", watcher, events.RuleTargetInput.from_object(part))
        self._rule("Sweep", sweeper, events.RuleTargetInput.from_object({}))
        reconciler = functions.by_service["reconciler"]
        self._rule("Reconcile", reconciler, events.RuleTargetInput.from_object({}), RECONCILE_MINUTES)

    def _rule(
        self, name: str, function: lambda_.Function, tick: events.RuleTargetInput, minutes: int = 1
    ) -> None:
        """A tick that could not be delivered within a minute is dropped: the next one does its work."""
        target = targets.LambdaFunction(
            function, event=tick, retry_attempts=1, max_event_age=Duration.minutes(1)
        )
        events.Rule(self, name, schedule=events.Schedule.rate(Duration.minutes(minutes)), targets=[target])
