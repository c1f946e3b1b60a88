"""Find an execution of a tenant in the tables, or in the archive."""

from shared.dataclass import dataclass
from shared.domain.archive.row import ArchiveRow
from shared.domain.errors import InvalidValueError, NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.ids import parse_execution_id
from shared.usecases.reading.find_execution import FindExecution
from shared.usecases.reading.resolve_moved import HOPS
from shared.usecases.reading.shown import KeptExecutions, Shown


@dataclass(frozen=True, slots=True)
class FindShown:
    """A record that exists takes one strong read of its item, and no read of the archive."""

    find: FindExecution
    kept: KeptExecutions

    def execute(self, tenant_id: str, execution_id: str) -> Shown:
        """NotFoundError for foreign, unknown and malformed ids."""
        for _ in range(HOPS):
            try:
                return self.find.execute(tenant_id, execution_id)
            except NotFoundError:
                row = self._row(tenant_id, execution_id)
            if row.moved_to is None:
                return row
            execution_id = row.moved_to
        raise NotFoundError("no such execution")

    def _row(self, tenant_id: str, execution_id: str) -> ArchiveRow:
        try:
            identity = parse_execution_id(execution_id)
        except InvalidValueError as error:
            raise NotFoundError("no such execution") from error
        row = self.kept.get(tenant_id, [identity]).get(identity)
        if row is None or isinstance(row, Execution):
            raise NotFoundError("no such execution")
        return row
