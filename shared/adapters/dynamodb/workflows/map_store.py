"""The items of maps in DynamoDB, in the table of executions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.map_items import EPOCH, RESULT, map_item, read_map_items
from shared.adapters.dynamodb.codec.run_items import pack_task, task_attribute
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.adapters.dynamodb.codec.workflow_keys import map_key
from shared.domain.errors import UnavailableError
from shared.domain.ids import ExecutionId
from shared.domain.workflows.map_items import MapItems
from shared.domain.workflows.run import TaskProgress, TaskState
from shared.names import Attr


class DynamoMapStore:
    """One conditional write for each step of a map."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def put(self, items: MapItems) -> MapItems | None:
        return self._put(items, ABSENT, {})

    def replace(self, before: MapItems, after: MapItems) -> MapItems | None:
        condition = {
            "ExpressionAttributeNames": {"#v": "v"},
            "ExpressionAttributeValues": {":v": encode(VERSION), ":epoch": encode(before.epoch)},
        }
        return self._put(after, f"#v <= :v AND {EPOCH} = :epoch", condition)

    def get(self, run_id: ExecutionId, key: str) -> MapItems | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=self._key(run_id, key), ConsistentRead=True
            )
        item = answer.get("Item")
        return read_map_items(item) if item else None

    def record(
        self, run_id: ExecutionId, key: str, ends: Mapping[int, TaskProgress]
    ) -> tuple[MapItems | None, bool]:
        names = {position: task_attribute(position) for position in ends}
        values: Item = {":v": encode(VERSION)}
        for position, end in ends.items():
            values[f":n{position}"] = encode(pack_task(end))
            values[f":o{position}"] = encode(pack_task(replace(end, state=TaskState.CHOSEN)))
        sets = ", ".join(f"{name} = :n{position}" for position, name in names.items())
        still_open = (f"{name} = :o{position}" for position, name in names.items())
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key=self._key(run_id, key),
                    UpdateExpression=f"SET {sets}",
                    ConditionExpression=" AND ".join(("#v <= :v", *still_open)),
                    ExpressionAttributeNames={"#v": "v"},
                    ExpressionAttributeValues=values,
                    ReturnValues="ALL_NEW",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            return (read_map_items(refused.items[0]) if refused.items[0] else None), False
        return read_map_items(answer["Attributes"]), True

    def conclude(self, items: MapItems, result: bytes, expires_at_s: int) -> bool:
        stored = [f"{RESULT} = :result"] if result else []
        try:
            with translated():
                self._client.update_item(
                    TableName=self._table,
                    Key=self._key(items.run, items.key),
                    UpdateExpression=f"SET {', '.join(('#ttl = :ttl', *stored))}",
                    ConditionExpression=f"#v <= :v AND {EPOCH} = :epoch",
                    ExpressionAttributeNames={"#v": "v", "#ttl": Attr.TTL},
                    ExpressionAttributeValues={
                        ":v": encode(VERSION),
                        ":epoch": encode(items.epoch),
                        ":ttl": encode(expires_at_s),
                        **({":result": encode(result)} if result else {}),
                    },
                )
        except ConditionRefused:
            return False
        return True

    def keep(self, run_id: ExecutionId, key: str, expires_at_s: int) -> bool:
        try:
            with translated():
                self._client.update_item(
                    TableName=self._table,
                    Key=self._key(run_id, key),
                    UpdateExpression="SET #ttl = :ttl",
                    ConditionExpression="attribute_exists(pk) AND #ttl < :ttl",
                    ExpressionAttributeNames={"#ttl": Attr.TTL},
                    ExpressionAttributeValues={":ttl": encode(expires_at_s)},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            return bool(refused.items[0])
        return True

    def _put(self, items: MapItems, condition: str, parameters: Mapping[str, Any]) -> MapItems | None:
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=map_item(items, self._region),
                    ConditionExpression=condition,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                    **parameters,
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise UnavailableError("PutItem was refused without the existing item") from refused
            return read_map_items(refused.items[0])
        return None

    def _key(self, run_id: ExecutionId, key: str) -> Item:
        return item_key(*map_key(self._region, run_id, key))
