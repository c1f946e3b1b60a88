"""Positions in listings as parts of a cursor, and back. `read_…` raises ValueError for other parts."""

from typing import Any

from shared.domain.ids import ExecutionId
from shared.domain.listings.position import IndexPosition, JobPosition, read_position
from shared.domain.workflows.identities import is_workflow_id, parse_run_id, run_id_text
from shared.usecases.listings.list_due import DuePosition
from shared.usecases.listings.list_executions import HistoryPosition
from shared.usecases.listings.list_upcoming import UpcomingPosition

Parts = list[Any]


def index_parts(position: IndexPosition | None) -> Parts | None:
    return None if position is None else [position.at, position.id_text]


def read_index_position(parts: Parts) -> IndexPosition:
    match parts:
        case [int(at), str(id_text)]:
            return read_position(at, id_text)
    raise ValueError("not a position in an index")


def history_parts(position: HistoryPosition | None) -> Parts | None:
    return None if position is None else [position.before.at, position.before.id_text, position.chain]


def read_history_position(parts: Parts) -> HistoryPosition:
    match parts:
        case [*before, (int() | None) as chain]:
            return HistoryPosition(before=read_index_position(before), chain=chain)
    raise ValueError("not a position in a history")


def job_parts(position: JobPosition | None) -> Parts | None:
    """One part for a position among recurring jobs, two among one-off jobs."""
    if position is None:
        return None
    return [position.job_id] if position.index_position is None else index_parts(position.index_position)


def read_job_position(parts: Parts) -> JobPosition:
    match parts:
        case [str(job_id)]:
            return JobPosition(job_id=job_id)
    return JobPosition(index_position=read_index_position(parts))


def upcoming_parts(position: UpcomingPosition | None) -> Parts | None:
    return None if position is None else [position.after.at, position.after.id_text, position.until]


def read_upcoming_position(parts: Parts) -> UpcomingPosition:
    match parts:
        case [*after, int(until)]:
            return UpcomingPosition(after=read_index_position(after), until=until)
    raise ValueError("not a position among upcoming runs")


def due_parts(position: DuePosition | None) -> Parts | None:
    return None if position is None else [position.bucket, position.after, position.until]


def read_due_position(parts: Parts) -> DuePosition:
    match parts:
        case [int(bucket), (str() | None) as after, int(until)]:
            return DuePosition(bucket=bucket, after=after, until=until)
    raise ValueError("not a position in the buckets")


def read_workflow_position(parts: Parts) -> str:
    match parts:
        case [str(workflow_id)] if is_workflow_id(workflow_id):
            return workflow_id
    raise ValueError("not a position among workflows")


def run_parts(before: ExecutionId | None) -> Parts | None:
    return None if before is None else [run_id_text(before)]


def read_run_position(parts: Parts) -> ExecutionId:
    match parts:
        case [str(run_id)]:
            return parse_run_id(run_id)
    raise ValueError("not a position among runs")
