"""Cancel a run that a bulk task has filed, unless the run has started."""

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import NOT_STARTED, EndReason, State, Transition
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.outcomes.finalize_execution import FinalizeExecution


@dataclass(frozen=True, slots=True)
class CancelUnstarted:
    """Safe to repeat."""

    store: ExecutionStore
    finalize: FinalizeExecution
    clock: Clock
    retention: Retention

    def execute(self, run: Execution) -> bool:
        """Whether the run never started and never will. NotFoundError if it is not stored."""
        existing: Execution | None = run
        if run.state in NOT_STARTED:
            existing = self.store.cancel(
                run.id,
                Transition.UNDO,
                reason=EndReason.CANCELLED,
                expires_at_s=self.retention.record_expires_at_s(run.id.dispatch_at, self.clock.now_ms()),
            )
        if existing is None:
            self.finalize.execute(run)
            return True
        return existing.state is State.CANCELLED and existing.attempt == 0
