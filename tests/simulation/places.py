"""Which tables, indexes and keys of DynamoDB a port call touches."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shared.domain.ids import ExecutionId, parse_execution_id

_EXECUTIONS = "executions"
_TABLES = {
    "ExecutionStore": _EXECUTIONS,
    "Claimer": _EXECUTIONS,
    "OneOffStore": _EXECUTIONS,
    "OneOffBatches": _EXECUTIONS,
    "RedriveBatches": _EXECUTIONS,
}
"""Every other port has a table of its own."""
_DEAD_LETTER_INDEX = {"failed", "finish", "give_up", "mark_redriven", "mark_all"}
"""A hot index throttles the writes of its table that change it."""
_SCANS = {"scan", "read_shard"}
BATCHES = {"Claimer"}
"""Each statement of a batch has a key of its own, and is throttled by itself."""


def shard_key(execution_id: ExecutionId) -> str:
    """The partition key of an execution."""
    return f"{execution_id.bucket}#{execution_id.shard}"


def places_of(port: str, method: str, args: Sequence[Any], about: Iterable[str]) -> Iterator[str]:
    """The table, the index and the keys that a call touches."""
    table = "JobStore" if method == "note_all_beside" else _TABLES.get(port, port)
    yield table
    if table != _EXECUTIONS or port in BATCHES:
        return
    if method in _DEAD_LETTER_INDEX:
        yield "index of dead letters"
    if method in _SCANS:
        yield f"{args[0]}#{args[1]}"
    for text in about:
        if text.startswith("exe_"):
            yield shard_key(parse_execution_id(text))
