"""Segments of the audit trail: files of audit records, each with the hash of the file before it.

A segment is JSON lines in gzip: a header, then a line for each record, with sorted keys. Records are kept as they
are: ids, digests and instants.
"""

import gzip
import json
import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.domain.tenancy.audit import Actor, AuditRecord

FORMAT = 1
NO_SEGMENT = "0" * 64
"""Stands for the hash of the segment before the first one."""
MOST_RECORDS = 10_000
MOST_BYTES = 64 << 20
"""Of the lines of a segment: 10,000 records have a tenth of it. The auditor writes no larger one."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Period:
    """The records with `at` in [from_at, until_at)."""

    from_at: int
    until_at: int

    def __post_init__(self) -> None:
        if not 0 <= self.from_at < self.until_at:
            raise InvalidValueError(f"a period has a beginning and a later end, not {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    number: int
    """From 0, without a gap."""
    previous: str
    """SHA-256 of the segment before, as it is stored."""
    period: Period
    closes: bool
    """Whether all records of the period that its first export found are in this segment and in earlier ones.
    Later segments of the period have records that came late."""
    lock_days: int
    """For how long the stage locks the segment, in days after it was written."""
    records: tuple[AuditRecord, ...]


def encode_segment(segment: Segment) -> bytes:
    header = {
        "format": FORMAT,
        "number": segment.number,
        "previous": segment.previous,
        "from_at": segment.period.from_at,
        "until_at": segment.period.until_at,
        "closes": segment.closes,
        "lock_days": segment.lock_days,
        "records": len(segment.records),
    }
    lines = [_line(header), *map(record_line, segment.records)]
    return gzip.compress("\n".join(lines).encode(), mtime=0)


def record_line(record: AuditRecord) -> str:
    """The whole record as one line of JSON: equal lines for equal records."""
    return _line(
        {
            "id": record.id,
            "tenant": record.tenant_id,
            "at": record.at,
            "actor": record.actor.tenant_id,
            "key": record.actor.key_id,
            "operation": record.operation,
            "target": record.target,
            "before": record.before,
            "after": record.after,
            "request": record.request_id,
        }
    )


def read_segment(content: bytes) -> Segment:
    """UnreadableItemError for bytes that `encode_segment` did not make."""
    try:
        header, *lines = map(json.loads, _unpacked(content).decode().split("\n"))
        if header["format"] != FORMAT or header["records"] != len(lines):
            raise InvalidValueError("the header and the lines differ")
        return Segment(
            number=_whole(header["number"]),
            previous=_text(header["previous"]),
            period=Period(from_at=_whole(header["from_at"]), until_at=_whole(header["until_at"])),
            closes=header["closes"] is True,
            lock_days=_whole(header["lock_days"]),
            records=tuple(map(_record, lines)),
        )
    except (
        ArithmeticError,
        EOFError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
        zlib.error,
    ) as error:
        raise UnreadableItemError(f"no segment of the audit trail: {type(error).__name__}") from error


def hash_of(content: bytes) -> str:
    """SHA-256 of a segment as it is stored."""
    return sha256(content).hexdigest()


def _unpacked(content: bytes) -> bytes:
    """At most MOST_BYTES, whatever the file unpacks to."""
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    lines = unpacking.decompress(content, MOST_BYTES)
    if not unpacking.eof or unpacking.unused_data:
        raise InvalidValueError("it is cut off, or more than one file")
    return lines


def _line(document: Mapping[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _record(row: Mapping[str, Any]) -> AuditRecord:
    return AuditRecord(
        id=_text(row["id"]),
        tenant_id=_text(row["tenant"]),
        at=_whole(row["at"]),
        actor=Actor(tenant_id=_text(row["actor"]), key_id=_text_or_none(row["key"])),
        operation=_text(row["operation"]),
        target=_text(row["target"]),
        before=_text_or_none(row["before"]),
        after=_text_or_none(row["after"]),
        request_id=_text(row["request"]),
    )


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise InvalidValueError("it is no whole number")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidValueError("it is no text")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)
