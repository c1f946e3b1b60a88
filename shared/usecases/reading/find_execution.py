"""Find an execution for its tenant. Foreign, unknown and malformed ids are answered alike."""

from dataclasses import dataclass

from shared.domain.errors import InvalidValueError, NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.ids import parse_execution_id
from shared.ports.executions import ExecutionStore
from shared.usecases.reading.resolve_moved import resolve_moved


@dataclass(frozen=True, slots=True)
class FindExecution:
    """The id says where the item stands, so this is one strong read; where it was moved since, one more."""

    store: ExecutionStore

    def execute(self, tenant_id: str, execution_id: str) -> Execution:
        """The execution, of whatever job, where it stands now; NotFoundError for everything else."""
        try:
            found = self.store.get(parse_execution_id(execution_id))
        except InvalidValueError:
            found = None
        if found is None or found.tenant_id != tenant_id:
            raise NotFoundError("no such execution")
        standing = resolve_moved(self.store, found)
        if standing is None:
            raise NotFoundError("no such execution")
        return standing
