"""Many executions at once, where one that cannot be read must hide no other."""

from collections.abc import Sequence

from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore


def read_readable(store: ExecutionStore, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
    """Those that stand there and can be read, up to 100; what cannot be read is a matter of the sweep's quarantine."""
    try:
        return store.get_many(ids)
    except UnreadableItemError:
        found = ((key, _read(store, key)) for key in ids)
        return {key: execution for key, execution in found if execution is not None}


def _read(store: ExecutionStore, key: ExecutionId) -> Execution | None:
    try:
        return store.get(key)
    except UnreadableItemError:
        return None
