"""Alarms on our own metrics: heartbeats, start lag, and broken guarantees."""

from collections.abc import Iterator

from infra.components.alarm_spec import MISSING_IS_BREACHING, UNDER, AlarmSpec
from infra.components.construct_ids import construct_id
from infra.components.metrics import MAXIMUM, P99, own_metric
from infra.config import StageConfig
from shared.names import Lane, Metric, QueueName

OLDEST_UNCLAIMED_SECONDS = 120
START_LAG_MS = 1_000
RECONCILER_AGE_SECONDS = 3_600
"""A run begins every 15 minutes and looks at what is at least 10 minutes old. No report at all is as bad."""


def slo_alarms(stage: StageConfig) -> Iterator[AlarmSpec]:
    yield from _heartbeats(stage)
    yield from _sweeper()
    yield from _reconciler()
    for lane in Lane:
        yield _start_lag(lane)
    for queue in QueueName:
        yield from _executor(queue)
    yield from _breakers()
    yield from _dead_letters()
    yield from _accounts()


def _heartbeats(stage: StageConfig) -> Iterator[AlarmSpec]:
    # A tick may slip into the next minute and leave one minute short, but never three in a row.
    yield AlarmSpec(
        name="WatcherHeartbeat",
        description="A shard range was not scanned for 3 minutes: its jobs start late, through the sweeper.",
        metric=own_metric(Metric.WATCHER_TICK, "watcher"),
        threshold=stage.watchers,
        comparison=UNDER,
        missing=MISSING_IS_BREACHING,
        minutes=3,
        of_minutes=3,
    )
    yield AlarmSpec(
        name="SweeperHeartbeat",
        description="A part of the ledger was not swept for 3 minutes: lost messages and crashed workers stay "
        "undetected.",
        metric=own_metric(Metric.SWEEPER_TICK, "sweeper"),
        threshold=stage.sweepers,
        comparison=UNDER,
        missing=MISSING_IS_BREACHING,
        minutes=3,
        of_minutes=3,
    )
    yield AlarmSpec(
        name="RedriverHeartbeat",
        description="No run of the redriver ended for 5 minutes: bulk redrives make no progress.",
        metric=own_metric(Metric.REDRIVER_TICK, "redriver"),
        threshold=1,
        comparison=UNDER,
        missing=MISSING_IS_BREACHING,
        minutes=5,
        of_minutes=5,
    )


def _reconciler() -> Iterator[AlarmSpec]:
    for name, metric, description in (
        (
            "ReconcilerCoverage",
            Metric.RECONCILER_COVERAGE_SECONDS,
            "Some recurring jobs were not reconciled for an hour: a broken chain would go unnoticed.",
        ),
        (
            "ReconcilerCheckedThrough",
            Metric.RECONCILER_CHECKED_THROUGH_SECONDS,
            "Acknowledged jobs were not compared for an hour: a missing execution would go unnoticed.",
        ),
    ):
        yield AlarmSpec(
            name=name,
            description=description,
            metric=own_metric(metric, "reconciler", MAXIMUM),
            threshold=RECONCILER_AGE_SECONDS,
            missing=MISSING_IS_BREACHING,
            minutes=60,
            of_minutes=60,
        )
    for name, metric, description in (
        (
            "MissingExecutions",
            Metric.MISSING_EXECUTIONS,
            "An acknowledged execution has no record: a guarantee is broken. Preserve logs and tables.",
        ),
        (
            "DoubleCompleted",
            Metric.DOUBLE_COMPLETED,
            "An execution was completed twice: fencing failed. Preserve logs and tables.",
        ),
        (
            "ChainsRepaired",
            Metric.CHAINS_REPAIRED,
            "An active job had no next execution; the reconciler filed it.",
        ),
    ):
        yield AlarmSpec(name=name, description=description, metric=own_metric(metric, "reconciler"))


def _sweeper() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="OldestUnclaimedDue",
        description="An unthrottled execution is over 2 minutes late and no worker has claimed it.",
        metric=own_metric(Metric.OLDEST_UNCLAIMED_DUE_SECONDS, "sweeper", MAXIMUM),
        threshold=OLDEST_UNCLAIMED_SECONDS,
    )
    yield AlarmSpec(
        name="Quarantined",
        description="The sweeper quarantined a row that it cannot read: its job does not run.",
        metric=own_metric(Metric.QUARANTINED, "sweeper"),
    )
    yield AlarmSpec(
        name="FailedSweeper",
        description="Executions failed because their last worker crashed. The tenant's responsibility.",
        metric=own_metric(Metric.FAILED, "sweeper"),
        pages=False,
    )


def _start_lag(lane: Lane) -> AlarmSpec:
    return AlarmSpec(
        name=f"StartLag{lane.capitalize()}",
        description=f"1 in 100 unthrottled calls of the {lane} lane starts over a second late.",
        metric=own_metric(Metric.START_LAG_MS, f"executor-{lane}", P99),
        threshold=START_LAG_MS,
        minutes=3,
        of_minutes=5,
    )


def _executor(queue: QueueName) -> Iterator[AlarmSpec]:
    name, executor = construct_id(queue), f"executor-{queue}"
    yield AlarmSpec(
        name=f"Failed{name}",
        description=f"Executions of the {queue} queue failed all attempts. The tenant's responsibility.",
        metric=own_metric(Metric.FAILED, executor),
        pages=False,
    )
    yield AlarmSpec(
        name=f"AttemptsRefunded{name}",
        description=(
            f"Claims of the {queue} queue made no call: KMS, DynamoDB, sockets or time were short. Calls are late."
        ),
        metric=own_metric(Metric.ATTEMPTS_REFUNDED, executor),
        minutes=3,
        of_minutes=5,
    )
    yield AlarmSpec(
        name=f"ClockSkew{name}",
        description=f"A clock of the {queue} executors is over 1 s behind SQS or over 5 s ahead.",
        metric=own_metric(Metric.CLOCK_SKEW_MS, executor, MAXIMUM),
        minutes=3,
        of_minutes=5,
    )
    yield AlarmSpec(
        name=f"LimitStoreErrors{name}",
        description="Calls were made without limits, because the leases table did not respond.",
        metric=own_metric(Metric.LIMIT_STORE_ERRORS, executor),
        minutes=3,
        of_minutes=5,
    )


def _breakers() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="OpenBreakers",
        description="Destinations fail; their jobs wait for circuit breakers. The tenant's responsibility.",
        metric=own_metric(Metric.OPEN_BREAKERS, "sweeper", MAXIMUM),
        pages=False,
    )


def _dead_letters() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="Parked",
        description="A message could not be read or rescheduled and was parked.",
        metric=own_metric(Metric.DEAD_LETTER_PARKED, "dead-letter"),
    )
    yield AlarmSpec(
        name="ParkedWaiting",
        description="A parked message waits for an operator: see list-parked; remove-parked clears it.",
        metric=own_metric(Metric.PARKED_WAITING, "redriver", MAXIMUM),
        pages=False,
    )
    yield AlarmSpec(
        name="FailedDeadLetter",
        description="Executions failed because their messages did. The tenant's responsibility.",
        metric=own_metric(Metric.DEAD_LETTER_FAILED, "dead-letter"),
        pages=False,
    )


def _accounts() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="AuditFailed",
        description="A change was made, but its audit record could not be written; the API's log has it.",
        metric=own_metric(Metric.AUDIT_FAILED, "api"),
    )
    yield AlarmSpec(
        name="QuotaStoreErrors",
        description="Requests were accepted without rate limits, because the leases table did not respond.",
        metric=own_metric(Metric.QUOTA_STORE_ERRORS, "api"),
        minutes=3,
        of_minutes=5,
    )
