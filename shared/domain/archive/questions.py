"""The messages between the API and the reader of the archive: plain values of JSON."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from shared.domain.archive.reading import ArchivePage, RowFilter
from shared.domain.archive.row import ArchiveRow, read_row
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import IndexPosition, PositionRange, read_position

Plain = dict[str, Any]


def newest_question(
    tenant_id: str, units: Sequence[ArchiveUnit], span: PositionRange, only: RowFilter, limit: int
) -> Plain:
    return {
        "tenant": tenant_id,
        "units": [[unit.hour, unit.group] for unit in units],
        "after": _position(span.after),
        "before": _position(span.before),
        "state": only.state,
        "only": {name: value for name, value in asdict(only).items() if value is not None},
        "limit": limit,
    }


def ids_question(tenant_id: str, ids: Iterable[ExecutionId]) -> Plain:
    return {"tenant": tenant_id, "ids": [str(each) for each in ids]}


def read_units(question: Mapping[str, Any]) -> list[ArchiveUnit]:
    return [ArchiveUnit(hour=hour, group=group) for hour, group in question["units"]]


def read_span(question: Mapping[str, Any]) -> PositionRange:
    return PositionRange(after=read_position(*question["after"]), before=read_position(*question["before"]))


def read_filter(question: Mapping[str, Any]) -> RowFilter:
    """An API of an earlier release names the state alone."""
    return RowFilter(**(question.get("only") or {"state": question["state"]}))


def answer_of(rows: Iterable[ArchiveRow], edge: IndexPosition | None = None) -> Plain:
    return {"rows": [_plain(row) for row in rows], "edge": _position(edge) if edge is not None else None}


def read_answer(answer: Mapping[str, Any]) -> ArchivePage:
    edge = answer["edge"]
    rows = (
        row | {"body": b64decode(row["body"]) if row["body"] is not None else None} for row in answer["rows"]
    )
    return ArchivePage(tuple(map(read_row, rows)), read_position(*edge) if edge is not None else None)


def _position(position: IndexPosition) -> list[Any]:
    return [position.at, position.id_text]


def _plain(row: ArchiveRow) -> Plain:
    body = b64encode(row.body).decode() if row.body is not None else None
    return {**asdict(row), "body": body}
