"""The store of changes of one-off jobs in DynamoDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import STATE_CODES, execution_item
from shared.adapters.dynamodb.codec.keys import execution_key, item_key
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId, one_off_execution
from shared.names import Attr

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_NAMES = {"#s": "s", "#v": "v"}
_UNCHANGED = "#v <= :v AND #s = :state AND rv = :revision"


class DynamoOneOffStore:
    """An edit is one conditional write; a move is one transaction over the old, new and original items."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def edit(self, before: Execution, after: Execution) -> bool:
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=execution_item(after, self._region),
                    ConditionExpression=_UNCHANGED,
                    ExpressionAttributeNames=_NAMES,
                    ExpressionAttributeValues=_seen(before),
                )
        except ConditionRefused:
            return False
        return True

    def move(self, before: Execution, after: Execution, expires_at_s: int) -> bool:
        forward = {":to": encode(str(after.id)), ":ttl": encode(expires_at_s)}
        items: list[dict[str, Any]] = [
            {"Update": self._leave(before, forward)},
            {"Put": self._arrive(execution_item(after, self._region))},
        ]
        origin = one_off_execution(before.job_id)
        if origin is not None and origin != before.id:
            items.append({"Update": self._redirect(origin, forward)})
        try:
            with translated():
                self._client.transact_write_items(TransactItems=items)  # type: ignore[arg-type]
        except ConditionRefused:
            return False
        return True

    def _leave(self, before: Execution, forward: dict[str, Any]) -> dict[str, Any]:
        values = {**_seen(before), **forward, ":moved": encode(STATE_CODES[State.MOVED])}
        return self._update(before.id, "SET #s = :moved, mv = :to, #ttl = :ttl REMOVE ca", _UNCHANGED, values)

    def _redirect(self, origin: ExecutionId, forward: dict[str, Any]) -> dict[str, Any]:
        values = {**forward, ":v": encode(VERSION), ":moved": encode(STATE_CODES[State.MOVED])}
        return self._update(origin, "SET mv = :to, #ttl = :ttl", "#v <= :v AND #s = :moved", values)

    def _update(
        self, key: ExecutionId, expression: str, condition: str, values: dict[str, Any]
    ) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "Key": item_key(*execution_key(self._region, key)),
            "UpdateExpression": expression,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": {**_NAMES, "#ttl": Attr.TTL},
            "ExpressionAttributeValues": values,
        }

    def _arrive(self, item: Item) -> dict[str, Any]:
        return {"TableName": self._table, "Item": item, "ConditionExpression": ABSENT}


def _seen(before: Execution) -> dict[str, Any]:
    return {
        ":v": encode(VERSION),
        ":state": encode(STATE_CODES[before.state]),
        ":revision": encode(before.revision),
    }
