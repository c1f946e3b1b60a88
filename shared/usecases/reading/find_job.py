"""Find a job of a tenant. Foreign and unknown IDs get the same answer."""

from shared.dataclass import dataclass
from shared.domain.errors import NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.ids import is_recurring_job_id, one_off_execution
from shared.domain.jobs.job import Job
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.usecases.reading.resolve_moved import resolve_moved


@dataclass(frozen=True, slots=True)
class FindJob:
    """Reads one job by ID with a strong read."""

    store: ExecutionStore
    jobs: JobStore

    def execute(self, tenant_id: str, job_id: str) -> Execution | Job:
        """A one-off execution, or a recurring job as described to clients; NotFoundError in every other
        case."""
        found: Execution | Job | None = None
        execution_id = one_off_execution(job_id)
        if execution_id is not None:
            found = self.store.get(execution_id)
        elif is_recurring_job_id(job_id):
            found = self.jobs.get(tenant_id, job_id)
        if found is None or found.tenant_id != tenant_id or _is_occurrence(found):
            raise NotFoundError("no such job")
        existing = resolve_moved(self.store, found) if isinstance(found, Execution) else found.described
        if existing is None:
            raise NotFoundError("no such job")
        return existing


def _is_occurrence(found: Execution | Job) -> bool:
    """Whether this is no job, but an execution whose ID looks like that of a one-off job."""
    return isinstance(found, Execution) and not found.is_own_job
