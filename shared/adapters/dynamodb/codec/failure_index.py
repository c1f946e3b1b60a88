"""Entries in the sparse index of failures: dead letters, and executions that wait for a retry.

No execution is both. An entry keeps its key until the execution changes its state, so a second retry writes
nothing to the index.
"""

from shared.adapters.dynamodb.codec.keys import failed_index_key, retry_index_key
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.names import Attr

ENTRY_ATTRIBUTES = (Attr.FAILED_PK, Attr.FAILED_SK)
STALE = "ix"
"""Marks an item whose entry does not match its state, because the index throttled the write."""


def failure_entry(state: State, tenant_id: str, execution_id: ExecutionId) -> dict[str, str]:
    """The attributes of an execution's entry; empty where a state has no entry."""
    match state:
        case State.FAILED:
            key = failed_index_key(tenant_id, execution_id)
        case State.WAITING:
            key = retry_index_key(tenant_id, execution_id)
        case _:
            return {}
    return dict(zip(ENTRY_ATTRIBUTES, key, strict=True))
