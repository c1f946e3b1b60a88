"""Which executions and jobs a port call is about, for the trace and for conflicts between writes."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import orjson

from shared.domain.execution import Execution, Pointer
from shared.domain.ids import ExecutionId
from shared.domain.job import Job
from shared.domain.wakeup import Wakeup
from shared.ports.claims import Claim
from shared.ports.executions import ScanPage
from tests.simulation.trace import Trace


@lru_cache(maxsize=8192)
def text_of(execution_id: ExecutionId) -> str:
    """The id as people see it."""
    return str(execution_id)


def subjects_of(values: Any, trace: Trace) -> Iterator[str]:
    """The ids named by arguments or results of a call. Whose execution is whose is remembered on the way."""
    match values:
        case ExecutionId():
            yield text_of(values)
        case Execution():
            trace.belongs(text_of(values.id), values.job_id)
            yield text_of(values.id)
        case Pointer():
            yield text_of(values.target)
        case Claim():
            yield text_of(values.execution_id)
        case Wakeup():
            yield from map(text_of, values.keys)
        case Job():
            yield values.id
        case ScanPage():
            yield from (text_of(row.wakes) for row in values.rows)
        case str() if values.startswith("job_"):
            yield values
        case {"Entries": entries}:
            for entry in entries:
                yield from orjson.loads(entry["MessageBody"])["keys"]
        case list() | tuple():
            for value in values:
                yield from subjects_of(value, trace)
        case _:
            return


TRANSACTIONS = frozenset({"create", "jump", "file_if_active"})
READS = frozenset(
    {
        "get",
        "get_many",
        "scan",
        "read_shard",
        "failed",
        "find",
        "read",
        "active",
        "get_payload",
        "open_before",
        "swept_through",
        "reconciled_through",
        "between",
    }
)


def items_of(arguments: Sequence[Any], trace: Trace) -> set[str]:
    """The items that a write touches; a transaction touches the definitions of its executions' jobs as well."""
    jobs = {value.job_id for value in arguments if isinstance(value, Execution)}
    return {*subjects_of(list(arguments), trace), *jobs}
