"""Deletions of tenants in DynamoDB: their records, and the list of those that have not ended."""

from collections.abc import Iterator
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.deletion_items import (
    deletion_item,
    ended_sk,
    forgetting_key,
    forgetting_tenant,
    forgotten_item,
    read_deletion,
    repeated_key,
)
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import (
    api_key_key,
    item_key,
    open_deletion_key,
    tenant_deletion_key,
    tenant_key,
)
from shared.adapters.dynamodb.codec.tenant_items import tenant_item
from shared.domain.tenancy.deletion import TenantDeletion
from shared.domain.tenancy.tenant import Tenant
from shared.names import FORGETTING, FORGOTTEN, Attr


class DynamoTenantDeletions:
    """The entry of a tenant in the list of tenants stays, so that its id is never given to another."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def begin(self, before: Tenant, after: Tenant, deletion: TenantDeletion) -> bool:
        put = {
            "TableName": self._table,
            "Item": tenant_item(after),
            "ConditionExpression": "rv = :revision",
            "ExpressionAttributeValues": {":revision": encode(before.revision)},
        }
        record = {
            "TableName": self._table,
            "Item": deletion_item(deletion),
            "ConditionExpression": ABSENT,
        }
        entry = {"TableName": self._table, "Item": self._entry(deletion)}
        return self._transact({"Put": put}, {"Put": record}, {"Put": entry})

    def get(self, tenant_id: str) -> TenantDeletion | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*tenant_deletion_key(tenant_id)),
                ConsistentRead=True,
            )
        return read_deletion(answer["Item"]) if "Item" in answer else None

    def open(self) -> list[str]:
        pk, _ = open_deletion_key("")
        return self._listed(pk)

    def forgetting(self) -> list[str]:
        return [forgetting_tenant(sk) for sk in self._listed(FORGETTING)]

    def forgotten(self) -> list[str]:
        return [forgetting_tenant(sk) for sk in self._listed(FORGOTTEN)]

    def _listed(self, pk: str) -> list[str]:
        """The sort keys of a list: a page has the names of some 10,000 tenants."""
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": encode(pk)},
                ConsistentRead=True,
            )
        return [str(item[Attr.SK]["S"]) for item in answer["Items"]]

    def replace(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        try:
            with translated():
                self._client.put_item(**self._put(before, after))
        except ConditionRefused:
            return False
        return True

    def finish(self, before: TenantDeletion, ended: TenantDeletion, tenant: Tenant | None) -> bool:
        keys = [api_key_key(key_id) for key_id in tenant.key_ids] if tenant is not None else []
        others = [*keys, open_deletion_key(ended.tenant_id)]
        if (former := repeated_key(before)) is not None and former != forgetting_key(ended):
            others.append(former)
        deletes = [{"Delete": {"TableName": self._table, "Key": item_key(*key)}} for key in others]
        if tenant is not None:
            deletes.append({"Delete": self._owner(tenant)})
        entry = {"TableName": self._table, "Item": item_key(*forgetting_key(ended))}
        return self._transact({"Put": self._put(before, ended)}, {"Put": entry}, *deletes)

    def repeat(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        entry = {"TableName": self._table, "Item": self._entry(after)}
        return self._transact({"Put": self._put(before, after)}, {"Put": entry})

    def ended_between(self, from_at: int, until_at: int) -> list[str]:
        found = [sk for pk in (FORGETTING, FORGOTTEN) for sk in self._listed_between(pk, from_at, until_at)]
        return list(dict.fromkeys(forgetting_tenant(sk) for sk in sorted(found)))

    def _listed_between(self, pk: str, from_at: int, until_at: int) -> Iterator[str]:
        """All pages of a list; its sort keys begin with an instant."""
        bounds = {":pk": pk, ":from": ended_sk(from_at, ""), ":until": ended_sk(until_at, "")}
        start: dict[str, Any] = {}
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    # BETWEEN is inclusive, but keys end in a tenant, so none equals the upper bound.
                    KeyConditionExpression="pk = :pk AND sk BETWEEN :from AND :until",
                    ExpressionAttributeValues={name: encode(value) for name, value in bounds.items()},
                    ConsistentRead=True,
                    **start,
                )
            yield from (str(item[Attr.SK]["S"]) for item in answer["Items"])
            last = answer.get("LastEvaluatedKey")
            if not last:
                return
            start = {"ExclusiveStartKey": last}

    def _owner(self, tenant: Tenant) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "Key": item_key(*tenant_key(tenant.id)),
            "ConditionExpression": "rv = :revision",
            "ExpressionAttributeValues": {":revision": encode(tenant.revision)},
        }

    def end_forgetting(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        entry = {"TableName": self._table, "Key": item_key(*forgetting_key(before))}
        guard = {"TableName": self._table, "Item": forgotten_item(after)}
        return self._transact({"Put": self._put(before, after)}, {"Delete": entry}, {"Put": guard})

    def _put(self, before: TenantDeletion, after: TenantDeletion) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "Item": deletion_item(after),
            "ConditionExpression": "vn = :before",
            "ExpressionAttributeValues": {":before": encode(before.version)},
        }

    def _entry(self, deletion: TenantDeletion) -> dict[str, Any]:
        return item_key(*open_deletion_key(deletion.tenant_id))

    def _transact(self, *items: dict[str, Any]) -> bool:
        try:
            with translated():
                self._client.transact_write_items(TransactItems=list(items))
        except ConditionRefused:
            return False
        return True
