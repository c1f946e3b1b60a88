"""Cancel one redrive."""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError
from shared.domain.executions.execution import Execution
from shared.usecases.jobs.cancel_job import CancelJob
from shared.usecases.reading.find_execution import FindExecution


@dataclass(frozen=True, slots=True)
class CancelRedrive:
    """After an acknowledged cancellation no attempt begins, and the dead letter may be redriven again."""

    find: FindExecution
    cancel: CancelJob

    def execute(self, tenant_id: str, execution_id: str, *, stop_retries: bool = False) -> Execution:
        """The redrive after the cancellation.

        InvalidStateError if the execution is not a redrive, since other executions end with their jobs, and
        if it is too late, as for `CancelJob`.
        """
        execution = self.find.execute(tenant_id, execution_id)
        if execution.redrive_of is None:
            raise InvalidStateError("only a redrive is cancelled by itself; delete or pause its job")
        return self.cancel.execution(execution, stop_retries=stop_retries)
