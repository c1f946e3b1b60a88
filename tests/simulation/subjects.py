"""What a port call is about: which executions and jobs, whether it reads, and which items it holds."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from shared.domain.dispatch.pending_row import PendingRow
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.workflows.map_items import MapItems
from shared.domain.workflows.run import Run
from shared.ports.executions import Claim, PendingPage, ScanPage
from tests.simulation.trace import Trace


def subjects_of(values: Any, trace: Trace) -> Iterator[str]:
    """The ids named by arguments or results of a call. Whose execution is whose is remembered on the way."""
    match values:
        case None | int():
            return
        case MapItems():
            yield str(values.run)
        case ExecutionId():
            yield str(values)
        case Execution():
            trace.belongs(str(values.id), values.job_id)
            yield str(values.id)
        case RetryReminder():
            yield str(values.target)
        case Claim():
            yield str(values.execution_id)
        case DueRow() | PendingRow():
            yield str(values.wakes)
        case Wakeup():
            yield from map(str, values.keys)
        case Job():
            yield values.id
        case Run():
            yield str(values.id)
        case ScanPage() | PendingPage():
            yield from (str(row.wakes) for row in values.rows)
        case str() if values.startswith("job_"):
            yield values
        case {"Entries": entries}:
            for entry in entries:
                yield from orjson.loads(entry["MessageBody"])["keys"]
        case dict():
            yield from subjects_of(list(values.values()), trace)
        case list() | tuple():
            for value in values:
                yield from subjects_of(value, trace)
        case _:
            return


READS = frozenset(
    {
        "get",
        "all",
        "get_many",
        "scan",
        "scan_pending",
        "read_rows",
        "open_until",
        "read_shard",
        "index_pages",
        "find",
        "read",
        "page",
        "head",
        "revision",
        "past_chains",
        "extras",
        "backfills",
        "get_payload",
        "open",
        "open_before",
        "open_of",
        "latest",
        "swept_through",
        "segments",
        "minutes",
        "between",
        "waiting",
        "visible",
    }
)


_TRANSACTIONS = frozenset({"create", "create_backfill", "jump", "file_if_active", "file_beside", "move"})


def is_transaction(name: str, options: dict[str, Any]) -> bool:
    """Whether a call touches several items at once."""
    return name in _TRANSACTIONS or (
        name == "replace" and bool(options.get("executions") or options.get("past"))
    )


def items_of(values: Iterable[Any], trace: Trace) -> tuple[str, ...]:
    """The items that a transaction holds: executions, and the definitions of their jobs."""
    held: set[str] = set()
    for value in values:
        held.update(subjects_of(value, trace))
        if isinstance(value, Execution):
            held.add(value.job_id)
        elif isinstance(value, list | tuple):
            held.update(items_of(value, trace))
    return tuple(sorted(held))
