"""The status of throttling, from the leases table in one BatchGetItem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.attributes import Item, decode
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import hot_scopes_key, item_key, limit_key, progress_key
from shared.adapters.dynamodb.codec.lane_progress_items import read_progress
from shared.adapters.dynamodb.limits.limit_store import read_hot_scopes, read_state
from shared.domain.dispatch.wait_hint import ThrottleSnapshot
from shared.domain.errors import UnavailableError
from shared.domain.limits.scopes import ScopeState
from shared.names import Attr, Lane

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoThrottleStatus:
    """Eventually consistent, without retries of unprocessed keys: a hint must not delay a response."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

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
        criteria: Any = [item_key(*key) for key in dict.fromkeys(keys)]
        if not criteria:
            return {}
        with translated():
            answer = self._client.batch_get_item(RequestItems={self._table: {"Keys": criteria}})
        if answer["UnprocessedKeys"]:
            raise UnavailableError("BatchGetItem left keys unprocessed")
        items: Any = answer["Responses"].get(self._table, [])
        return {(str(decode(item[Attr.PK])), str(decode(item[Attr.SK]))): item for item in items}
