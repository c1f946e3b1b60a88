"""Attempt outcomes, packed: 13 bytes each, so that an item with its history stays under one KB."""

import struct

from shared.domain.attempt_outcome import AttemptOutcome
from shared.domain.delivery import Reason

_ROW = struct.Struct(">BQIHB")
_WIDTH = 13
_SECONDS = 1 << 23
"""Below this a duration is in milliseconds; from this on, what exceeds it is in seconds (two hours and more)."""
_MAX_SECONDS = _SECONDS - 1


def pack_outcomes(outcomes: tuple[AttemptOutcome, ...]) -> bytes:
    """Attempt (1 byte), start (6), duration (3), status or 0 (2), reason (1)."""
    rows = []
    for outcome in outcomes:
        row = _ROW.pack(
            outcome.attempt,
            outcome.started_at,
            _pack_duration(outcome.duration_ms),
            outcome.status or 0,
            outcome.reason,
        )
        rows.append(row[0:1] + row[3:9] + row[10:13] + row[13:])
    return b"".join(rows)


def unpack_outcomes(packed: bytes) -> tuple[AttemptOutcome, ...]:
    """The inverse; ValueError or struct.error for anything else."""
    outcomes = []
    for start in range(0, len(packed), _WIDTH):
        row = packed[start : start + _WIDTH]
        attempt, started_at, duration, status, reason = _ROW.unpack(
            row[0:1] + b"\0\0" + row[1:7] + b"\0" + row[7:10] + row[10:]
        )
        outcomes.append(
            AttemptOutcome(
                attempt=attempt,
                started_at=started_at,
                duration_ms=_unpack_duration(duration),
                status=status or None,
                reason=Reason(reason),
            )
        )
    return tuple(outcomes)


def last_started_at(packed: bytes) -> int | None:
    """When the last attempt of these began; None where there is none."""
    row = packed[-_WIDTH:]
    return int.from_bytes(row[1:7]) if len(row) == _WIDTH else None


def _pack_duration(duration_ms: int) -> int:
    """Exact below two hours, and to the second above, as far as attempts that run on can take."""
    if duration_ms < _SECONDS:
        return duration_ms
    return _SECONDS + min(duration_ms // 1000, _MAX_SECONDS)


def _unpack_duration(packed: int) -> int:
    return packed if packed < _SECONDS else (packed - _SECONDS) * 1000
