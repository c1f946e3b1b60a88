"""The sweeper's part of a ledger row: what is open in a shard, and a pass that ran out of time."""

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

import orjson

from shared.adapters.dynamodb.codec.keys import parse_ledger_sk
from shared.names import Attr
from shared.ports.dispatch import OpenShard, PassProgress

_SEPARATOR = ","
"""No sort key contains a comma."""


def read_open_shard(row: Mapping[str, Any]) -> OpenShard:
    """A decoded row; `sb` counts once the watcher's scan has finished."""
    bucket, shard = parse_ledger_sk(row[Attr.SK])
    return OpenShard(
        bucket=bucket,
        shard=shard,
        version=row["vn"],
        scan_began_at=row.get("sb") if "dn" in row else None,
        passes=row["ps"],
        next_pass_at=row["np"],
        last_resend_at=row.get("lr"),
        open_until=row.get("ou"),
        open_rows=_read_open_rows(row.get("op")),
        full_scan_at=row.get("fs"),
        progress=_read_progress(row.get("su")),
    )


def encode_open_rows(open_rows: tuple[str, ...]) -> str:
    return _SEPARATOR.join(open_rows)


def _read_open_rows(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return tuple(text.split(_SEPARATOR)) if text else ()


def encode_progress(progress: PassProgress) -> str:
    return orjson.dumps(astuple(progress)).decode()


def _read_progress(text: str | None) -> PassProgress | None:
    if text is None:
        return None
    cursor, version, began_at, unfinished, open_rows, next_actionable_at, resent, failed = orjson.loads(text)
    return PassProgress(
        cursor=cursor,
        version=version,
        began_at=began_at,
        unfinished=unfinished,
        open_rows=None if open_rows is None else tuple(open_rows),
        next_actionable_at=next_actionable_at,
        resent=resent,
        failed=failed,
    )
