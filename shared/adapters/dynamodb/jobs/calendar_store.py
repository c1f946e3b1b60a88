"""Calendars of tenants: `cv` the version, `c` the content, `a` the instant of the change.

The content of a calendar with blackout windows is `cb` instead: a release before them looks for `c` alone, and so
refuses the calendar in place of running through the windows.

The mark of a tenant has only `cv`, at or above the versions of all deletions. A creation writes a version above the
mark, on condition of the mark, so a slow creation never repeats a version that was deleted meanwhile.
"""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode, encode_all, is_same
from shared.adapters.dynamodb.codec.calendar_keys import calendar_key, calendar_mark_key, calendar_prefix
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.versions import BLACKOUTS, is_known, version_of
from shared.domain.errors import InvalidValueError, UnknownVersionError, UnreadableItemError
from shared.domain.schedules.blackouts import Blackout
from shared.domain.schedules.own_calendar import OwnCalendar
from shared.names import Attr


class DynamoCalendarStore:
    """A calendar is one item beside the definitions of its tenant, so that a deletion of the tenant finds it."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, tenant_id: str, name: str) -> OwnCalendar | None:
        item = self._read(calendar_key(tenant_id, name))
        return _calendar(item) if item is not None else None

    def last_version(self, tenant_id: str, name: str) -> int:
        item = self._read(calendar_key(tenant_id, name))
        return self._mark(tenant_id) if item is None else int(str(item["cv"]["N"]))

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
            found += map(_calendar, answer["Items"])
            last = answer.get("LastEvaluatedKey")
            if not last:
                return found
            start = {"ExclusiveStartKey": last}

    def put(self, tenant_id: str, calendar: OwnCalendar, before: OwnCalendar | None) -> bool:
        fields: dict[str, Any] = {
            "v": BLACKOUTS if calendar.blackouts else version_of(),
            "cv": calendar.version,
            "a": calendar.changed_at,
            "cb" if calendar.blackouts else "c": _content(calendar),
        }
        item: Item = {**item_key(*calendar_key(tenant_id, calendar.name)), **encode_all(fields)}
        put: dict[str, Any] = {
            "TableName": self._table,
            "Item": item,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        try:
            with translated():
                if before is None:
                    put["ConditionExpression"] = "attribute_not_exists(pk)"
                    check = {"ConditionCheck": self._below(tenant_id, calendar.version)}
                    self._client.transact_write_items(TransactItems=[{"Put": put}, check])
                else:
                    put |= self._at(before.version)
                    self._client.put_item(**put)
        except ConditionRefused as refused:
            return bool(refused.items) and is_same(refused.items[0], item)
        return True

    def delete(self, tenant_id: str, calendar: OwnCalendar) -> bool:
        raised = calendar.version + 1
        key = item_key(*calendar_key(tenant_id, calendar.name))
        delete = {"TableName": self._table, "Key": key, **self._at(calendar.version)}
        raise_mark = self._below(tenant_id, raised) | {
            "UpdateExpression": "SET v = :v, cv = :version",
            "ExpressionAttributeValues": encode_all({":v": version_of(), ":version": raised}),
        }
        try:
            with translated():
                if self._mark(tenant_id) >= raised:
                    self._client.delete_item(**delete)
                else:
                    self._client.transact_write_items(
                        TransactItems=[{"Delete": delete}, {"Update": raise_mark}]
                    )
        except ConditionRefused:
            # The response of the first try may have been lost.
            return self._read(calendar_key(tenant_id, calendar.name)) is None
        return True

    def _at(self, version: int) -> dict[str, Any]:
        """On condition that the calendar has this version."""
        return {
            "ConditionExpression": "cv = :before",
            "ExpressionAttributeValues": {":before": encode(version)},
        }

    def _below(self, tenant_id: str, version: int) -> dict[str, Any]:
        """On condition that the mark of the tenant is below this version."""
        return {
            "TableName": self._table,
            "Key": item_key(*calendar_mark_key(tenant_id)),
            "ConditionExpression": "attribute_not_exists(cv) OR cv < :version",
            "ExpressionAttributeValues": {":version": encode(version)},
        }

    def _mark(self, tenant_id: str) -> int:
        item = self._read(calendar_mark_key(tenant_id))
        return 0 if item is None else int(str(item["cv"]["N"]))

    def _read(self, key: tuple[str, str]) -> Any:
        with translated():
            answer = self._client.get_item(TableName=self._table, Key=item_key(*key), ConsistentRead=True)
        return answer.get("Item")


def _content(calendar: OwnCalendar) -> dict[str, Any]:
    weekend = None if calendar.weekend is None else "".join(map(str, sorted(calendar.weekend)))
    optional = {"y": calendar.country, "w": weekend, "s": calendar.set_name}
    dates: dict[str, Any] = {"i": list(calendar.dates_in), "o": list(calendar.dates_out)}
    if calendar.blackouts:
        dates["x"] = [[each.from_at, each.until_at, each.reason] for each in calendar.blackouts]
    return {name: value for name, value in optional.items() if value is not None} | dates


def _calendar(item: Any) -> OwnCalendar:
    row: dict[str, Any] = dict(decode_all(item))
    if not is_known(row.get("v")):
        raise UnknownVersionError(f"a stored calendar of version {row.get('v')!r}")
    try:
        content = row["cb"] if "cb" in row else row["c"]
        weekend = content.get("w")
        return OwnCalendar(
            name=str(row[Attr.SK]).removeprefix(calendar_prefix("")[1]),
            version=row["cv"],
            changed_at=row["a"],
            country=content.get("y"),
            weekend=None if weekend is None else frozenset(map(int, weekend)),
            dates_in=tuple(content["i"]),
            dates_out=tuple(content["o"]),
            set_name=content.get("s"),
            blackouts=tuple(
                Blackout(from_at=from_at, until_at=until_at, reason=reason)
                for from_at, until_at, reason in content.get("x", ())
            ),
        )
    except (KeyError, TypeError, ValueError, InvalidValueError) as error:
        raise UnreadableItemError("a stored calendar of an unknown form") from error
