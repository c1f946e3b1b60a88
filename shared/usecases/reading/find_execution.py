"""Find an execution of a tenant. Foreign, unknown and malformed IDs get the same answer."""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.ids import parse_execution_id
from shared.ports.executions import ExecutionStore
from shared.usecases.reading.resolve_moved import resolve_moved

_UNKNOWN = "no such execution, or its record has expired"
"""An expired record may be in the archive, where it has no request any more."""


@dataclass(frozen=True, slots=True)
class FindExecution:
    """Reads one item strongly, because the ID encodes its key; a moved execution takes one more read."""

    store: ExecutionStore

    def execute(self, tenant_id: str, execution_id: str) -> Execution:
        """The current execution of any job; NotFoundError in every other case."""
        try:
            found = self.store.get(parse_execution_id(execution_id))
        except InvalidValueError:
            found = None
        if found is None or found.tenant_id != tenant_id:
            raise NotFoundError(_UNKNOWN)
        existing = resolve_moved(self.store, found)
        if existing is None:
            raise NotFoundError(_UNKNOWN)
        return existing
