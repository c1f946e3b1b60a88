"""Cancel the run of an execution that is being cancelled, or keep it from beginning."""

from contextlib import suppress

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError
from shared.domain.executions.execution import Execution
from shared.domain.workflows.identities import run_id_text, run_of
from shared.usecases.attempts.end_parent import EndParent
from shared.usecases.workflows.begin_run import BeginRun
from shared.usecases.workflows.cancel_run import CancelRun


@dataclass(frozen=True, slots=True)
class StopParent:
    """Safe to repeat."""

    begin: BeginRun
    cancel_run: CancelRun
    end_parent: EndParent

    def execute(self, execution: Execution) -> None:
        """No attempt of its run starts afterwards. The execution ends with the run: at once, or with the attempts
        that are running. UnavailableError: a task may still start, so repeat it."""
        standing = self.begin.block(execution)
        if standing is not None and not standing.state.is_terminal:
            with suppress(InvalidStateError):  # It has ended meanwhile.
                self.cancel_run.execute(execution.tenant_id, run_id_text(standing.id))
            return
        run = standing or self.begin.runs.get(run_of(execution.id))
        if run is not None:
            self.end_parent.execute(run)
