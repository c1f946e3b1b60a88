"""The store of changes of one-off jobs in DynamoDB."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Plain, encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import STATE_CODES, execution_item
from shared.adapters.dynamodb.codec.keys import execution_key, item_key
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId, one_off_execution
from shared.names import Attr

_NAMES = {"#s": "s", "#v": "v"}
_UNCHANGED = "#v <= :v AND #s = :state AND rv = :revision"
_FORWARDS = "#v <= :v AND #s = :moved"
_MOVED = STATE_CODES[State.MOVED]
_Changes = Mapping[str, Plain | None]


class DynamoOneOffStore:
    """An edit is one conditional write; a move is one transaction over the old, new and original items.

    The listing of jobs filters by the name and tags of the original item, so every write keeps those current.
    """

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def edit(self, before: Execution, after: Execution) -> bool:
        edit = {
            "TableName": self._table,
            "Item": execution_item(after, self._region),
            "ConditionExpression": _UNCHANGED,
            "ExpressionAttributeNames": _NAMES,
            "ExpressionAttributeValues": _seen(before),
        }
        origin = _origin_of(before)
        if origin is None or _listed(before) == _listed(after):
            try:
                with translated():
                    self._client.put_item(**edit)
            except ConditionRefused:
                return False
            return True
        return self._transact([{"Put": edit}, {"Update": self._redirect(origin, _listed(after))}])

    def move(self, before: Execution, after: Execution, expires_at_s: int) -> bool:
        forward: _Changes = {"mv": str(after.id), Attr.TTL: expires_at_s}
        items: list[dict[str, Any]] = [
            {"Update": self._leave(before, after, forward)},
            {
                "Put": {
                    "TableName": self._table,
                    "Item": execution_item(after, self._region),
                    "ConditionExpression": ABSENT,
                }
            },
        ]
        origin = _origin_of(before)
        if origin is not None:
            items.append({"Update": self._redirect(origin, {**forward, **_listed(after)})})
        return self._transact(items)

    def _transact(self, items: list[dict[str, Any]]) -> bool:
        try:
            with translated():
                self._client.transact_write_items(TransactItems=items)
        except ConditionRefused:
            return False
        return True

    def _leave(self, before: Execution, after: Execution, forward: _Changes) -> dict[str, Any]:
        changes = {"s": _MOVED, "ca": None, **forward, **_listed(after)}
        return self._update(before.id, changes, _UNCHANGED, _seen(before))

    def _redirect(self, origin: ExecutionId, changes: _Changes) -> dict[str, Any]:
        return self._update(origin, changes, _FORWARDS, {":v": encode(VERSION), ":moved": encode(_MOVED)})

    def _update(
        self, key: ExecutionId, changes: _Changes, condition: str, values: dict[str, Any]
    ) -> dict[str, Any]:
        """An update that removes the attributes without a value."""
        assigned = {name: value for name, value in changes.items() if value is not None}
        clauses = (
            ("SET", [f"#{name} = :new_{name}" for name in assigned]),
            ("REMOVE", [f"#{name}" for name in changes if name not in assigned]),
        )
        return {
            "TableName": self._table,
            "Key": item_key(*execution_key(self._region, key)),
            "UpdateExpression": " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses if parts),
            "ConditionExpression": condition,
            "ExpressionAttributeNames": _NAMES | {f"#{name}": name for name in changes},
            "ExpressionAttributeValues": values
            | {f":new_{name}": encode(value) for name, value in assigned.items()},
        }


def _origin_of(moved: Execution) -> ExecutionId | None:
    """Where the forwarding record of a moved job is; None for a job that was never moved."""
    origin = one_off_execution(moved.job_id)
    return origin if origin != moved.id else None


def _listed(job: Execution) -> _Changes:
    """What the listing of jobs filters by."""
    return {Attr.NAME: job.name, Attr.TAGS: list(job.tags) or None}


def _seen(before: Execution) -> dict[str, Any]:
    return {
        ":v": encode(VERSION),
        ":state": encode(STATE_CODES[before.state]),
        ":revision": encode(before.revision),
    }
