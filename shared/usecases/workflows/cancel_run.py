"""Cancel a run: after the acknowledgement, no attempt of its tasks begins."""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.executions.retention import Retention
from shared.domain.workflows.run import Run, RunState
from shared.domain.workflows.run_rules import cancelled
from shared.domain.workflows.workflow import Workflow
from shared.ports.runtime import Clock
from shared.ports.workflows import RunStore
from shared.usecases.workflows.advance_run import TRIES, AdvanceRun
from shared.usecases.workflows.find_run import FindRun


@dataclass(frozen=True, slots=True)
class CancelRun:
    """First the run is marked, so that nothing is chosen any more. Then every chosen task is stopped."""

    find: FindRun
    runs: RunStore
    advance: AdvanceRun
    clock: Clock
    retention: Retention

    def execute(self, tenant_id: str, run_id: str) -> tuple[Run, Workflow]:
        """The stored run afterwards: it has ended, or ends with its running attempts.

        NotFoundError; InvalidStateError if the run has ended otherwise. UnavailableError: a task may still start, so
        repeat the request.
        """
        run, workflow = self.find.run(tenant_id, run_id)
        return self.stop(workflow, run), workflow

    def stop(self, workflow: Workflow, run: Run, *, epoch: int | None = None) -> Run:
        """The same for a run that was read. `epoch`: InvalidStateError in any other epoch."""
        for _ in range(TRIES):
            if epoch is not None and run.epoch != epoch:
                raise InvalidStateError(f"the run is in epoch {run.epoch}")
            if run.state is RunState.CANCELLED:
                self.advance.end_parent(run)
                return run
            now_ms = self.clock.now_ms()
            after = cancelled(run, workflow.graph, now_ms)
            if after == run:
                stopped = self.advance.stop(workflow, run)
                self.advance.end_parent(stopped)
                return stopped
            expires_at_s = self.retention.expires_at_s(now_ms) if after.state.is_terminal else None
            run = self.runs.update(run, after, expires_at_s=expires_at_s).run
        raise UnavailableError("other processes change the run")
