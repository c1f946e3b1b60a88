"""The ids that are assigned to keys of jobs: `j` the id, `a` when it was assigned, in UTC ms."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode, encode_all, is_same
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key, keyed_id_key
from shared.adapters.dynamodb.codec.versions import version_of
from shared.domain.errors import UnreadableItemError
from shared.domain.ids import RecurringJobId, is_recurring_job_id
from shared.domain.jobs.job_key import KeyedId


class DynamoJobKeys:
    """A record costs one write unit. The job store sets its expiry when the job ends."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def find(self, tenant_id: str, key: str) -> KeyedId | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=item_key(*keyed_id_key(tenant_id, key)), ConsistentRead=True
            )
        return _read(answer["Item"]) if "Item" in answer else None

    def assign(self, tenant_id: str, key: str, before: KeyedId | None, after: KeyedId) -> bool:
        item = key_item(tenant_id, key, after)
        condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(pk)"}
        if before is not None:
            condition = {
                "ConditionExpression": "j = :before",
                "ExpressionAttributeValues": {":before": encode(str(before.job_id))},
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
            return is_same(refused.items[0], item)
        return True


def key_item(tenant_id: str, key: str, assigned: KeyedId) -> Item:
    fields: dict[str, Any] = {"v": version_of(), "j": str(assigned.job_id), "a": assigned.assigned_at}
    return {**item_key(*keyed_id_key(tenant_id, key)), **encode_all(fields)}


def _read(item: Any) -> KeyedId:
    row: dict[str, Any] = dict(decode_all(item))
    if not is_recurring_job_id(str(row.get("j"))):
        raise UnreadableItemError("the record of a key names no job")
    return KeyedId(job_id=RecurringJobId(row["j"]), assigned_at=row["a"])
