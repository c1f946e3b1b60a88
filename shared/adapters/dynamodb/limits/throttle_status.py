"""The status of throttling, from the leases table in one BatchGetItem."""

from collections.abc import Collection, Sequence
from contextlib import suppress

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import Item
from shared.adapters.dynamodb.codec.keys import hot_scopes_key, item_key, limit_key, progress_key
from shared.adapters.dynamodb.codec.lane_progress_items import read_progress
from shared.adapters.dynamodb.limits.limit_store import key_of, read_hot_scopes, read_state
from shared.domain.dispatch.wait_hint import ThrottleSnapshot
from shared.domain.errors import UnreadableItemError
from shared.domain.limits.scopes import ScopeState
from shared.names import Lane

READ_TRIES = 2
"""An answer may leave keys out for its size alone. A second pause would delay a response for a hint."""


class DynamoThrottleStatus:
    """Reads are eventually consistent."""

    def __init__(self, client: AwsClient, table: str, region: str, backoff: Backoff) -> None:
        self._region = region
        self._batch_reads = BatchReads(client, table, backoff, is_strong=False)

    def read(
        self, scopes: Sequence[str], lanes: Sequence[Lane], parts: Collection[int] = ()
    ) -> ThrottleSnapshot:
        hot_scopes = [hot_scopes_key(self._region, part) for part in parts]
        scope_keys = {scope: limit_key(scope) for scope in scopes}
        progress = [progress_key(self._region, lane) for lane in lanes]
        items = self._get([*hot_scopes, *scope_keys.values(), *progress])
        states: dict[str, ScopeState] = {}
        for scope, key in scope_keys.items():
            with suppress(UnreadableItemError):
                states[scope] = read_state(items[key]) if key in items else ScopeState()
        hot = [read_hot_scopes(items[key]) for key in hot_scopes if key in items]
        return ThrottleSnapshot(
            states=states,
            hot_scopes={scope: until for part in hot for scope, until in part.items()},
            progress=[read_progress(items[key]) for key in progress if key in items],
        )

    def _get(self, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Item]:
        items = self._batch_reads.read_all([item_key(*key) for key in dict.fromkeys(keys)], READ_TRIES)
        return {key_of(item): item for item in items}
