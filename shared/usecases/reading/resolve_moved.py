"""Follow the forwarding records of a one-off job that was moved to another time."""

from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.ports.executions import ExecutionStore

HOPS = 10
"""The first record always names the latest item, so more than one hop means a concurrent move."""


def resolve_moved(store: ExecutionStore, execution: Execution) -> Execution | None:
    """The execution, or the execution that it was moved to; None if that item is gone."""
    existing: Execution | None = execution
    for _ in range(HOPS):
        if existing is None or existing.progress.moved_to is None:
            return existing
        existing = store.get(existing.progress.moved_to)
    raise UnavailableError("the job is being moved again and again")
