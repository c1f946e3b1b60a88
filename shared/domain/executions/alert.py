"""The events of an ended execution that its subscription announces."""

from shared.domain.delivery.alerts import JOB_EVENTS, NO_ALERTS, AlertEvent, AlertRules, AlertTarget
from shared.domain.executions.execution import Execution
from shared.domain.executions.notification import lag_ms
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import is_recurring_job_id
from shared.domain.tenancy.tenant import Tenant

_SKIPPED_RUN = (EndReason.OVERLAP, EndReason.LATE, EndReason.SUSPENDED)
"""The reasons of skips that a run had by itself. Missed instants and those of a pause are no runs."""


def alerts_for(execution: Execution, tenant: Tenant | None) -> AlertTarget | None:
    """The subscription that applies: that of the job, or else that of its tenant. A notification has none."""
    if execution.notification_of is not None:
        return None
    default = tenant.alerts if tenant is not None else None
    subscribed = execution.call.alerts or default
    return None if subscribed == NO_ALERTS else subscribed


def alert_events(ended: Execution, rules: AlertRules, *, is_recovery: bool) -> tuple[AlertEvent, ...]:
    """The events of an ended execution that these rules name: but for `is_recovery`, a function of its record."""
    happened = {
        AlertEvent.FAILED: ended.state is State.FAILED,
        AlertEvent.RECOVERED: is_recovery,
        AlertEvent.LATE: _is_late(ended, rules.late_after_seconds),
        AlertEvent.SKIPPED: ended.state is State.SKIPPED and ended.progress.end_reason in _SKIPPED_RUN,
        AlertEvent.GONE: ended.receiver_gone and is_recurring_job_id(ended.job_id),
    }
    return tuple(event for event in JOB_EVENTS if event in rules.events and happened[event])


def _is_late(ended: Execution, after_seconds: int | None) -> bool:
    lag = lag_ms(ended)
    return after_seconds is not None and lag is not None and lag > after_seconds * 1000
