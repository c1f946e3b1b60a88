"""CANCEL one redrive. What is acknowledged holds; too late is said so."""

from dataclasses import dataclass

from shared.domain.errors import InvalidStateError
from shared.domain.executions.execution import Execution
from shared.usecases.jobs.cancel_job import CancelJob
from shared.usecases.reading.find_execution import FindExecution


@dataclass(frozen=True, slots=True)
class CancelRedrive:
    """After it returned, no attempt begins that had not begun before; another redrive may then be asked for."""

    find: FindExecution
    cancel: CancelJob

    def execute(self, tenant_id: str, execution_id: str, *, stop_retries: bool = False) -> Execution:
        """The redrive as it stands afterwards.

        InvalidStateError where it is none: other executions end with their jobs; and where it is too late, as of
        CancelJob.
        """
        execution = self.find.execute(tenant_id, execution_id)
        if execution.redrive_of is None:
            raise InvalidStateError("only a redrive is cancelled by itself; delete or pause its job")
        return self.cancel.execution(execution, stop_retries=stop_retries)
