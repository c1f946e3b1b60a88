"""Alarms over what the functions say of themselves: is the clock ticking, are calls in time, is work lost."""

from collections.abc import Iterator

from infra.components.alarm_spec import MISSING_IS_BREACHING, UNDER, AlarmSpec
from infra.components.construct_ids import construct_id
from infra.components.metrics import MAXIMUM, P99, service_metric
from infra.config import StageConfig
from shared.names import Lane, Metric, QueueName

OLDEST_UNCLAIMED_SECONDS = 120
START_LAG_MS = 1_000


def slo_alarms(stage: StageConfig) -> Iterator[AlarmSpec]:
    """The alarms over our own metrics."""
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
    # A tick may slip over the edge of its minute, leaving one minute short, but never three running.
    yield AlarmSpec(
        name="WatcherHeartbeat",
        description="A range of shards has not been scanned for 3 minutes: jobs due soon wait for the sweeper.",
        metric=service_metric(Metric.WATCHER_TICK, "watcher"),
        threshold=stage.watchers,
        comparison=UNDER,
        missing=MISSING_IS_BREACHING,
        minutes=3,
        of_minutes=3,
    )
    yield AlarmSpec(
        name="SweeperHeartbeat",
        description="No sweep for 3 minutes: lost messages and dead workers go unnoticed.",
        metric=service_metric(Metric.SWEEPER_TICK, "sweeper"),
        threshold=1,
        comparison=UNDER,
        missing=MISSING_IS_BREACHING,
        minutes=3,
        of_minutes=3,
    )


def _reconciler() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="ReconcilerHeartbeat",
        description="Nothing was reconciled for an hour: a lost job would go unnoticed.",
        metric=service_metric(Metric.RECONCILER_TICK, "reconciler"),
        threshold=1,
        comparison=UNDER,
        missing=MISSING_IS_BREACHING,
        minutes=60,
        of_minutes=60,
    )
    for name, metric, description in (
        (
            "MissingExecutions",
            Metric.MISSING_EXECUTIONS,
            "Something that was acknowledged has no record: the promise is broken.",
        ),
        (
            "DoubleCompleted",
            Metric.DOUBLE_COMPLETED,
            "An execution was completed twice: the fence did not hold.",
        ),
        ("ChainsRepaired", Metric.CHAINS_REPAIRED, "An active job had lost its next run, and got it back."),
    ):
        yield AlarmSpec(name=name, description=description, metric=service_metric(metric, "reconciler"))


def _sweeper() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="OldestUnclaimedDue",
        description="A job is due for over 2 minutes, does not wait as ordered, and no worker has claimed it.",
        metric=service_metric(Metric.OLDEST_UNCLAIMED_DUE_SECONDS, "sweeper", MAXIMUM),
        threshold=OLDEST_UNCLAIMED_SECONDS,
    )
    yield AlarmSpec(
        name="Quarantined",
        description="The sweeper set a row aside that it cannot read: that job does not run.",
        metric=service_metric(Metric.QUARANTINED, "sweeper"),
    )
    yield AlarmSpec(
        name="FailedSweeper",
        description="Executions ended as failed because their last worker died. For the tenant to act on.",
        metric=service_metric(Metric.FAILED, "sweeper"),
        pages=False,
    )


def _start_lag(lane: Lane) -> AlarmSpec:
    return AlarmSpec(
        name=f"StartLag{lane.capitalize()}",
        description=f"1 in 100 calls of the {lane} lane starts over a second late, and had nothing to wait for.",
        metric=service_metric(Metric.START_LAG_MS, f"executor-{lane}", P99),
        threshold=START_LAG_MS,
        minutes=3,
        of_minutes=5,
    )


def _executor(queue: QueueName) -> Iterator[AlarmSpec]:
    name, executor = construct_id(queue), f"executor-{queue}"
    yield AlarmSpec(
        name=f"Failed{name}",
        description=f"Executions of the {queue} queue used up their attempts. For the tenant to act on.",
        metric=service_metric(Metric.FAILED, executor),
        pages=False,
    )
    yield AlarmSpec(
        name=f"LimitStoreErrors{name}",
        description="Calls were made without their limits, since the store of limits did not answer.",
        metric=service_metric(Metric.LIMIT_STORE_ERRORS, executor),
        minutes=3,
        of_minutes=5,
    )


def _breakers() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="OpenBreakers",
        description="Destinations do not answer, and their jobs wait. For their tenants to act on.",
        metric=service_metric(Metric.OPEN_BREAKERS, "sweeper", MAXIMUM),
        pages=False,
    )


def _dead_letters() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="Parked",
        description="A message could not be read or scheduled again and was parked.",
        metric=service_metric(Metric.DEAD_LETTER_PARKED, "dead-letter"),
    )
    yield AlarmSpec(
        name="ParkedWaiting",
        description="A parked message waits for an operator: list-parked shows it, remove-parked ends this alarm.",
        metric=service_metric(Metric.PARKED_WAITING, "sweeper", MAXIMUM),
        pages=False,
    )
    yield AlarmSpec(
        name="FailedDeadLetter",
        description="Executions ended as failed because their messages did. For the tenant to act on.",
        metric=service_metric(Metric.DEAD_LETTER_FAILED, "dead-letter"),
        pages=False,
    )


def _accounts() -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="AuditFailed",
        description="A change was made whose record could not be written; the API's log has it.",
        metric=service_metric(Metric.AUDIT_FAILED, "api"),
    )
    yield AlarmSpec(
        name="QuotaStoreErrors",
        description="Requests went on without their tenants' limits, since the store of budgets did not answer.",
        metric=service_metric(Metric.QUOTA_STORE_ERRORS, "api"),
        minutes=3,
        of_minutes=5,
    )
