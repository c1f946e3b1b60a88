"""Items of bulk redrives in the jobs table."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, Value, encode_all
from shared.adapters.dynamodb.codec.bulk_keys import redrive_task_key
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.versions import known, version_of
from shared.domain.dead_letters.redrive_task import RedriveTask, TaskCounts, TaskState
from shared.domain.errors import UnreadableItemError
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.listings.position import IndexPosition, PositionRange, read_position
from shared.names import Attr, Lane


def redrive_task_item(task: RedriveTask, expires_at_s: int | None = None) -> Item:
    pk, sk = redrive_task_key(task.tenant_id, task.id)
    criteria = task.criteria
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TTL: expires_at_s,
            "v": version_of(task.state, criteria.lane),
            "vn": task.version,
            "s": task.state.value,
            "rt": task.rate,
            "c": task.created_at,
            "nd": task.next_due_at,
            "wa": task.waits_since,
            "ps": _encode_position(task.position),
            "wf": _encode_position(criteria.span.after),
            "wb": _encode_position(criteria.span.before),
            "wj": criteria.job_id,
            "wt": criteria.tag,
            "wr": criteria.reason,
            "ws": criteria.status,
            "wl": criteria.lane.value if criteria.lane else None,
            "ct": asdict(task.counts),
            "ua": task.undo_asked_at,
            "pb": task.pass_began_at,
            "lu": task.lease_until or None,
            "ea": task.ended_at,
        }
    )


def read_redrive_task(item: Mapping[str, Value]) -> RedriveTask:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain = plain_item(item)
    try:
        return RedriveTask(
            id=plain[Attr.SK].partition("#")[2],
            tenant_id=plain[Attr.PK],
            criteria=_read_criteria(plain),
            rate=plain["rt"],
            created_at=plain["c"],
            next_due_at=plain["nd"],
            waits_since=plain.get("wa"),
            position=_read_position(plain["ps"]),
            state=known(TaskState, plain["s"]),
            version=plain["vn"],
            counts=TaskCounts(**plain["ct"]),
            undo_asked_at=plain.get("ua"),
            pass_began_at=plain.get("pb"),
            lease_until=plain.get("lu", 0),
            ended_at=plain.get("ea"),
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UnreadableItemError(f"item {plain.get(Attr.SK)} is broken") from error


def _read_criteria(plain: Mapping[str, Any]) -> DeadLetterFilter:
    return DeadLetterFilter(
        job_id=plain.get("wj"),
        tag=plain.get("wt"),
        reason=plain.get("wr"),
        status=plain.get("ws"),
        lane=known(Lane, plain["wl"]) if "wl" in plain else None,
        span=PositionRange(after=_read_position(plain["wf"]), before=_read_position(plain["wb"])),
    )


def _encode_position(place: IndexPosition) -> str:
    return f"{place.at}#{place.id_text}"


def _read_position(text: str) -> IndexPosition:
    at, _, id_text = text.partition("#")
    return read_position(int(at), id_text)
