"""Walk from a dead letter along its redrives."""

from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.states import State
from shared.ports.executions import ExecutionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class RedriveLink:
    """A redrive named by an execution, and its item; None if it was never filed or has expired."""

    last: Execution
    mark: RedrivenBy
    existing: Execution | None


def is_redriven(store: ExecutionStore, dead: Execution) -> bool:
    """Whether a redrive of a dead letter stands: one that was cancelled leaves the dead letter free."""
    try:
        return any(
            link.existing is None or link.existing.state is not State.CANCELLED
            for link in follow_redrives(store, dead)
        )
    except UnknownVersionError:
        raise
    except UnreadableItemError:
        return True


def follow_redrives(store: ExecutionStore, dead: Execution) -> Iterator[RedriveLink]:
    """The redrives of a dead letter in order, read lazily."""
    last = dead
    while last.progress.redriven_by is not None:
        existing = store.get(last.progress.redriven_by.execution)
        yield RedriveLink(last=last, mark=last.progress.redriven_by, existing=existing)
        if existing is None:
            return
        last = existing
