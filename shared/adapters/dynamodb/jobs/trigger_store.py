"""Triggers of tenants: `cv` the version, `a` the instant of the change, `p` the pattern, `j` the job, `d` the delay in
seconds, `b` and `bm` the debounce and its longest wait, `th` the throttle, `s` the set; `r` the latest run and `re` its
event, `wf` and `wn` the latest window of the throttle and its runs."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode, encode_all, is_same
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.versions import TRIGGER_LIMITS, is_known, version_of
from shared.domain.errors import InvalidValueError, UnknownVersionError, UnreadableItemError
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.domain.triggers.trigger import Started, Throttle, Trigger
from shared.names import Attr
from shared.ports.triggers import StartRecord

_PREFIX = "trigger#"
_STARTS = frozenset({"r", "re", "wf", "wn"})


class DynamoTriggerStore:
    """A trigger is one item beside the definitions of its tenant, so that a deletion of the tenant finds it, and one
    query gets all of them. A deleted trigger leaves nothing behind."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, tenant_id: str, name: str) -> Trigger | None:
        item = self._read(tenant_id, name)
        return None if item is None else _trigger(item)

    def all(self, tenant_id: str) -> list[Trigger]:
        start: dict[str, Any] = {}
        found: list[Trigger] = []
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                    ExpressionAttributeValues={":pk": encode(tenant_id), ":prefix": encode(_PREFIX)},
                    ConsistentRead=True,
                    **start,
                )
            found += map(_trigger, answer["Items"])
            last = answer.get("LastEvaluatedKey")
            if not last:
                return found
            start = {"ExclusiveStartKey": last}

    def put(self, tenant_id: str, trigger: Trigger, before: Trigger | None) -> bool:
        fields: dict[str, Any] = {
            "v": TRIGGER_LIMITS if trigger.records_starts else version_of(),
            "cv": trigger.version,
            "a": trigger.changed_at,
            "p": trigger.pattern,
            "j": trigger.job_id,
            "d": trigger.delay_seconds,
            "b": trigger.debounce_seconds or None,
            "bm": trigger.debounce_max_seconds,
            "th": [trigger.throttle.count, trigger.throttle.per_seconds] if trigger.throttle else None,
            "s": trigger.set_name,
        }
        item: Item = {**_key(tenant_id, trigger.name), **encode_all(fields)}
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
            # What the trigger has started since is no part of what was put.
            stored = {name: value for name, value in (refused.items[0] or {}).items() if name not in _STARTS}
            return is_same(stored, item)
        return True

    def start(
        self, tenant_id: str, trigger: Trigger, run: ExecutionId, event: str, now_ms: int
    ) -> StartRecord:
        after = trigger.after_start(run, event, now_ms).started
        conditions = ["cv = :version AND a = :changed"]
        sets: dict[str, Any] = {"r": str(run), "re": event}
        values: dict[str, Any] = {":version": trigger.version, ":changed": trigger.changed_at}
        if trigger.debounce_seconds:
            conditions.append(_unchanged("r", _spelt(trigger.started.run), values))
        else:
            # The SDK repeats a request whose response was lost.
            conditions.append("(attribute_not_exists(r) OR r <> :r)")
        if trigger.throttle is not None:
            is_same_window = after.window_from == trigger.started.window_from
            conditions.append(_unchanged("wf", trigger.started.window_from, values))
            if is_same_window:
                values |= {":one": 1, ":most": trigger.throttle.count}
                conditions.append("wn < :most")
            else:
                sets |= {"wf": now_ms, "wn": 1}
        assigned = [f"{name} = :{name}" for name in sets]
        if trigger.throttle is not None and "wn" not in sets:
            assigned.append("wn = wn + :one")
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key=_key(tenant_id, trigger.name),
                    UpdateExpression=f"SET {', '.join(assigned)}",
                    ConditionExpression=" AND ".join(conditions),
                    ExpressionAttributeValues=encode_all(
                        values | {f":{name}": value for name, value in sets.items()}
                    ),
                    ReturnValues="ALL_NEW",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            item = refused.items[0] or self._read(tenant_id, trigger.name)
            stored = None if item is None else _trigger(item)
            return StartRecord(stored is not None and stored.has_started(trigger, run), stored)
        return StartRecord(True, _trigger(answer["Attributes"]))

    def delete(self, tenant_id: str, trigger: Trigger) -> bool:
        try:
            with translated():
                self._client.delete_item(
                    TableName=self._table, Key=_key(tenant_id, trigger.name), **_at(trigger)
                )
        except ConditionRefused:
            # The response of the first try may have been lost.
            return self._read(tenant_id, trigger.name) is None
        return True

    def _read(self, tenant_id: str, name: str) -> Any:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=_key(tenant_id, name), ConsistentRead=True
            )
        return answer.get("Item")


def _key(tenant_id: str, name: str) -> Any:
    return item_key(tenant_id, f"{_PREFIX}{name}")


def _at(trigger: Trigger) -> dict[str, Any]:
    """On condition that the stored trigger is this one: versions restart after a deletion, instants do not."""
    return {
        "ConditionExpression": "cv = :version AND a = :changed",
        "ExpressionAttributeValues": encode_all(
            {":version": trigger.version, ":changed": trigger.changed_at}
        ),
    }


def _spelt(run: ExecutionId | None) -> str | None:
    return None if run is None else str(run)


def _unchanged(name: str, before: str | int | None, values: dict[str, Any]) -> str:
    """The condition that an attribute still has this value, which is added to the values."""
    if before is None:
        return f"attribute_not_exists({name})"
    values[f":before_{name}"] = before
    return f"{name} = :before_{name}"


def _trigger(item: Any) -> Trigger:
    row: dict[str, Any] = dict(decode_all(item))
    if not is_known(row.get("v")):
        raise UnknownVersionError("a stored trigger of a newer version")
    try:
        return Trigger(
            name=str(row[Attr.SK]).removeprefix(_PREFIX),
            version=row["cv"],
            changed_at=row["a"],
            pattern=row["p"],
            job_id=row["j"],
            delay_seconds=row["d"],
            debounce_seconds=row.get("b", 0),
            debounce_max_seconds=row.get("bm"),
            throttle=_throttle(row.get("th")),
            set_name=row.get("s"),
            started=Started(
                run=parse_execution_id(row["r"]) if "r" in row else None,
                event=row.get("re"),
                window_from=row.get("wf"),
                count=row.get("wn", 0),
            ),
        )
    except (KeyError, TypeError, ValueError, InvalidValueError) as error:
        raise UnreadableItemError("a stored trigger of an unknown form") from error


def _throttle(stored: list[int] | None) -> Throttle | None:
    if stored is None:
        return None
    count, per_seconds = stored
    return Throttle(count=count, per_seconds=per_seconds)
