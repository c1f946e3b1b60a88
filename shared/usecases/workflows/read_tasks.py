"""Read the executions of chosen tasks of a run."""

from collections.abc import Sequence

from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore


def read_tasks(
    store: ExecutionStore, ids: Sequence[ExecutionId]
) -> tuple[dict[ExecutionId, Execution], list[ExecutionId]]:
    """The existing executions, and the IDs of broken ones. UnknownVersionError for one of a newer release."""
    try:
        return (store.get_many(ids) if ids else {}), []
    except UnreadableItemError:
        known: dict[ExecutionId, Execution] = {}
        broken: list[ExecutionId] = []
    for execution_id in ids:
        try:
            existing = store.get(execution_id)
        except UnknownVersionError:
            raise
        except UnreadableItemError:
            broken.append(execution_id)
        else:
            known |= {execution_id: existing} if existing is not None else {}
    return known, broken
