"""Fail an execution whose last attempt was lost with its worker."""

from collections.abc import Callable

from shared.dataclass import dataclass
from shared.domain.delivery.call_kind import CallKind
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.outcomes.finalize_execution import FinalizeExecution
from shared.usecases.outcomes.notify_outcome import NotifyOutcome


@dataclass(frozen=True, slots=True)
class GiveUpLost:
    """For an execution with an expired lease and no attempts left; safe to repeat."""

    store: ExecutionStore
    file_successor: FileSuccessor
    finalize: FinalizeExecution
    notify: NotifyOutcome
    clock: Clock
    retention: Retention
    follow_run: Callable[[Execution], None]
    """Asks the run of an execution that starts a workflow, and begins an absent one."""

    def execute(self, lost: Execution) -> bool:
        """Write FAILED (worker_lost); False if a claim, heartbeat or report came first, or a run decides.

        The successor is filed first: after a crash in between, the lease is still expired and this is
        repeated.
        """
        self.file_successor.execute(lost)
        if lost.call.kind is CallKind.WORKFLOW:
            self.follow_run(lost)
            return False
        notification = self.notify.choose(lost, State.FAILED, lost.progress.outcomes, EndReason.WORKER_LOST)
        now_ms = self.clock.now_ms()
        is_written = self.store.give_up(
            lost,
            reason=EndReason.WORKER_LOST,
            now_ms=now_ms,
            expires_at_s=self.retention.expires_at_s(now_ms),
            notification=notification,
        )
        if is_written:
            self.finalize.execute(_given_up(lost, notification))
        return is_written


def _given_up(lost: Execution, notification: ExecutionId | None) -> Execution:
    return lost.progressed(
        state=State.FAILED,
        owner=None,
        lease_until=None,
        async_until=None,
        end_reason=EndReason.WORKER_LOST,
        notification=notification,
    )
