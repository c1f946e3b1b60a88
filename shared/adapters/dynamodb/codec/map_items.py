"""Items of maps: each position of the array has an attribute of its own, as tasks have in the item of their run."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, Value, encode_all
from shared.adapters.dynamodb.codec.items import MALFORMED, plain_item
from shared.adapters.dynamodb.codec.run_items import (
    REASON_CODES,
    REASONS,
    pack_task,
    task_attribute,
    unpack_task,
)
from shared.adapters.dynamodb.codec.versions import MAPS, known
from shared.adapters.dynamodb.codec.workflow_keys import map_index_key, map_key
from shared.domain.errors import UnreadableItemError
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.domain.workflows.map_items import MapItems
from shared.names import Attr

EPOCH = "ep"
"""The attribute that each write requires: the epoch of the run in which the items were chosen."""
RESULT = "re"


def map_item(items: MapItems, region: str) -> Item:
    pk, sk = map_key(region, items.run, items.key)
    index_pk, index_sk = map_index_key(items.tenant_id, items.workflow_id, items.run, items.key)
    packed = {task_attribute(position): pack_task(item) for position, item in enumerate(items.items or ())}
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TENANT_PK: index_pk,
            Attr.TENANT_SK: index_sk,
            "v": MAPS,
            "t": items.tenant_id,
            "wd": items.workflow_id,
            EPOCH: items.epoch,
            "nt": None if items.items is None else len(items.items),
            "sp": None if items.stopped is None else REASON_CODES[items.stopped],
            RESULT: items.result or None,
            **packed,
        }
    )


def read_map_items(item: Mapping[str, Value]) -> MapItems:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain: dict[str, Any] = plain_item(item)
    try:
        return MapItems(
            run=_read_run(plain[Attr.PK]),
            key=plain[Attr.SK].removeprefix("map#"),
            tenant_id=plain["t"],
            workflow_id=plain["wd"],
            epoch=plain[EPOCH],
            items=(
                tuple(unpack_task(plain[task_attribute(position)]) for position in range(plain["nt"]))
                if "nt" in plain
                else None
            ),
            stopped=known(REASONS.__getitem__, plain["sp"]) if "sp" in plain else None,
            result=plain.get(RESULT, b""),
        )
    except MALFORMED as error:
        raise UnreadableItemError(
            f"the items of {plain.get(Attr.PK)} {plain.get(Attr.SK)} are broken"
        ) from error


def _read_run(pk: str) -> ExecutionId:
    return parse_execution_id(f"exe_{pk.rpartition('#')[2]}")
