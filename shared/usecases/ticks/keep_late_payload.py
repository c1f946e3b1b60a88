"""Keep the separately stored request of an execution that is still open long after its due time."""

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.retention import Retention
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore


@dataclass(frozen=True, slots=True)
class KeepLatePayload:
    """One conditional write that only extends an expiry: safe to repeat, and beside an end of the execution."""

    store: ExecutionStore
    jobs: JobStore
    retention: Retention

    def execute(self, row: DueRow, now_ms: int) -> None:
        """Extend the expiry for a row that has not ended; no effect, and no read, before it is very late."""
        expires_at_s = self.retention.late_payload_expires_at_s(row.id.dispatch_at, now_ms)
        if expires_at_s is None or row.reminder_target is not None:
            return
        execution = self.store.get(row.id)
        if execution is not None and execution.call.payload_id is not None:
            self.jobs.keep_payload(execution.tenant_id, execution.call.payload_id, expires_at_s)
