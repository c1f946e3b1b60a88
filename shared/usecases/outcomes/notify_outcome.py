"""The transactional outbox of outcome callbacks."""

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.errors import PunctualError
from shared.domain.executions.execution import Execution
from shared.domain.executions.notification import notification, notification_id, target_for
from shared.domain.executions.retention import DAY_SECONDS, Retention
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True, slots=True)
class NotifyOutcome:
    """Notifies about each outcome with one execution, whose ID is chosen once.

    The ID is stored in the same conditional write as the outcome. If the process crashes before it files the
    notification, the returned message or the sweeper finds the ID in the record and files it.
    """

    read_tenant: ReadTenant
    file: FileExecution
    clock: Clock
    plan: ShardPlan
    retention: Retention

    def choose(self, execution: Execution, state: State) -> ExecutionId | None:
        """The notification ID to store with an outcome; None if no callback is configured.

        If the tenant cannot be read, an ID is chosen all the same, so that the outcome neither waits nor
        loses its notification. Whether a callback is configured is then decided when the notification is
        filed.
        """
        try:
            if target_for(execution, state, self.read_tenant.execute(execution.tenant_id)) is None:
                return None
        except PunctualError:
            if execution.notification_of is not None:
                return None
        now_ms = self.clock.now_ms()
        return notification_id(execution.id, now_ms, self.plan.counts_at(bucket_of(now_ms)))

    def execute(self, ended: Execution) -> None:
        """File the notification named by an outcome's record; UnavailableError: call again.

        The callback is resolved now, so none is filed if the tenant has removed its URL since.
        """
        chosen, now_ms = ended.progress.notification, self.clock.now_ms()
        if chosen is None or chosen.dispatch_at + self.retention.days * DAY_SECONDS * 1000 <= now_ms:
            # The notification's record may have expired, so filing it now could send it twice.
            return
        target = target_for(ended, ended.state, self.read_tenant.execute(ended.tenant_id))
        if target is not None:
            self.file.execute(notification(ended, chosen, target, created_at=now_ms))
