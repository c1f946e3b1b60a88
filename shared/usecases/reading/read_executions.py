"""Read many executions although some of them may be unreadable."""

from collections.abc import Sequence

from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore


def read_readable(store: ExecutionStore, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
    """The existing, readable executions of at most 100 IDs. The sweeper quarantines unreadable items."""
    try:
        return store.get_many(ids)
    except UnreadableItemError:
        found = ((key, _read(store, key)) for key in ids)
        return {key: execution for key, execution in found if execution is not None}


def read_known(store: ExecutionStore, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
    """The existing executions of at most 100 IDs, without broken items.

    UnknownVersionError for an item of a newer release: nothing may be decided without its state.
    """
    try:
        return store.get_many(ids)
    except UnreadableItemError:
        found = ((key, _read_known(store, key)) for key in ids)
        return {key: execution for key, execution in found if execution is not None}


def _read(store: ExecutionStore, key: ExecutionId) -> Execution | None:
    try:
        return _read_known(store, key)
    except UnknownVersionError:
        return None


def _read_known(store: ExecutionStore, key: ExecutionId) -> Execution | None:
    try:
        return store.get(key)
    except UnknownVersionError:
        raise
    except UnreadableItemError:
        return None
