"""Each alarm reaches somebody in the fault that it is for, stays silent beside it, and tells when it is over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from shared.names import CANARY_CALLS_PER_CYCLE, CANARY_CYCLE_MINUTES, METRICS_NAMESPACE, Metric
from tests.infra.conftest import Synthesised, alarms_of
from tests.support.cloudwatch import ALARM, OK, Alarm, Key, key_of, metrics_of, passes

HEALTHY_MINUTES = 30
STEADY = 400
"""A fault begins at this minute: the longest window is over."""
SILENT: tuple[float, ...] = ()
Values = Sequence[float]
Metrics = Mapping[str, Values]


@dataclass(frozen=True)
class Fault:
    """Values that metrics have during some minutes, in place of the usual ones."""

    minutes: int
    metrics: Metrics
    every: int = 1
    """The values come in one minute of so many."""

    def __str__(self) -> str:
        return f"{self.minutes} min {dict(self.metrics)}"[:60]


def one(name: str, *values: float, minutes: int = 1, every: int = 1) -> Fault:
    return Fault(minutes, {name: values}, every)


def canary_calls(minute: int, since: int) -> int:
    """Calls that arrive in this minute, of jobs that were created since a minute."""
    ages = {0: (5,), 1: (2,), 2: (2, 3)}[minute % CANARY_CYCLE_MINUTES]
    return sum(minute - age >= since for age in ages)


def usual(stage: Any, key: Key, minute: int, since: int) -> Values:
    """A stage with steady traffic since a minute. The reconciler reports four times an hour, and the
    archiver and the auditor each five minutes."""
    namespace, name, _ = key
    if minute < since:
        return SILENT
    if namespace == METRICS_NAMESPACE and name in (
        Metric.RECONCILER_COVERAGE_SECONDS,
        Metric.RECONCILER_CHECKED_THROUGH_SECONDS,
    ):
        return [900.0] if minute % 15 == 0 else SILENT
    if name in (Metric.ARCHIVE_OVERDUE_SECONDS, Metric.AUDIT_TRAIL_OVERDUE_SECONDS):
        return [0.0] if minute % 5 == 0 else SILENT
    values: Mapping[str, Values] = {
        Metric.WATCHER_TICK: [1.0] * stage.watchers,
        Metric.SWEEPER_TICK: [1.0] * stage.sweepers,
        Metric.REDRIVER_TICK: [1.0],
        Metric.LATE_STARTS: [0.0] * 100,
        Metric.CANARY_LAG_MS: [300.0] * canary_calls(minute, since),
        "Count": [1.0] * 600,
        "ClaimedAccountConcurrency": [100.0],
        "Errors": [0.0],
    }
    return values.get(name, SILENT)


STARTS = [0.0] * 98
_MISSING = ("ArchiveUnsealed", "AuditTrailBehind", "CanaryMissing")
"""Alarms of what does not come, beside heartbeats and the ages of the reconcilers."""
TRIPS: Mapping[str, Sequence[Fault]] = {
    "WatcherHeartbeat": [one("WatcherTick", minutes=6), one("WatcherTick", 1, minutes=4)],
    "SweeperHeartbeat": [one("SweeperTick", minutes=6), one("SweeperTick", 1, minutes=4)],
    "RedriverHeartbeat": [one("RedriverTick", minutes=8)],
    "ReconcilerCoverage": [
        one("ReconcilerCoverageSeconds", minutes=90),
        one("ReconcilerCoverageSeconds", 3_700, minutes=90, every=15),
    ],
    "ReconcilerCheckedThrough": [
        one("ReconcilerCheckedThroughSeconds", minutes=90),
        one("ReconcilerCheckedThroughSeconds", 3_700, minutes=90, every=15),
    ],
    "ArchiveUnsealed": [
        one("ArchiveOverdueSeconds", minutes=65),
        one("ArchiveOverdueSeconds", 86_401, minutes=65, every=5),
    ],
    "ArchiveMismatch": [one("ArchiveMismatch", 1)],
    "AuditTrailBehind": [
        one("AuditTrailOverdueSeconds", minutes=65),
        one("AuditTrailOverdueSeconds", 21_601, minutes=65, every=5),
    ],
    "AuditTrailMismatch": [one("AuditTrailMismatch", 1)],
    "OldestUnclaimedDue": [one("OldestUnclaimedDueSeconds", 121)],
    **{
        f"QueueAge{name}": [one("ApproximateAgeOfOldestMessage", 1_201)]
        for name in ("SlowCritical", "Slow", "SlowBulk")
    },
    "MissingExecutions": [one("MissingExecutions", 1)],
    "DoubleCompleted": [one("DoubleCompleted", 1)],
    "ChainsRepaired": [one("ChainsRepaired", 1)],
    "Quarantined": [one("Quarantined", 1)],
    "DeadMessages": [one("DeadMessages", 10)],
    "Parked": [one("DeadLetterParked", 1)],
    "AuditFailed": [one("AuditFailed", 1)],
    "AttemptsRefunded": [one("AttemptsRefunded", 1, minutes=3)],
    "ClockSkew": [one("ClockSkewMs", 1_500, minutes=3)],
    "LimitStoreErrors": [one("LimitStoreErrors", 1, minutes=3)],
    "QuotaStoreErrors": [one("QuotaStoreErrors", 1, minutes=3)],
    "TableThrottles": [one("ThrottledRequests", 1, minutes=3)],
    "ClaimedConcurrency": [one("ClaimedAccountConcurrency", 701, minutes=3)],
    "GatewayRate": [Fault(3, {"Count": [1.0] * 42_001})],
    "StartBurnFast": [
        one("LateStarts", *STARTS, 1, 1, minutes=45),
        one("LateStarts", *STARTS, *[1] * 98, minutes=2),
    ],
    "StartBurnSlow": [one("LateStarts", *STARTS, 0, 1, minutes=240)],
    "ApiBurnFast": [one("5xx", *[1] * 10, minutes=40), one("5xx", *[1] * 300, minutes=2)],
    "ApiBurnSlow": [one("5xx", *[1] * 3, minutes=240)],
    "RolloutErrors": [one("5xx", *[1] * 10, minutes=5), one("5xx", *[1] * 60, minutes=1)],
    "TicksUndelivered": [one("FailedInvocations", 1, minutes=2)],
    "DeadMessagesLeft": [one("ApproximateNumberOfMessagesVisible", 1, minutes=15)],
    "ErrorsDeadLetter": [one("Errors", 1)],
    "DeadEvents": [one("ApproximateNumberOfMessagesVisible", 1)],
    "EventsInFlight": [one("ApproximateNumberOfMessagesNotVisible", 30_001, minutes=3)],
    "EventsFailing": [one("EventsFailed", 1, minutes=10)],
    "ErrorsEventReceiver": [one("Errors", 1, minutes=3)],
    **{
        f"ErrorsExecutor{name}": [one("Errors", 1, minutes=3)]
        for name in ("Critical", "Standard", "Bulk", "SlowCritical", "Slow", "SlowBulk")
    },
    **{
        f"TicksDropped{name}": [one("AsyncEventsDropped", 1, minutes=2)]
        for name in ("Watcher", "Sweeper", "Redriver")
    },
    # All calls are missing; or those of one path: three calls in each cycle remain.
    "CanaryMissing": [one("CanaryLagMs", minutes=18), one("CanaryLagMs", 300, minutes=12)],
    # The calls of one path are late, one in each cycle; or all are.
    "CanaryLate": [
        one("CanaryLagMs", 300, 300, 5_001, minutes=9, every=3),
        one("CanaryLagMs", 60_000, 60_000, minutes=9),
    ],
    "CanaryRefused": [one("CanaryFailed", 1, minutes=3)],
}
QUIET: Mapping[str, Sequence[Fault]] = {
    "WatcherHeartbeat": [one("WatcherTick", minutes=2), one("WatcherTick", 1, 1, 1, minutes=9)],
    "SweeperHeartbeat": [one("SweeperTick", minutes=2)],
    "RedriverHeartbeat": [one("RedriverTick", minutes=4)],
    "ReconcilerCoverage": [
        one("ReconcilerCoverageSeconds", minutes=40),
        one("ReconcilerCoverageSeconds", 3_500, minutes=90, every=15),
    ],
    "ReconcilerCheckedThrough": [
        one("ReconcilerCheckedThroughSeconds", minutes=40),
        one("ReconcilerCheckedThroughSeconds", 3_500, minutes=90, every=15),
    ],
    "ArchiveUnsealed": [
        one("ArchiveOverdueSeconds", minutes=50),
        one("ArchiveOverdueSeconds", 86_399, minutes=90, every=5),
    ],
    "AuditTrailBehind": [
        one("AuditTrailOverdueSeconds", minutes=50),
        one("AuditTrailOverdueSeconds", 21_599, minutes=90, every=5),
    ],
    "OldestUnclaimedDue": [one("OldestUnclaimedDueSeconds", 119, minutes=9)],
    "AttemptsRefunded": [one("AttemptsRefunded", 50, minutes=2)],
    "ClockSkew": [one("ClockSkewMs", 9_000, minutes=2)],
    "LimitStoreErrors": [one("LimitStoreErrors", 50, minutes=2)],
    "QuotaStoreErrors": [one("QuotaStoreErrors", 50, minutes=2)],
    "TableThrottles": [one("ThrottledRequests", 50, minutes=2)],
    "ClaimedConcurrency": [one("ClaimedAccountConcurrency", 699, minutes=9)],
    "EventsInFlight": [
        one("ApproximateNumberOfMessagesNotVisible", 29_999, minutes=9),
        one("ApproximateNumberOfMessagesNotVisible", 120_000, minutes=2),
    ],
    "EventsFailing": [one("EventsFailed", 500, minutes=9)],
    "GatewayRate": [Fault(9, {"Count": [1.0] * 41_999}), Fault(2, {"Count": [1.0] * 90_000})],
    "StartBurnFast": [one("LateStarts", *STARTS, 1, 1, minutes=30)],
    "StartBurnSlow": [one("LateStarts", *STARTS, 0, 1, minutes=180)],
    "ApiBurnFast": [one("5xx", *[1] * 10, minutes=20)],
    "ApiBurnSlow": [one("5xx", *[1] * 3, minutes=150)],
    "RolloutErrors": [one("5xx", *[1] * 5, minutes=60), one("5xx", *[1] * 25, minutes=1)],
    "TicksUndelivered": [one("FailedInvocations", 9)],
    "DeadMessagesLeft": [one("ApproximateNumberOfMessagesVisible", 9_000, minutes=14)],
    "CanaryMissing": [one("CanaryLagMs", minutes=4), one("CanaryLagMs", 300, minutes=4)],
    "CanaryLate": [one("CanaryLagMs", 60_000, minutes=4), one("CanaryLagMs", 4_999, minutes=60)],
    "CanaryRefused": [one("CanaryFailed", 1, minutes=2)],
    **{
        name: [one("ApproximateAgeOfOldestMessage", 1_200, minutes=60)]
        for name in TRIPS
        if name.startswith("QueueAge")
    },
    **{name: [one("Errors", 9, minutes=2)] for name in TRIPS if name.startswith("ErrorsExecutor")},
    **{name: [one("AsyncEventsDropped", 9)] for name in TRIPS if name.startswith("TicksDropped")},
}
"""Alarms that are not here alarm at the first event."""


def watched(stacks: Synthesised, name: str, faults: Mapping[int, Fault], since: int = -STEADY) -> Alarm:
    """An alarm of the stage; each fault begins in its minute, and the stage has data since a minute."""
    properties = alarms_of(stacks)[name]
    own = {key_of(metric) for metric in metrics_of(properties)}

    def feed(key: Key, minute: int) -> Values:
        assert key in own
        for begin, fault in faults.items():
            if begin <= minute < begin + fault.minutes and key[1] in fault.metrics:
                return fault.metrics[key[1]] if (minute - begin) % fault.every == 0 else SILENT
        return usual(stacks.stage, key, minute, since)

    return Alarm(properties, feed)


def messages(stacks: Synthesised, alarm: Alarm) -> list[tuple[int, str]]:
    """What the subscribers of the stage get, or CodeDeploy: the minute and the new state."""
    if alarm.properties["AlarmName"].endswith("RolloutErrors"):
        return [(minute, new) for minute, old, new in alarm.changes if ALARM in (old, new)]
    filters = [made["FilterPolicy"] for made in stacks.service.properties("AWS::SNS::Subscription")]
    return [
        (minute, new)
        for minute, old, new in alarm.changes
        if alarm.properties["OKActions" if new == OK else "AlarmActions"]
        and any(passes(policy, {"OldStateValue": old, "NewStateValue": new}) for policy in filters)
    ]


def _cases(scenarios: Mapping[str, Sequence[Fault]]) -> list[Any]:
    return [
        pytest.param(name, fault, id=f"{name}-{number}")
        for name, faults in scenarios.items()
        for number, fault in enumerate(faults)
    ]


def test_every_alarm_has_a_scenario(cloud: Synthesised) -> None:
    assert TRIPS.keys() == alarms_of(cloud).keys()
    assert QUIET.keys() < TRIPS.keys()


@pytest.mark.parametrize(("name", "fault"), _cases(TRIPS))
def test_alarm_tells_of_its_fault_while_it_lasts_and_of_its_end(
    cloud: Synthesised, name: str, fault: Fault
) -> None:
    alarm = watched(cloud, name, {STEADY: fault})
    alarm.run(STEADY - HEALTHY_MINUTES, STEADY + fault.minutes - 1)
    assert [new for _, new in messages(cloud, alarm)] == [ALARM]
    longest = max(fault.minutes, alarm.most * alarm.minutes)
    alarm.run(STEADY + fault.minutes, STEADY + fault.minutes + longest + 3 * alarm.minutes)
    assert [new for _, new in messages(cloud, alarm)] == [ALARM, OK]


@pytest.mark.parametrize(("name", "fault"), _cases(QUIET))
def test_alarm_is_silent_in_less_than_its_fault(cloud: Synthesised, name: str, fault: Fault) -> None:
    alarm = watched(cloud, name, {STEADY: fault})
    alarm.run(STEADY - HEALTHY_MINUTES, STEADY + fault.minutes + 60)
    assert messages(cloud, alarm) == []


@pytest.mark.parametrize("name", TRIPS)
def test_first_deployment_sends_no_message(cloud: Synthesised, name: str) -> None:
    """The first ticks come minutes after the alarms, and the reconciler's a quarter of an hour after them."""
    alarm = watched(cloud, name, {}, since=10)
    alarm.run(0, 180)
    assert alarm.state == OK
    assert messages(cloud, alarm) == []


@pytest.mark.parametrize("name", TRIPS)
def test_stage_that_never_works_alarms_by_what_is_missing_alone(cloud: Synthesised, name: str) -> None:
    alarm = watched(cloud, name, {}, since=10_000)
    alarm.run(0, 120)
    is_told = [new for _, new in messages(cloud, alarm)] == [ALARM]
    is_of_silence = name.endswith("Heartbeat") or name.startswith("Reconciler") or name in _MISSING
    assert is_told is is_of_silence


@pytest.mark.parametrize("since", [10, 11, 12])
def test_first_calls_of_the_canary_send_no_message_in_whichever_minute_of_a_cycle_it_begins(
    cloud: Synthesised, since: int
) -> None:
    alarm = watched(cloud, "CanaryMissing", {}, since=since)
    alarm.run(0, 120)
    assert messages(cloud, alarm) == []
    assert sum(canary_calls(minute, 0) for minute in (90, 91, 92)) == CANARY_CALLS_PER_CYCLE


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("StartBurnFast", {"LateStarts": [1.0] * 4}),
        ("StartBurnSlow", {"LateStarts": [1.0] * 4}),
        ("RolloutErrors", {"5xx": [1.0] * 4, "Count": [1.0] * 4}),
        ("ApiBurnFast", {"5xx": [1.0] * 4, "Count": [1.0] * 4}),
        ("ApiBurnSlow", {"5xx": [1.0] * 4, "Count": [1.0] * 4}),
    ],
)
def test_few_errors_on_a_stage_without_other_traffic_do_not_alarm(
    cloud: Synthesised, name: str, metrics: Metrics
) -> None:
    """All of the window's events are errors, but there are only four."""
    alarm = watched(cloud, name, {STEADY: Fault(1, metrics)}, since=10_000)
    alarm.run(STEADY - HEALTHY_MINUTES, STEADY + 400)
    assert messages(cloud, alarm) == []
    fifth = {STEADY: Fault(1, {name: [*values, 1.0] for name, values in metrics.items()})}
    alarm = watched(cloud, name, fifth, since=10_000)
    alarm.run(STEADY - HEALTHY_MINUTES, STEADY + 1)
    assert [new for _, new in messages(cloud, alarm)] == [ALARM]
