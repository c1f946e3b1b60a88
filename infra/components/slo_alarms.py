"""Alarms on our own metrics: heartbeats, unclaimed executions, broken guarantees, and faults of AWS services."""

from collections.abc import Iterator

from infra.components.alarm_spec import MISSING_IS_BREACHING, UNDER, AlarmSpec
from infra.components.lanes import MAX_RECEIVES
from infra.components.metrics import MAXIMUM, OwnMetrics
from infra.config import StageConfig
from shared.names import Metric

OLDEST_UNCLAIMED_SECONDS = 120
ARCHIVE_OVERDUE_SECONDS = 86_400
"""Counted from day 12 after the hour. Records expire 14 days after their end."""
AUDIT_TRAIL_OVERDUE_SECONDS = 6 * 3_600
"""Records stay in their table for months. Until they are copied, the table alone keeps them."""
RECONCILER_AGE_SECONDS = 3_600
"""A run begins every 15 minutes and looks at what is at least 10 minutes old. No report at all is as bad."""


def slo_alarms(stage: StageConfig) -> Iterator[AlarmSpec]:
    own = OwnMetrics(stage)
    yield from _heartbeats(own, stage)
    yield from _reconciler(own)
    yield from _executions(own)
    if stage.archive_days:
        yield from _archive(own)
    if stage.audit_lock_days:
        yield from _audit_trail(own)
    yield from _services(own)


def _heartbeats(own: OwnMetrics, stage: StageConfig) -> Iterator[AlarmSpec]:
    # CloudWatch looks at some more minutes than these before it takes missing data for silence.
    # A tick may slip into the next minute and leave one minute short, but never three in a row.
    for name, metric, service, runs, minutes, description in (
        (
            "WatcherHeartbeat",
            Metric.WATCHER_TICK,
            "watcher",
            stage.watchers,
            3,
            "A shard range was not scanned for some minutes: its jobs start late, through the sweeper.",
        ),
        (
            "SweeperHeartbeat",
            Metric.SWEEPER_TICK,
            "sweeper",
            stage.sweepers,
            3,
            "A part of the ledger was not swept for some minutes: lost messages and crashed workers stay undetected.",
        ),
        (
            "RedriverHeartbeat",
            Metric.REDRIVER_TICK,
            "redriver",
            1,
            5,
            "No run of the redriver ended for some minutes: bulk redrives and bulk operations make no progress.",
        ),
    ):
        yield AlarmSpec(
            name=name,
            description=description,
            metric=own.of(service, metric),
            threshold=runs,
            comparison=UNDER,
            missing=MISSING_IS_BREACHING,
            minutes=minutes,
            of_minutes=minutes,
        )


def _reconciler(own: OwnMetrics) -> Iterator[AlarmSpec]:
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
            metric=own.of("reconciler", metric, MAXIMUM),
            threshold=RECONCILER_AGE_SECONDS,
            missing=MISSING_IS_BREACHING,
            minutes=60,
            of_minutes=60,
        )
    for name, metric, description in (
        (
            "MissingExecutions",
            Metric.MISSING_EXECUTIONS,
            "An acknowledged execution has no record: a guarantee is broken.",
        ),
        (
            "DoubleCompleted",
            Metric.DOUBLE_COMPLETED,
            "An execution was completed twice: a guarantee is broken.",
        ),
        (
            "ChainsRepaired",
            Metric.CHAINS_REPAIRED,
            "An active job had no next execution; the reconciler filed it.",
        ),
    ):
        yield AlarmSpec(name=name, description=description, metric=own.of("reconciler", metric))


def _executions(own: OwnMetrics) -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="OldestUnclaimedDue",
        description="An unthrottled execution or retry is over 2 minutes late and no worker has claimed it: "
        "check the executors and queues.",
        metric=own.of("sweeper", Metric.OLDEST_UNCLAIMED_DUE_SECONDS, MAXIMUM),
        threshold=OLDEST_UNCLAIMED_SECONDS,
    )
    yield AlarmSpec(
        name="Quarantined",
        description="A watcher, the sweeper or the reconciler cannot read a row: its job does not run.",
        metric=own.of_stage(Metric.QUARANTINED),
    )
    yield AlarmSpec(
        name="DeadMessages",
        description=f"Messages failed {MAX_RECEIVES} receives and went to a dead-letter queue: see the executors' "
        "errors.",
        metric=own.of("dead-letter", Metric.DEAD_MESSAGES),
    )
    yield AlarmSpec(
        name="Parked",
        description="A message could not be read or rescheduled and was parked.",
        metric=own.of("dead-letter", Metric.DEAD_LETTER_PARKED),
    )


def _archive(own: OwnMetrics) -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="ArchiveUnsealed",
        description="An hour is not archived a day after it should be, or no archiver reports: its records expire "
        "soon.",
        metric=own.of("archiver", Metric.ARCHIVE_OVERDUE_SECONDS, MAXIMUM),
        threshold=ARCHIVE_OVERDUE_SECONDS,
        missing=MISSING_IS_BREACHING,
        minutes=60,
        of_minutes=60,
    )
    yield AlarmSpec(
        name="ArchiveMismatch",
        description="A file of the archive is damaged, or has other executions than the index of tenants.",
        metric=own.of("archiver", Metric.ARCHIVE_MISMATCH),
    )


def _audit_trail(own: OwnMetrics) -> Iterator[AlarmSpec]:
    yield AlarmSpec(
        name="AuditTrailBehind",
        description="An hour of audit records is not locked six hours after its end, or no auditor reports.",
        metric=own.of("auditor", Metric.AUDIT_TRAIL_OVERDUE_SECONDS, MAXIMUM),
        threshold=AUDIT_TRAIL_OVERDUE_SECONDS,
        missing=MISSING_IS_BREACHING,
        minutes=60,
        of_minutes=60,
    )
    yield AlarmSpec(
        name="AuditTrailMismatch",
        description="A segment of the audit trail is gone, has changed, or is not of the auditor.",
        metric=own.of("auditor", Metric.AUDIT_TRAIL_MISMATCH),
    )


def _services(own: OwnMetrics) -> Iterator[AlarmSpec]:
    """Faults of the services below, which all executors or all API functions share."""
    yield AlarmSpec(
        name="AuditFailed",
        description="A change was made, but its audit record could not be written; the API's log has it.",
        metric=own.of("api", Metric.AUDIT_FAILED),
    )
    for name, metric, description in (
        (
            "AttemptsRefunded",
            own.of_stage(Metric.ATTEMPTS_REFUNDED),
            "Claims made no call, because KMS, DynamoDB, sockets or time were short: calls are late.",
        ),
        (
            "ClockSkew",
            own.of_stage(Metric.CLOCK_SKEW_MS, MAXIMUM),
            "A clock of the executors is over 1 s behind SQS or over 5 s ahead.",
        ),
        (
            "LimitStoreErrors",
            own.of_stage(Metric.LIMIT_STORE_ERRORS),
            "Calls were made without limits, because the leases table did not respond.",
        ),
        (
            "QuotaStoreErrors",
            own.of("api", Metric.QUOTA_STORE_ERRORS),
            "Requests were accepted without rate limits, because the leases table did not respond.",
        ),
    ):
        yield AlarmSpec(name=name, description=description, metric=metric, minutes=3, of_minutes=5)
