"""What a listing shows of an execution: its record, or the row of the archive that has outlived the record."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from shared.dataclass import dataclass
from shared.domain.archive.reading import MOST_ROWS, RowFilter
from shared.domain.archive.row import ArchiveRow
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import PositionRange
from shared.ports.executions import ExecutionStore
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import Candidate

Shown = Execution | ArchiveRow
Read = Callable[[Sequence[ExecutionId]], dict[ExecutionId, Shown]]


class KeptExecutions(Protocol):
    """The executions that a deployment has kept."""

    def get(self, tenant_id: str, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Shown]:
        """Those of at most 100 ids that are known. UnavailableError."""
        ...

    def in_pages(self, tenant_id: str, candidates: Iterator[Candidate]) -> Iterator[Candidate]:
        """The candidates of a job's history, newest first; a page ends where the next one needs the archive."""
        ...

    def beside(
        self,
        tenant_id: str,
        hot: Iterator[Candidate],
        span: PositionRange,
        only: RowFilter,
        *,
        at_once: int = MOST_ROWS,
    ) -> tuple[Iterator[Candidate], Read]:
        """The candidates of a tenant's list by due time, newest first, and how to read them.

        `hot` has those of the index. `span` and `only` are those of the list; candidates that do not match may be
        among the others. `at_once` rows of the archive are read together.
        """
        ...


@dataclass(frozen=True, slots=True)
class HotExecutions:
    """Of a deployment without an archive: its tables."""

    store: ExecutionStore

    def get(
        self,
        tenant_id: str,  # noqa: ARG002 - ids are enough for the tables
        ids: Sequence[ExecutionId],
    ) -> dict[ExecutionId, Shown]:
        return {**read_readable(self.store, ids)}

    def in_pages(
        self,
        tenant_id: str,  # noqa: ARG002
        candidates: Iterator[Candidate],
    ) -> Iterator[Candidate]:
        return candidates

    def beside(
        self,
        tenant_id: str,  # noqa: ARG002 - these are for the archive
        hot: Iterator[Candidate],
        span: PositionRange,  # noqa: ARG002
        only: RowFilter,  # noqa: ARG002
        *,
        at_once: int = MOST_ROWS,  # noqa: ARG002
    ) -> tuple[Iterator[Candidate], Read]:
        return hot, lambda ids: {**read_readable(self.store, ids)}


def tenant_of(shown: Shown) -> str:
    return shown.tenant_id if isinstance(shown, Execution) else shown.tenant


def state_of(shown: Shown) -> State:
    return State(shown.state)
