"""Conditional updates of one execution's item, and of its entry in the index of failures."""

from collections.abc import Mapping, Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import Condition
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.failure_index import ENTRY_ATTRIBUTES, STALE
from shared.adapters.dynamodb.codec.items import STATE_CODES, read_execution
from shared.adapters.dynamodb.codec.keys import execution_key, item_key
from shared.adapters.dynamodb.codec.versions import VERSION, version_of
from shared.domain.errors import NotFoundError, ThrottledError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.names import Attr
from shared.ports.executions import Finish

_NAMES = {"#s": "s", "#v": "v"}


class ExecutionUpdates:
    """Each update returns None if written, otherwise the existing item; NotFoundError if there is no item."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def change(
        self,
        execution_id: ExecutionId,
        condition: Condition,
        finish: Finish,
        sets: Mapping[str, Any],
        removes: Sequence[str],
        *,
        entry: Mapping[str, str] | None,
    ) -> Execution | None:
        """Write one transition. `entry` is the entry of its target state; None leaves the index alone.

        DynamoDB refuses the whole write while the index throttles. A throttled write is therefore tried once
        more without the entry, and marked for the sweeper.
        """
        sets = {**sets, **_ending(finish)}
        try:
            existing = self._write(execution_id, condition, *_with_entry(sets, removes, entry))
        except ThrottledError as error:
            if entry is None or error.spares_indexes:
                raise
            existing = self._write(execution_id, condition, {**sets, STALE: True}, removes)
        return read_execution(existing) if existing is not None else None

    def write_entry(
        self, execution_id: ExecutionId, condition: Condition, entry: Mapping[str, str]
    ) -> Item | None:
        return self._write(execution_id, condition, *_with_entry({}, (), entry))

    def _write(
        self,
        execution_id: ExecutionId,
        condition: Condition,
        sets: Mapping[str, Any],
        removes: Sequence[str],
    ) -> Item | None:
        values = {f":{name}": encode(value) for name, value in sets.items() if value is not None}
        assignments = ", ".join(f"{_spelt(name[1:])} = {name}" for name in values)
        set_clause = f"SET {assignments} " if assignments else ""
        expression = f"{set_clause}REMOVE {', '.join(removes)}"
        return self.update(execution_id, expression, condition, values)

    def update(
        self, execution_id: ExecutionId, expression: str, condition: Condition, values: dict[str, Any]
    ) -> Item | None:
        names = _NAMES | ({"#ttl": Attr.TTL} if "#ttl" in expression else {})
        try:
            with translated():
                self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*execution_key(self._region, execution_id)),
                    UpdateExpression=expression,
                    ConditionExpression=condition.expression,
                    ExpressionAttributeNames=names,
                    ExpressionAttributeValues={**condition.values, **values},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise NotFoundError("no such execution") from refused
            return refused.items[0]
        return None


def _ending(finish: Finish) -> dict[str, Any]:
    """The attributes that every transition sets."""
    state = finish.transition.target
    sets: dict[str, Any] = {
        "s": STATE_CODES[state],
        "rs": finish.end_reason,
        Attr.TTL: finish.expires_at_s,
        "nt": str(finish.notification) if finish.notification is not None else None,
    }
    reasons = (outcome.reason for outcome in finish.outcomes)
    if version_of(state, finish.end_reason, *reasons) > 1:
        # The item may have any known version, and an expression has no maximum: raise it to the highest.
        sets["v"] = VERSION
    return sets


def _with_entry(
    sets: Mapping[str, Any], removes: Sequence[str], entry: Mapping[str, str] | None
) -> tuple[dict[str, Any], list[str]]:
    if entry is None:
        return dict(sets), list(removes)
    return {**sets, **entry}, [*removes, STALE, *(() if entry else ENTRY_ATTRIBUTES)]


_RESERVED = {"s": "#s", "v": "#v", Attr.TTL: "#ttl"}
"""TTL is a reserved word of the expression language; the conditions use the other two names."""


def _spelt(name: str) -> str:
    return _RESERVED.get(name, name)
