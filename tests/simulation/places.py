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
    "Queries": _EXECUTIONS,
    "RunStore": _EXECUTIONS,
}
"""Every other port has a table of its own."""
FAILURE_INDEX = "index of dead letters"
_OF_FAILURE_INDEX = {"index_pages", "finish", "give_up", "mark_redriven", "mark_all", "repair_index"}
_WITHOUT_ENTRY = {"finish", "give_up"}
"""Writes that are made without their entries while the index is hot."""
_OF_JOBS = {"note_all_beside", "put_payloads"}
"""Writes of the jobs table that are made beside those of many executions."""
_SCANS = {"scan", "scan_pending", "read_shard"}
BATCHES = {"Claimer"}
"""Each statement of a batch has a key of its own, and is throttled by itself."""


def shard_key(execution_id: ExecutionId) -> str:
    """The partition key of an execution."""
    return f"{execution_id.bucket}#{execution_id.shard}"


def refused_at(method: str, places: Iterable[str]) -> list[str]:
    """Those of a call's places whose heat refuses the whole call."""
    return [place for place in places if place != FAILURE_INDEX or method not in _WITHOUT_ENTRY]


def places_of(port: str, method: str, args: Sequence[Any], about: Iterable[str]) -> Iterator[str]:
    """The table, the index and the keys that a call touches."""
    table = "JobStore" if method in _OF_JOBS else _TABLES.get(port, port)
    yield table
    if table != _EXECUTIONS or port in BATCHES:
        return
    if method in _OF_FAILURE_INDEX:
        yield FAILURE_INDEX
    if method in _SCANS:
        yield f"{args[0]}#{args[1]}"
    for text in about:
        if text.startswith("exe_"):
            yield shard_key(parse_execution_id(text))
