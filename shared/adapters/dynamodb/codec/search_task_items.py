"""Items of searches of executions, in the jobs table."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, Plain, Value, encode_all
from shared.adapters.dynamodb.codec.bulk_keys import search_task_key
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.versions import known, version_of
from shared.domain.archive.reading import RowFilter
from shared.domain.archive.search_task import ResultFile, SearchFilter, SearchState, SearchTask
from shared.domain.errors import UnreadableItemError
from shared.domain.listings.position import read_position
from shared.names import Attr


def search_task_item(task: SearchTask, expires_at_s: int | None = None) -> Item:
    (pk, sk), criteria = search_task_key(task.tenant_id, task.id), task.criteria
    files: list[Plain] = [[file.version, file.rows, file.size] for file in task.files]
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TTL: expires_at_s,
            "v": version_of(task.state),
            "vn": task.version,
            "s": task.state.value,
            "c": task.created_at,
            "ps": f"{task.position.at}#{task.position.id_text}",
            "wf": criteria.from_at,
            "wb": criteria.until_at,
            "wx": criteria.rows.state,
            "wj": criteria.rows.job_id,
            "wt": criteria.tag,
            "wr": criteria.rows.reason,
            "ws": criteria.rows.status,
            "wl": criteria.rows.lane,
            "f": files,
            "tr": task.truncated_at,
            "lu": task.lease_until or None,
            "ea": task.ended_at,
        }
    )


def read_search_task(item: Mapping[str, Value]) -> SearchTask:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain = plain_item(item)
    try:
        at, _, id_text = plain["ps"].partition("#")
        return SearchTask(
            id=plain[Attr.SK].partition("#")[2],
            tenant_id=plain[Attr.PK],
            criteria=_read_filter(plain),
            created_at=plain["c"],
            position=read_position(int(at), id_text),
            state=known(SearchState, plain["s"]),
            truncated_at=plain.get("tr"),
            files=tuple(ResultFile(version, rows, size) for version, rows, size in plain["f"]),
            version=plain["vn"],
            lease_until=plain.get("lu", 0),
            ended_at=plain.get("ea"),
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UnreadableItemError(f"item {plain.get(Attr.SK)} is broken") from error


def _read_filter(plain: Mapping[str, Any]) -> SearchFilter:
    return SearchFilter(
        rows=RowFilter(
            state=plain.get("wx"),
            job_id=plain.get("wj"),
            reason=plain.get("wr"),
            status=plain.get("ws"),
            lane=plain.get("wl"),
        ),
        from_at=plain["wf"],
        until_at=plain["wb"],
        tag=plain.get("wt"),
    )
