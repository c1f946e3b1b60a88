"""File alerts, at most so many of one URL in a minute; a summary counts all others."""

from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.delivery.alerts import Alert, AlertTarget, AlertWindow
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.executions.alert_window import (
    MAX_ALERTS,
    SuppressedAlert,
    summary_due_at,
    summary_fingerprint,
    summary_id,
    window_at,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.notification import notification
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import NOT_STARTED, EndReason, State
from shared.domain.ids import ExecutionId
from shared.ports.alerts import AlertWindows
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution

TRIES = 3
"""Windows that are tried for a suppressed alert whose summary has started."""
MAX_REMEMBERED = 4_000


@dataclass(slots=True)
class FileAlert:
    """Belongs to one process, which remembers full windows; safe to repeat for the same alert.

    A suppressed alert is recorded for the summary of its window before it is filed as skipped. So an alert whose
    record exists is counted, and a crash in between at worst counts it twice. Where the store of windows does not
    respond, alerts are sent one by one.
    """

    windows: AlertWindows
    file: FileExecution
    clock: Clock
    plan: ShardPlan
    retention: Retention
    _full: BoundedCache[tuple[str, AlertWindow], bool] = field(
        default_factory=lambda: BoundedCache(MAX_REMEMBERED)
    )
    _filed: BoundedCache[ExecutionId, bool] = field(default_factory=lambda: BoundedCache(MAX_REMEMBERED))

    def execute(self, ended: Execution, identity: ExecutionId, to: AlertTarget, alert: Alert) -> None:
        """File the alert of an ended execution under its ID; UnavailableError: call again."""
        now_ms = self.clock.now_ms()
        draft = _notification(ended, identity, to, alert, now_ms)
        window = window_at(to.key, now_ms)
        if self._is_admitted(ended.tenant_id, window, identity, now_ms):
            self.file.execute(draft)
        elif self.file.store.get(identity) is None:
            self._suppress(ended, draft, to, window, now_ms)

    def _is_admitted(self, tenant_id: str, window: AlertWindow, identity: ExecutionId, now_ms: int) -> bool:
        if (tenant_id, window) in self._full:
            return False
        expires_at_s = self.retention.expires_at_s(now_ms)
        try:
            is_admitted = self.windows.admit(
                tenant_id, window, identity, at_most=MAX_ALERTS, expires_at_s=expires_at_s
            )
        except PunctualError:
            return True
        if not is_admitted:
            self._full[tenant_id, window] = True
        return is_admitted

    def _suppress(
        self, ended: Execution, draft: Execution, to: AlertTarget, window: AlertWindow, now_ms: int
    ) -> None:
        """Record the alert for a summary that has not started, and file it as skipped.

        The look at the summary comes after the record: a summary that had not started then counts the record.
        """
        alert = draft.alert
        events = alert.events if alert is not None else ()
        suppressed = SuppressedAlert(alert_id=draft.id, job_id=ended.job_id, events=events)
        expires_at_s = self.retention.expires_at_s(now_ms)
        for _ in range(TRIES):
            self.windows.record(ended.tenant_id, window, suppressed, expires_at_s)
            summary = self._summary(ended, to, window, now_ms)
            if summary.state in NOT_STARTED:
                skipped = draft.progressed(
                    state=State.SKIPPED, end_reason=EndReason.COALESCED, notification=summary.id
                )
                self.file.store.put_if_absent(skipped, expires_at_s=expires_at_s)
                return
            window = replace(window, minute=max(window.minute + 1, bucket_of(self.clock.now_ms())))
        raise UnavailableError("the summaries of alerts have started; the alert is filed again")

    def _summary(self, ended: Execution, to: AlertTarget, window: AlertWindow, now_ms: int) -> Execution:
        """The stored summary of a window, filed if there is none."""
        counts = self.plan.counts_at(bucket_of(summary_due_at(window)))
        identity = summary_id(ended.tenant_id, window, counts, cell=ended.id.cell)
        if identity in self._filed:
            # Filing again would send a message each time.
            stored = self.file.store.get(identity)
            if stored is not None:
                return stored
        alert = Alert(events=(), format=to.rules.format, window=window)
        draft = _notification(ended, identity, to, alert, now_ms)
        filed = self.file.execute(
            replace(draft, fingerprint=summary_fingerprint(ended.tenant_id, window), ended_run=None)
        )
        self._filed[identity] = True
        return filed


def _notification(
    ended: Execution, identity: ExecutionId, to: AlertTarget, alert: Alert, now_ms: int
) -> Execution:
    is_own = ended.call.alerts is not None
    return notification(ended, identity, to.target, is_own=is_own, created_at=now_ms, alert=alert)
