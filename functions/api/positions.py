"""Positions in listings as the parts of a cursor, and back. What is no such position raises ValueError."""

from typing import Any

from shared.domain.listings.position import IndexPosition, read_position
from shared.usecases.listings.list_due import DuePosition
from shared.usecases.listings.list_executions import HistoryPosition
from shared.usecases.listings.list_jobs import JobPosition
from shared.usecases.listings.list_upcoming import UpcomingPosition

Parts = list[Any]


def place_parts(place: IndexPosition) -> Parts:
    """A place."""
    return [place.at, place.id_text]


def read_place(parts: Parts) -> IndexPosition:
    """The inverse."""
    match parts:
        case [int(at), str(id_text)]:
            return read_position(at, id_text)
    raise ValueError("not a place")


def history_parts(position: HistoryPosition) -> Parts:
    """A position in the history of a job."""
    return [*place_parts(position.before), position.chain]


def read_history(parts: Parts) -> HistoryPosition:
    """The inverse."""
    match parts:
        case [*place, (int() | None) as chain]:
            return HistoryPosition(before=read_place(place), chain=chain)
    raise ValueError("not a position in a history")


def job_parts(position: JobPosition) -> Parts:
    """A position among jobs: behind a recurring one, or behind a one-off."""
    return [position.job_id] if position.place is None else place_parts(position.place)


def read_job_position(parts: Parts) -> JobPosition:
    """The inverse."""
    match parts:
        case [str(job_id)]:
            return JobPosition(job_id=job_id)
    return JobPosition(place=read_place(parts))


def upcoming_parts(position: UpcomingPosition) -> Parts:
    """A position among what is about to run."""
    return [*place_parts(position.after), position.until]


def read_upcoming(parts: Parts) -> UpcomingPosition:
    """The inverse."""
    match parts:
        case [*place, int(until)]:
            return UpcomingPosition(after=read_place(place), until=until)
    raise ValueError("not a position among upcoming runs")


def due_parts(position: DuePosition) -> Parts:
    """A position in the buckets."""
    return [position.bucket, position.after, position.until]


def read_due(parts: Parts) -> DuePosition:
    """The inverse."""
    match parts:
        case [int(bucket), (str() | None) as after, int(until)]:
            return DuePosition(bucket=bucket, after=after, until=until)
    raise ValueError("not a position in the buckets")
