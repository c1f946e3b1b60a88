"""Find where a one-off job stands that was moved to another time."""

from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.ports.executions import ExecutionStore

HOPS = 10
"""The first place always names the latest; more than one hop is a race with somebody who moves the job."""


def resolve_moved(store: ExecutionStore, execution: Execution) -> Execution | None:
    """The execution itself, or the one that it was moved to; None where that is gone."""
    standing: Execution | None = execution
    for _ in range(HOPS):
        if standing is None or standing.progress.moved_to is None:
            return standing
        standing = store.get(standing.progress.moved_to)
    raise UnavailableError("the job is being moved again and again")
