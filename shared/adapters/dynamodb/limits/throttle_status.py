"""The status of throttling, from the leases table in one BatchGetItem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import Item, decode
from shared.adapters.dynamodb.codec.keys import hot_scopes_key, item_key, limit_key, progress_key
from shared.adapters.dynamodb.codec.lane_progress_items import read_progress
from shared.adapters.dynamodb.limits.limit_store import read_hot_scopes, read_state
from shared.domain.dispatch.wait_hint import ThrottleSnapshot
from shared.domain.limits.scopes import ScopeState
from shared.names import Attr, Lane

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


READ_TRIES = 2
"""An answer may leave keys out for its size alone. A second pause would delay a response for a hint."""


class DynamoThrottleStatus:
    """Reads are eventually consistent."""

    def __init__(self, client: DynamoDBClient, table: str, region: str, backoff: Backoff) -> None:
        self._region = region
        self._batch_reads = BatchReads(client, table, backoff, is_strong=False)

    def read(
        self, scopes: Sequence[str], lanes: Sequence[Lane], hot_scopes: Mapping[str, int] | None = None
    ) -> ThrottleSnapshot:
        hot_scope_keys = [hot_scopes_key(self._region)] if hot_scopes is None else []
        states = {scope: limit_key(scope) for scope in scopes}
        progress = [progress_key(self._region, lane) for lane in lanes]
        items = self._get([*hot_scope_keys, *states.values(), *progress])
        return ThrottleSnapshot(
            states={
                scope: read_state(items[key]) if key in items else ScopeState()
                for scope, key in states.items()
            },
            hot_scopes=read_hot_scopes(items.get(hot_scope_keys[0], {}))
            if hot_scopes is None
            else hot_scopes,
            progress=[read_progress(items[key]) for key in progress if key in items],
        )

    def _get(self, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Item]:
        items = self._batch_reads.read_all([item_key(*key) for key in dict.fromkeys(keys)], READ_TRIES)
        return {(str(decode(item[Attr.PK])), str(decode(item[Attr.SK]))): item for item in items}
