"""Tenants and API keys in DynamoDB."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import api_key_key, item_key, tenant_key, tenant_listing_key
from shared.adapters.dynamodb.codec.tenant_items import (
    key_item,
    listing_item,
    read_key,
    read_tenant,
    tenant_item,
)
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.tenancy.tenant import ApiKey, Tenant
from shared.names import Attr


class DynamoTenantStore:
    """Reads by key; the callers cache."""

    def __init__(self, client: AwsClient, table: str, backoff: Backoff) -> None:
        self._client = client
        self._table = table
        self._batch_reads = BatchReads(client, table, backoff)
        self._cheap_reads = BatchReads(client, table, backoff, is_strong=False)

    def get(self, tenant_id: str) -> Tenant | None:
        item = self._get(tenant_key(tenant_id))
        return read_tenant(item) if item else None

    def weights(self, tenant_ids: Sequence[str]) -> Mapping[str, int]:
        """Reads no other field, so that an item of a newer version keeps no batch from being sent."""
        items = self._cheap_reads.read_all([item_key(*tenant_key(tenant_id)) for tenant_id in tenant_ids])
        return {str(item["id"]["S"]): int(str(item["w"]["N"])) for item in items}

    def get_key(self, key_id: str) -> ApiKey | None:
        item = self._get(api_key_key(key_id))
        return read_key(item) if item else None

    def get_keys(self, key_ids: Sequence[str]) -> list[ApiKey]:
        items = self._batch_reads.read_all([item_key(*api_key_key(key_id)) for key_id in key_ids])
        keys = {key.id: key for key in map(read_key, items)}
        return [keys[key_id] for key_id in key_ids if key_id in keys]

    def create(self, tenant: Tenant, key: ApiKey) -> bool:
        """One transaction: tenant, listing entry and key exist together or not at all."""
        return self._write(
            [self._new(tenant_item(tenant)), self._new(listing_item(tenant)), self._new(key_item(key))]
        )

    def replace(
        self,
        before: Tenant,
        after: Tenant,
        *,
        new_key: ApiKey | None = None,
        changed_key: ApiKey | None = None,
    ) -> bool:
        put = {
            "TableName": self._table,
            "Item": tenant_item(after),
            "ConditionExpression": "v <= :version AND rv = :revision",
            "ExpressionAttributeValues": {":version": encode(VERSION), ":revision": encode(before.revision)},
        }
        writes: list[dict[str, Any]] = [{"Put": put}]
        if new_key is not None:
            writes.append(self._new(key_item(new_key)))
        if changed_key is not None:
            writes.append(self._ended(changed_key))
        return self._write(writes)

    def ids(self, *, after: str | None, limit: int) -> list[str]:
        pk, start = tenant_listing_key(after or "")
        values: dict[str, Any] = {":pk": encode(pk)} | ({":after": encode(start)} if after else {})
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk AND sk > :after" if after else "pk = :pk",
                ExpressionAttributeValues=values,
                ConsistentRead=True,
                Limit=limit,
            )
        return [str(item[Attr.SK]["S"]) for item in answer["Items"]]

    def note_use(self, key_id: str, used_at: int, unless_since: int) -> None:
        with suppress(ConditionRefused), translated():
            self._client.update_item(
                TableName=self._table,
                Key=item_key(*api_key_key(key_id)),
                UpdateExpression="SET lu = :used",
                ConditionExpression="attribute_exists(pk) AND (attribute_not_exists(lu) OR lu < :since)",
                ExpressionAttributeValues={":used": encode(used_at), ":since": encode(unless_since)},
            )

    def _write(self, writes: list[dict[str, Any]]) -> bool:
        try:
            with translated():
                self._client.transact_write_items(TransactItems=writes)
        except ConditionRefused:
            return False
        return True

    def _new(self, item: Item) -> dict[str, Any]:
        return {"Put": {"TableName": self._table, "Item": item, "ConditionExpression": ABSENT}}

    def _ended(self, key: ApiKey) -> dict[str, Any]:
        """Only the expiry and the revocation: `last_used_at` may have been written meanwhile."""
        fields: dict[str, Any] = {"ex": key.expires_at, "rk": key.revoked or None}
        sets = {name: value for name, value in fields.items() if value is not None}
        removes = sorted(fields.keys() - sets.keys())
        clauses = ["SET " + ", ".join(f"{name} = :{name}" for name in sets)] if sets else []
        clauses += ["REMOVE " + ", ".join(removes)] if removes else []
        update = {
            "TableName": self._table,
            "Key": item_key(*api_key_key(key.id)),
            "UpdateExpression": " ".join(clauses),
            "ConditionExpression": "attribute_exists(pk)",
        }
        values = {f":{name}": encode(value) for name, value in sets.items()}
        return {"Update": update | ({"ExpressionAttributeValues": values} if values else {})}

    def _get(self, key: tuple[str, str]) -> Any:
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*key),
                ConsistentRead=True,
            )
        return answer.get("Item")
