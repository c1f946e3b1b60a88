"""Where an operator reads what to do about an alarm: the one place that knows the pages."""

from collections.abc import Mapping

_ALARMS: Mapping[str, tuple[str, ...]] = {
    "ticks-stopped": (
        "WatcherHeartbeat",
        "SweeperHeartbeat",
        "RedriverHeartbeat",
        "ReconcilerCoverage",
        "ReconcilerCheckedThrough",
        "TicksDroppedWatcher",
        "TicksDroppedSweeper",
        "TicksDroppedRedriver",
        "TicksUndelivered",
    ),
    "calls-late": (
        "StartBurnFast",
        "StartBurnSlow",
        "OldestUnclaimedDue",
        "QueueAgeSlowCritical",
        "QueueAgeSlow",
        "QueueAgeSlowBulk",
        "ClockSkew",
    ),
    "bad-deployment": (
        "ApiBurnFast",
        "ApiBurnSlow",
        "RolloutErrors",
        "ErrorsExecutorCritical",
        "ErrorsExecutorStandard",
        "ErrorsExecutorBulk",
        "ErrorsExecutorSlowCritical",
        "ErrorsExecutorSlow",
        "ErrorsExecutorSlowBulk",
    ),
    "quota-increase": ("ClaimedConcurrency",),
    "noisy-tenant": ("GatewayRate",),
    "throttling": (
        "TableThrottles",
        "AttemptsRefunded",
        "LimitStoreErrors",
        "QuotaStoreErrors",
        "AuditFailed",
    ),
    "missing-or-doubled": ("MissingExecutions", "DoubleCompleted", "ChainsRepaired", "Quarantined"),
    "archive-behind": ("ArchiveUnsealed", "ArchiveMismatch"),
    "audit-trail": ("AuditTrailBehind", "AuditTrailMismatch"),
    "canary-fails": ("CanaryMissing", "CanaryLate", "CanaryRefused"),
    "dead-events": ("DeadEvents", "EventsInFlight", "EventsFailing", "ErrorsEventReceiver"),
    "dead-messages": ("DeadMessages", "DeadMessagesLeft", "Parked", "ErrorsDeadLetter"),
}
"""The alarms of each page of docs/runbooks."""
_PAGES = {alarm: page for page, alarms in _ALARMS.items() for alarm in alarms}


def runbook_of(alarm: str) -> str:
    """The page about an alarm, from the root of the repository. KeyError for an unknown alarm.

    A number at the end of a name tells apart the alarms that share the rules of a stage.
    """
    return f"docs/runbooks/{_PAGES[alarm.rstrip('0123456789')]}.md"
