"""The event sources of the functions: lanes, dead-letter queues and scheduled ticks."""

from collections.abc import Mapping
from types import MappingProxyType

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.components.construct_ids import construct_id
from infra.components.functions import Functions
from infra.components.lanes import Lanes
from infra.concurrency import DEAD_LETTER_CONCURRENCY, Pollers, Source
from infra.config import StageConfig
from infra.sizing import figures
from shared.names import EXECUTOR_BATCH, QueueName

ARCHIVE_MINUTES = 5
AUDIT_MINUTES = 5
RECONCILE_MINUTES = int(figures.RECONCILE_SECONDS.value) // 60


def connect_queues(functions: Functions, lanes: Lanes, stage: StageConfig) -> None:
    """Connect each lane to its executor, and every dead-letter queue to the dead-letter function."""
    for lane, pair in lanes.queues.items():
        _map(functions.live[f"executor-{lane}"], lane, pair.main, stage.lane_concurrency.of(lane))
        _map(functions.live["dead-letter"], lane, pair.dead, DEAD_LETTER_CONCURRENCY)


def _map(function: lambda_.Alias, name: QueueName, queue: sqs.Queue, source: Source) -> None:
    pollers = (
        lambda_.ProvisionedPollerConfig(minimum_pollers=source.minimum, maximum_pollers=source.maximum)
        if isinstance(source, Pollers)
        else None
    )
    function.add_event_source_mapping(
        f"{construct_id(name)}Source",
        event_source_arn=queue.queue_arn,
        batch_size=EXECUTOR_BATCH,  # no batching window: a due call never waits for a fuller batch
        max_concurrency=source if isinstance(source, int) else None,
        provisioned_poller_config=pollers,
        report_batch_item_failures=True,
    )


class Ticks(Construct):
    """Scheduled ticks: every minute for the redriver and each range of watchers and sweepers, every 5 minutes for
    the archiver and the auditor, every 15 minutes for the reconciler."""

    def __init__(self, scope: Construct, functions: Functions, stage: StageConfig) -> None:
        super().__init__(scope, "Ticks")
        watcher, sweeper = functions.live["watcher"], functions.live["sweeper"]
        reconciler = functions.live["reconciler"]
        self.rules: list[events.Rule] = []
        whole = events.RuleTargetInput.from_object({})
        self._rules("Watch", watcher, stage.watchers)
        # A sweeper closes minutes by the time of its tick, since its own clock may be wrong.
        self._rules("Sweep", sweeper, stage.sweepers, tick={"time": events.EventField.time})
        self._rule("Redrive", functions.live["redriver"], whole, 1)
        if stage.canary:
            self._probes(functions.live["canary-prober"])
        self._rule("ReconcileMinutes", reconciler, whole, RECONCILE_MINUTES)
        self._rules("Reconcile", reconciler, stage.reconcilers, RECONCILE_MINUTES)
        if stage.archivers:
            self._rules("Archive", functions.live["archiver"], stage.archivers, ARCHIVE_MINUTES)
        if stage.audit_lock_days:
            self._rule("Audit", functions.live["auditor"], whole, AUDIT_MINUTES)

    def _rules(
        self,
        name: str,
        function: lambda_.Alias,
        parts: int,
        minutes: int = 1,
        tick: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Declare one rule for each part of the work; `tick` is what the event has beside the part."""
        for index in range(parts):
            event = {**tick, "range": {"index": index, "of": parts}}
            self._rule(f"{name}{index}", function, events.RuleTargetInput.from_object(event), minutes)

    def _probes(self, prober: lambda_.Alias) -> None:
        """Each minute of the calendar has one probe. Ticks at a rate begin at any second, and come some seconds later:
        near a full minute, one minute would have two and the next none. The event tells its minute."""
        tick = events.RuleTargetInput.from_object({"time": events.EventField.time})
        self._scheduled("Probe", prober, tick, events.Schedule.expression("cron(* * * * ? *)"))

    def _rule(self, name: str, function: lambda_.Alias, tick: events.RuleTargetInput, minutes: int) -> None:
        self._scheduled(name, function, tick, events.Schedule.rate(Duration.minutes(minutes)))

    def _scheduled(
        self, name: str, function: lambda_.Alias, tick: events.RuleTargetInput, schedule: events.Schedule
    ) -> None:
        """Declare a rule.

        A tick that is not delivered within a minute is dropped; the next tick does its work.
        """
        target = targets.LambdaFunction(
            function, event=tick, retry_attempts=1, max_event_age=Duration.minutes(1)
        )
        self.rules.append(events.Rule(self, name, schedule=schedule, targets=[target]))
