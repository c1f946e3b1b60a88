"""The end of a run is the end of the execution that started it."""

from collections.abc import Callable
from contextlib import suppress

from shared.dataclass import dataclass
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.workflows.run import Run
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.attempts.settle_attempt import SettleAttempt
from shared.usecases.attempts.settlement import AttemptEnd
from shared.usecases.workflows.begin_run import outcome_of

_UNCALLED = CallbackResponse(reason=Reason.STOPPED, duration_ms=0)


@dataclass(frozen=True, slots=True)
class EndParent:
    """Safe to repeat. The message of the task that ended the run is done only afterwards."""

    store: ExecutionStore
    settle: SettleAttempt
    wake_waiting: Callable[[Execution], None]
    clock: Clock

    def execute(self, run: Run) -> None:
        """Record the end of a run that has ended; no effect without a parent. UnavailableError: call again."""
        if run.parent is None or not run.state.is_terminal:
            return
        parent = self.store.get(run.parent.execution)
        if parent is None:
            return
        if parent.state is State.RUNNING:
            self.record(parent, run)
        elif parent.state.is_terminal:
            # An earlier try may have crashed before the notification was filed. A redriven run ends again.
            self.settle.finalize.execute(parent)
            self._wake(parent)
        # A parent that waits was refunded: its next claim asks for the run.

    def record(self, parent: Execution, run: Run) -> None:
        """Record what the run has come to: the outcome, or a later look while it is open. UnavailableError."""
        outcome = outcome_of(run)
        is_withdrawn = isinstance(outcome, EndReason)
        settlement = self.settle.execute(
            parent,
            run.created_at,
            _UNCALLED if isinstance(outcome, EndReason) else outcome,
            outcome if isinstance(outcome, EndReason) else None,
            ended_at=run.ended_at or self.clock.now_ms(),
        )
        if settlement.end is AttemptEnd.FENCED or not settlement.is_done:
            raise UnavailableError("the execution that started the run is being changed by others")
        if is_withdrawn or settlement.end is not AttemptEnd.ASYNC_ACCEPTED:
            self._wake(parent)

    def _wake(self, ended: Execution) -> None:
        """Best effort: otherwise the sweeper wakes the run that waits for the lock."""
        with suppress(PunctualError):
            self.wake_waiting(ended)
