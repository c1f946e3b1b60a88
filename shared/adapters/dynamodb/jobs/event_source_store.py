"""Event sources: `cv` the version, `a` the instant of the change, `r` the routes as pairs of prefix and tenant."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode, encode_all, is_same
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.versions import is_known, version_of
from shared.domain.errors import InvalidValueError, UnknownVersionError, UnreadableItemError
from shared.domain.triggers.event_source import EventRoute, EventSource
from shared.names import Attr

EVENT_SOURCES = "#event-sources"
"""The partition of the event sources in the jobs table. No tenant has this ID."""


class DynamoEventSourceStore:
    """All event sources are in one partition of the jobs table: there are few, and readers cache them."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, account: str) -> EventSource | None:
        item = self._read(account)
        return None if item is None else _source(item)

    def all(self) -> list[EventSource]:
        start: dict[str, Any] = {}
        found: list[EventSource] = []
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk",
                    ExpressionAttributeValues={":pk": encode(EVENT_SOURCES)},
                    ConsistentRead=True,
                    **start,
                )
            found += map(_source, answer["Items"])
            last = answer.get("LastEvaluatedKey")
            if not last:
                return found
            start = {"ExclusiveStartKey": last}

    def put(self, source: EventSource, before: EventSource | None) -> bool:
        fields: dict[str, Any] = {
            "v": version_of(),
            "cv": source.version,
            "a": source.changed_at,
            "r": [[route.source_prefix, route.tenant_id] for route in source.routes],
        }
        item: Item = {**item_key(EVENT_SOURCES, source.account), **encode_all(fields)}
        condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(pk)"}
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                    **(condition if before is None else _at(before)),
                )
        except ConditionRefused as refused:
            return bool(refused.items) and is_same(refused.items[0], item)
        return True

    def delete(self, source: EventSource) -> bool:
        try:
            with translated():
                self._client.delete_item(
                    TableName=self._table, Key=item_key(EVENT_SOURCES, source.account), **_at(source)
                )
        except ConditionRefused:
            # The response of the first try may have been lost.
            return self._read(source.account) is None
        return True

    def _read(self, account: str) -> Any:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=item_key(EVENT_SOURCES, account), ConsistentRead=True
            )
        return answer.get("Item")


def _at(source: EventSource) -> dict[str, Any]:
    """On condition that the stored one is this one: versions restart after a deletion, instants do not."""
    return {
        "ConditionExpression": "cv = :version AND a = :changed",
        "ExpressionAttributeValues": encode_all({":version": source.version, ":changed": source.changed_at}),
    }


def _source(item: Any) -> EventSource:
    row: dict[str, Any] = dict(decode_all(item))
    if not is_known(row.get("v")):
        raise UnknownVersionError("a stored event source of a newer version")
    try:
        return EventSource(
            account=row[Attr.SK],
            version=row["cv"],
            changed_at=row["a"],
            routes=tuple(EventRoute(source_prefix=prefix, tenant_id=tenant) for prefix, tenant in row["r"]),
        )
    except (KeyError, TypeError, ValueError, InvalidValueError) as error:
        raise UnreadableItemError("a stored event source of an unknown form") from error
