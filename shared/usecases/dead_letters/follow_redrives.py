"""Walk from a dead letter along its redrives."""

from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.ports.executions import ExecutionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class RedriveLink:
    """A redrive named by an execution, and its item; None if it was never filed or has expired."""

    last: Execution
    mark: RedrivenBy
    existing: Execution | None


def follow_redrives(store: ExecutionStore, dead: Execution) -> Iterator[RedriveLink]:
    """The redrives of a dead letter in order, read lazily."""
    last = dead
    while last.progress.redriven_by is not None:
        existing = store.get(last.progress.redriven_by.execution)
        yield RedriveLink(last=last, mark=last.progress.redriven_by, existing=existing)
        if existing is None:
            return
        last = existing
