"""Calendars of tenants: `cv` the version, `c` the content without a deleted one, `a` the instant of the change."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode, encode_all, is_same
from shared.adapters.dynamodb.codec.calendar_keys import calendar_key, calendar_prefix
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.versions import version_of
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.domain.schedules.own_calendar import OwnCalendar
from shared.names import Attr


class DynamoCalendarStore:
    """A calendar is one item beside the definitions of its tenant, so that a deletion of the tenant finds it."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, tenant_id: str, name: str) -> OwnCalendar | None:
        item = self._read(tenant_id, name)
        return _calendar(item) if item is not None else None

    def last_version(self, tenant_id: str, name: str) -> int:
        item = self._read(tenant_id, name)
        return 0 if item is None else int(str(item["cv"]["N"]))

    def all(self, tenant_id: str) -> list[OwnCalendar]:
        pk, prefix = calendar_prefix(tenant_id)
        start: dict[str, Any] = {}
        found: list[OwnCalendar] = []
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                    ExpressionAttributeValues={":pk": encode(pk), ":prefix": encode(prefix)},
                    ConsistentRead=True,
                    **start,
                )
            found += [each for item in answer["Items"] if (each := _calendar(item)) is not None]
            last = answer.get("LastEvaluatedKey")
            if not last:
                return found
            start = {"ExclusiveStartKey": last}

    def put(self, tenant_id: str, calendar: OwnCalendar) -> bool:
        return self._write(
            tenant_id, calendar.name, calendar.version, _content(calendar), calendar.changed_at
        )

    def delete(self, tenant_id: str, calendar: OwnCalendar, deleted_at: int) -> bool:
        return self._write(tenant_id, calendar.name, calendar.version + 1, None, deleted_at)

    def _write(
        self, tenant_id: str, name: str, version: int, content: dict[str, Any] | None, changed_at: int
    ) -> bool:
        fields = {"v": version_of(), "cv": version, "a": changed_at} | ({"c": content} if content else {})
        item: Item = {**item_key(*calendar_key(tenant_id, name)), **encode_all(fields)}
        condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(pk)"}
        if version > 1:
            condition = {
                "ConditionExpression": "cv = :before",
                "ExpressionAttributeValues": {":before": encode(version - 1)},
            }
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                    **condition,
                )
        except ConditionRefused as refused:
            return bool(refused.items) and is_same(refused.items[0], item)
        return True

    def _read(self, tenant_id: str, name: str) -> Any:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=item_key(*calendar_key(tenant_id, name)), ConsistentRead=True
            )
        return answer.get("Item")


def _content(calendar: OwnCalendar) -> dict[str, Any]:
    """Never empty, so that a deleted calendar is told apart by its absence."""
    weekend = None if calendar.weekend is None else "".join(map(str, sorted(calendar.weekend)))
    optional = {"y": calendar.country, "w": weekend}
    dates = {"i": list(calendar.dates_in), "o": list(calendar.dates_out)}
    return {name: value for name, value in optional.items() if value is not None} | dates


def _calendar(item: Any) -> OwnCalendar | None:
    """None for a deleted calendar."""
    row: dict[str, Any] = dict(decode_all(item))
    content = row.get("c")
    if content is None:
        return None
    try:
        weekend = content.get("w")
        return OwnCalendar(
            name=str(row[Attr.SK]).removeprefix(calendar_prefix("")[1]),
            version=row["cv"],
            changed_at=row["a"],
            country=content.get("y"),
            weekend=None if weekend is None else frozenset(map(int, weekend)),
            dates_in=tuple(content["i"]),
            dates_out=tuple(content["o"]),
        )
    except (KeyError, TypeError, InvalidValueError) as error:
        raise UnreadableItemError("a stored calendar of an unknown form") from error
