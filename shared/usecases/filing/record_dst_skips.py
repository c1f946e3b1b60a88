"""Record the runs that a DST change skips, so that no run disappears without a record."""

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.jobs.dst_skips import dst_skip_records
from shared.domain.jobs.job import Job
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock


@dataclass(frozen=True, slots=True)
class RecordDstSkips:
    """Safe to repeat; no write unless the offset changed."""

    store: ExecutionStore
    clock: Clock
    retention: Retention

    def execute(self, owner: Execution | Job, after_ms: int, until_ms: int) -> None:
        """Write a record for every DST change in (after, until] that skips runs of a job's chain."""
        now_ms = self.clock.now_ms()
        for record in dst_skip_records(owner, after_ms, until_ms, now_ms):
            # The change may lie weeks ahead: the run before it writes the record.
            expires_at_s = self.retention.record_expires_at_s(record.id.dispatch_at, now_ms)
            self.store.put_if_absent(record, expires_at_s=expires_at_s)
