"""Keep chosen tasks from starting, and learn of those that have ended."""

from collections.abc import Sequence
from functools import partial

from shared.dataclass import dataclass
from shared.domain.errors import NotFoundError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.ids import ExecutionId
from shared.domain.workflows.run import STOPPING, Run
from shared.domain.workflows.workflow import Workflow, task_execution
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock, Spread

TRIES = 5
"""Tries against a worker that claims and ends attempts meanwhile."""


def is_last_attempt(execution: Execution) -> bool:
    """Whether an attempt is running that an earlier step has made the last one."""
    return execution.state is State.RUNNING and execution.progress.stop_retries


@dataclass(frozen=True, slots=True)
class StopTasks:
    """Safe to repeat. The run must be marked first: otherwise a task could be chosen behind this step."""

    store: ExecutionStore
    clock: Clock
    retention: Retention
    spread: Spread

    def execute(self, workflow: Workflow, run: Run, indexes: Sequence[int]) -> dict[ExecutionId, State]:
        """The ends of those of the tasks that have ended now. UnavailableError if a task may still start.

        A task that has not started is cancelled; an absent execution gets a tombstone, which keeps a slow process
        from filing it. In a run that is cancelled or timed out, a waiting retry is cancelled too, and a running
        attempt is the last one. In a run that fails, tasks that have started go on.
        """
        now_ms = self.clock.now_ms()
        tasks = [task_execution(workflow, run, index, created_at=now_ms) for index in indexes]
        return self.stop(tasks, is_final=run.state in STOPPING)

    def stop(self, tasks: Sequence[Execution], *, is_final: bool) -> dict[ExecutionId, State]:
        """The same for executions. `is_final`: waiting retries are cancelled too."""
        states = self.spread(partial(self._stop, is_final=is_final), tasks)
        ended = zip(tasks, states, strict=True)
        return {task.id: state for task, state in ended if state is not None}

    def _stop(self, task: Execution, *, is_final: bool) -> State | None:
        """The state in which the execution has ended; None while it goes on."""
        for _ in range(TRIES):
            existing = self._cancelled(task, Transition.CANCEL if is_final else Transition.UNDO)
            if existing is None:
                return State.CANCELLED
            if existing.state.is_terminal:
                return existing.state
            may_go_on = existing.state in (State.RUNNING, State.WAITING) and not is_final
            if (
                may_go_on
                or is_last_attempt(existing)
                or (existing.state is State.RUNNING and self.store.stop_retries(task.id))
            ):
                return None
        raise UnavailableError("the task is being changed by others")

    def _cancelled(self, task: Execution, transition: Transition) -> Execution | None:
        """The stored execution if it was not cancelled; None if it was."""
        expires_at_s = self.retention.record_expires_at_s(task.id.dispatch_at, self.clock.now_ms())
        try:
            return self.store.cancel(
                task.id, transition, reason=EndReason.CANCELLED, expires_at_s=expires_at_s
            )
        except NotFoundError:
            tombstone = task.progressed(state=State.CANCELLED, end_reason=EndReason.CANCELLED)
            return self.store.put_if_absent(tombstone, expires_at_s=expires_at_s)
