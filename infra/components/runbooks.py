"""Where an operator reads what to do about an alarm: the one place that knows the pages."""

from collections.abc import Mapping

_WORK, _GUARANTEES, _DEAD, _OBJECTIVES = (
    "is-punctual-at-work",
    "is-a-guarantee-broken",
    "dead-messages-and-dead-letters",
    "are-the-objectives-met",
)
_SECTIONS: Mapping[str, str] = {
    "WatcherHeartbeat": _WORK,
    "SweeperHeartbeat": _WORK,
    "RedriverHeartbeat": _WORK,
    "ReconcilerCoverage": _WORK,
    "ReconcilerCheckedThrough": _WORK,
    "OldestUnclaimedDue": _WORK,
    "QueueAgeSlowCritical": _WORK,
    "QueueAgeSlow": _WORK,
    "QueueAgeSlowBulk": _WORK,
    "ErrorsExecutorCritical": _WORK,
    "ErrorsExecutorStandard": _WORK,
    "ErrorsExecutorBulk": _WORK,
    "ErrorsExecutorSlowCritical": _WORK,
    "ErrorsExecutorSlow": _WORK,
    "ErrorsExecutorSlowBulk": _WORK,
    "ErrorsDeadLetter": _WORK,
    "TicksDroppedWatcher": _WORK,
    "TicksDroppedSweeper": _WORK,
    "TicksDroppedRedriver": _WORK,
    "ClaimedConcurrency": _WORK,
    "GatewayRate": _WORK,
    "TableThrottles": _WORK,
    "StartBurnFast": _OBJECTIVES,
    "StartBurnSlow": _OBJECTIVES,
    "ApiBurnFast": _OBJECTIVES,
    "ApiBurnSlow": _OBJECTIVES,
    "MissingExecutions": _GUARANTEES,
    "DoubleCompleted": _GUARANTEES,
    "ChainsRepaired": _GUARANTEES,
    "Quarantined": _GUARANTEES,
    "AuditFailed": _GUARANTEES,
    "AttemptsRefunded": _GUARANTEES,
    "ClockSkew": _GUARANTEES,
    "LimitStoreErrors": _GUARANTEES,
    "QuotaStoreErrors": _GUARANTEES,
    "DeadMessages": _DEAD,
    "Parked": _DEAD,
}


def runbook_of(alarm: str) -> str:
    """The page and section about an alarm, from the root of the repository. KeyError for an unknown alarm."""
    return f"docs/operations/alarms.md#{_SECTIONS[alarm]}"
