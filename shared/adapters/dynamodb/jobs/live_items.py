"""What has not ended, by a sparse index of the jobs table: `lp` (the tenant) and the table's own sort key.

Only definitions that have not ended, large requests without an expiry, and heads of workflows that are not deleted
have `lp`. The index holds keys and
`st`, so that a change of a definition costs no index write.
"""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.job_items import read_job
from shared.adapters.dynamodb.codec.keys import PAYLOAD_PREFIX, item_key, job_prefix
from shared.adapters.dynamodb.codec.workflow_keys import HEAD_PREFIX
from shared.adapters.dynamodb.live_index import count_live
from shared.domain.errors import UnreadableItemError
from shared.names import LIVE_SEGMENTS, Attr, Index
from shared.ports.jobs import LargeRequest, LiveItem

_Place = tuple[str, str]


class DynamoLiveItems:
    """A page costs one read of the index and, for up to 100 definitions, one strong BatchGetItem."""

    def __init__(self, client: AwsClient, table: str, backoff: Backoff) -> None:
        self._client = client
        self._table = table
        self._reads = BatchReads(client, table, backoff)

    def page(self, segment: int, *, after: str | None, limit: int) -> tuple[list[LiveItem], str | None]:
        start: Any = {"ExclusiveStartKey": _start_key(after)} if after is not None else {}
        with translated():
            answer = self._client.scan(
                TableName=self._table,
                IndexName=Index.LIVE,
                Segment=segment,
                TotalSegments=LIVE_SEGMENTS,
                Limit=limit,
                **start,
            )
        entries = [entry for entry in answer["Items"] if not _is_workflow(entry)]
        keys = [_key(entry) for entry in entries if not _is_large_request(entry)]
        definitions = {_place(item): item for item in self._reads.read_all(keys)}
        last: Any = answer.get("LastEvaluatedKey")
        return [_live_item(entry, definitions) for entry in entries], _cursor(last) if last else None

    def count(self, tenant_id: str, at_most: int) -> int:
        return count_live(self._client, self._table, tenant_id, job_prefix(tenant_id)[1], at_most)


def _live_item(entry: Item, definitions: dict[_Place, Item]) -> LiveItem:
    cursor = _cursor(entry)
    if _is_large_request(entry):
        return LiveItem(cursor=cursor, content=_large_request(entry))
    definition = definitions.get(_place(entry))
    if definition is None:
        return LiveItem(cursor=cursor, content=None)
    try:
        return LiveItem(cursor=cursor, content=read_job(definition))
    except UnreadableItemError:
        return LiveItem(cursor=cursor, content=None, is_unreadable=True)


def _large_request(entry: Item) -> LargeRequest:
    plain: dict[str, Any] = decode_all(entry)
    return LargeRequest(
        tenant_id=plain[Attr.LIVE_PK],
        payload_id=plain[Attr.SK].removeprefix(PAYLOAD_PREFIX),
        stored_at=plain[Attr.STORED_AT],
    )


def _is_large_request(entry: Any) -> bool:
    return bool(entry[Attr.SK]["S"].startswith(PAYLOAD_PREFIX))


def _is_workflow(entry: Any) -> bool:
    return bool(entry[Attr.SK]["S"].startswith(HEAD_PREFIX))


def _place(item: Any) -> _Place:
    return item[Attr.PK]["S"], item[Attr.SK]["S"]


def _key(entry: Any) -> Item:
    return {Attr.PK: entry[Attr.PK], Attr.SK: entry[Attr.SK]}


def _cursor(entry: Any) -> str:
    return "|".join(entry[name]["S"] for name in (Attr.LIVE_PK, Attr.PK, Attr.SK))


def _start_key(cursor: str) -> Item:
    tenant_id, pk, sk = cursor.split("|", 2)
    return {Attr.LIVE_PK: encode(tenant_id), **item_key(pk, sk)}
