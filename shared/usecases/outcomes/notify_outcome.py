"""NOTIFY: tell whoever asked for it how an execution ended."""

from dataclasses import dataclass

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
    """Each end is told of by one execution, which is chosen once and filed by whoever comes by until it stands.

    What is chosen is written with the end itself, in the same write. Whoever dies before the notification is filed
    leaves a record that says so, to the message that comes back, and to the sweep of its bucket.
    """

    read_tenant: ReadTenant
    file: FileExecution
    clock: Clock
    plan: ShardPlan
    retention: Retention

    def choose(self, execution: Execution, state: State) -> ExecutionId | None:
        """The notification of an end that is about to be written; None where nobody is to be told.

        Where the tenant cannot be read, for now or at all, one is chosen all the same: no outcome waits for that, or
        is lost by it, and whoever files the notification finds out.
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
        """File the notification that the record of an end names; UnavailableError: ask again.

        Who is told is asked now: where the tenant has changed its mind since, nobody may be.
        """
        chosen, now_ms = ended.progress.notification, self.clock.now_ms()
        if chosen is None or chosen.dispatch_at + self.retention.days * DAY_SECONDS * 1000 <= now_ms:
            return  # After so long it may have been told, and the record of that may have gone.
        listener = target_for(ended, ended.state, self.read_tenant.execute(ended.tenant_id))
        if listener is not None:
            self.file.execute(notification(ended, chosen, listener, created_at=now_ms))
