"""Group commit of an executor's reads of large requests: those of a batch of messages go in one BatchGetItem.

A stored request never changes, so the group reads it without consistency, for half the units. Where the group does
not find it, the strong read of the single call decides.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from shared.adapters.aws.client import AwsCall, Params
from shared.adapters.dynamodb.codec.keys import PAYLOAD_PREFIX, item_key
from shared.adapters.group_commit import GroupCommit
from shared.names import Attr

MAX_READS = 25
"""Requests have up to 270 KB, so that a larger group would soon take longer than its members wait for it."""
ItemKey = tuple[str, str]


class Groups(Protocol):
    """Reads items in groups."""

    def join(self, key: ItemKey, member: None) -> Mapping[str, Any] | None:
        """As `GroupCommit.join`."""
        ...


class GroupedReads:
    """Calls of DynamoDB, of which the reads of large requests go in groups."""

    def __init__(
        self,
        call: AwsCall,
        once: AwsCall,
        jobs_table: str,
        failed: Callable[[str], None],
        groups: Callable[..., Groups] = GroupCommit,
    ) -> None:
        """`once` makes the requests of groups. It repeats none, since the single calls follow a failure."""
        self._call = call
        self._once = once
        self._table = jobs_table
        self._groups = groups(self._read, MAX_READS, failed)

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        if operation != "GetItem" or params["TableName"] != self._table:
            return self._call(operation, params)
        key = _key_of(params["Key"])
        is_payload = key[1].startswith(PAYLOAD_PREFIX)
        item = self._groups.join(key, None) if is_payload else None
        return {"Item": item} if item is not None else self._call(operation, params)

    def _read(self, members: Mapping[ItemKey, None]) -> dict[ItemKey, Mapping[str, Any]]:
        keys = [item_key(*key) for key in members]
        answer = self._once("BatchGetItem", {"RequestItems": {self._table: {"Keys": keys}}})
        return {_key_of(item): item for item in answer["Responses"].get(self._table, [])}


def _key_of(item: Mapping[str, Any]) -> ItemKey:
    return item[Attr.PK]["S"], item[Attr.SK]["S"]
