"""The transactional outbox of notifications: callbacks of outcomes, and alerts."""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.delivery.alerts import Alert, AlertEvent
from shared.domain.errors import PunctualError
from shared.domain.executions.alert import alert_events, alerts_for
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.notification import (
    NotificationKind,
    alert_id,
    is_alert_alone,
    notification,
    notification_id,
    target_for,
)
from shared.domain.executions.retention import DAY_SECONDS, Retention
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.outcomes.file_alert import FileAlert
from shared.usecases.outcomes.track_recovery import TrackRecovery
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True, slots=True)
class NotifyOutcome:
    """Notifies about each outcome with one execution for each kind, whose ID is chosen once.

    The ID is stored in the same conditional write as the outcome. If the process crashes before it files the
    notifications, the returned message or the sweeper finds the ID in the record and files them.
    """

    read_tenant: ReadTenant
    track_recovery: TrackRecovery
    file_alert: FileAlert
    file: FileExecution
    clock: Clock
    plan: ShardPlan
    retention: Retention

    def choose(
        self,
        execution: Execution,
        state: State,
        outcomes: Sequence[AttemptOutcome] = (),
        reason: EndReason | None = None,
    ) -> ExecutionId | None:
        """The notification ID to store with an outcome; None if there is nothing to notify.

        `outcomes` are those of all attempts. If the tenant cannot be read, an ID is chosen all the same, so
        that the outcome neither waits nor loses its notification. Whether anything is configured is then
        decided when the notification is filed.
        """
        kind = NotificationKind.OUTCOME
        try:
            tenant = self.read_tenant.execute(execution.tenant_id)
            if target_for(execution, state, tenant) is None:
                kind = NotificationKind.ALERT
                if not self._is_announced(execution, state, outcomes, reason, tenant):
                    return None
        except PunctualError:
            if execution.notification_of is not None:
                return None
        now_ms = self.clock.now_ms()
        return notification_id(execution.id, kind, now_ms, self.plan.counts_at(bucket_of(now_ms)))

    def _is_announced(
        self,
        execution: Execution,
        state: State,
        outcomes: Sequence[AttemptOutcome],
        reason: EndReason | None,
        tenant: Tenant | None,
    ) -> bool:
        subscribed = alerts_for(execution, tenant)
        if subscribed is None:
            return False
        ended = execution.progressed(
            state=state,
            owner=None,
            lease_until=None,
            async_until=None,
            outcomes=tuple(outcomes),
            end_reason=reason,
        )
        if alert_events(ended, subscribed.rules, is_recovery=False):
            return True
        is_candidate = state is State.SUCCEEDED and AlertEvent.RECOVERED in subscribed.rules.events
        return is_candidate and self.track_recovery.may_recover(ended)

    def execute(self, ended: Execution) -> None:
        """File the notifications named by an outcome's record; UnavailableError: call again.

        Callback and subscription are resolved now, so nothing is filed if the tenant has removed its URL since.
        The alert is filed first: the sweeper looks for the stored ID alone.
        """
        chosen, now_ms = ended.progress.notification, self.clock.now_ms()
        if chosen is None or chosen.dispatch_at + self.retention.days * DAY_SECONDS * 1000 <= now_ms:
            # The notification's record may have expired, so filing it now could send it twice.
            return
        tenant = self.read_tenant.execute(ended.tenant_id)
        self._file_alert(ended, chosen, tenant)
        target = None if is_alert_alone(chosen, ended.id) else target_for(ended, ended.state, tenant)
        if target is not None:
            own = ended.call.callbacks.of(succeeded=ended.state is State.SUCCEEDED)
            is_own = own is not None
            self.file.execute(notification(ended, chosen, target, is_own=is_own, created_at=now_ms))

    def _file_alert(self, ended: Execution, chosen: ExecutionId, tenant: Tenant | None) -> None:
        subscribed = alerts_for(ended, tenant)
        if subscribed is None:
            return
        # A failure is noted before its alert is filed: afterwards nothing would note it.
        tracks = AlertEvent.RECOVERED in subscribed.rules.events and ended.state is not State.SKIPPED
        is_recovery = tracks and self.track_recovery.settle(ended, chosen.dispatch_at)
        events = alert_events(ended, subscribed.rules, is_recovery=is_recovery)
        if events:
            alert = Alert(events=events, format=subscribed.rules.format)
            self.file_alert.execute(ended, alert_id(chosen, ended.id), subscribed, alert)
