"""Tenants and API keys in DynamoDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.attributes import decode_all, encode_all
from shared.adapters.dynamodb.conditions import ABSENT
from shared.adapters.dynamodb.errors import ConditionRefused, translated
from shared.adapters.dynamodb.items import VERSION
from shared.adapters.dynamodb.keys import api_key_key, item_key, tenant_key
from shared.domain.errors import UnknownVersionError
from shared.domain.tenant import ApiKey, Scope, Tenant, TenantState
from shared.names import Attr

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoTenantStore:
    """Read on nearly every request: by key, cached by the callers."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, tenant_id: str) -> Tenant | None:
        """See the port."""
        row = self._get(tenant_key(tenant_id))
        if row is None:
            return None
        return Tenant(
            id=row["id"],
            state=TenantState(row["s"]),
            data_key=row["dk"],
            signing_secrets=tuple(row["ss"]),
            created_at=row["c"],
            index_shards=row["ix"],
        )

    def get_key(self, key_id: str) -> ApiKey | None:
        """See the port."""
        row = self._get(api_key_key(key_id))
        if row is None:
            return None
        return ApiKey(
            id=row["id"],
            tenant_id=row["t"],
            secret_hash=row["h"],
            scopes=frozenset(Scope(scope) for scope in row["sp"]),
            created_at=row["c"],
            expires_at=row.get("ex"),
            revoked=row.get("rk", False),
        )

    def create(self, tenant: Tenant, key: ApiKey) -> bool:
        """See the port. One transaction: neither stands without the other."""
        puts: Any = [self._put(_tenant_row(tenant)), self._put(_key_row(key))]
        try:
            with translated():
                self._client.transact_write_items(TransactItems=puts)
        except ConditionRefused:
            return False
        return True

    def _put(self, row: dict[str, Any]) -> dict[str, Any]:
        return {
            "Put": {
                "TableName": self._table,
                "Item": encode_all({"v": VERSION, **row}),
                "ConditionExpression": ABSENT,
            }
        }

    def _get(self, key: tuple[str, str]) -> dict[str, Any] | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*key),
                ConsistentRead=True,
            )
        if "Item" not in answer:
            return None
        row: dict[str, Any] = dict(decode_all(answer["Item"]))
        if row.get("v") != VERSION:
            raise UnknownVersionError(f"{key[0]} has version {row.get('v')}")
        return row


def _tenant_row(tenant: Tenant) -> dict[str, Any]:
    pk, sk = tenant_key(tenant.id)
    return {
        Attr.PK: pk,
        Attr.SK: sk,
        "id": tenant.id,
        "s": tenant.state.value,
        "dk": tenant.data_key,
        "ss": list(tenant.signing_secrets),
        "c": tenant.created_at,
        "ix": tenant.index_shards,
    }


def _key_row(key: ApiKey) -> dict[str, Any]:
    pk, sk = api_key_key(key.id)
    return {
        Attr.PK: pk,
        Attr.SK: sk,
        "id": key.id,
        "t": key.tenant_id,
        "h": key.secret_hash,
        "sp": sorted(key.scopes),
        "c": key.created_at,
        "ex": key.expires_at,
        "rk": key.revoked or None,
    }
