"""Items of tenants and API keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode_all
from shared.adapters.dynamodb.codec.keys import api_key_key, tenant_key, tenant_listing_key
from shared.adapters.dynamodb.codec.notification_fields import (
    ALERTS,
    callback_attributes,
    encode_alerts,
    read_alerts,
    read_callbacks,
)
from shared.adapters.dynamodb.codec.versions import is_known, known, version_of
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.suspension import Suspension
from shared.domain.tenancy.tenant import ApiKey, Scope, SigningSecret, Tenant, TenantState
from shared.names import Attr

SUSPENSIONS = "su"
"""The attribute for suspensions, such as `1740000000000/1740000600000`. Releases without it ignore it."""


TARGET_ROLES = "tr"
"""The attribute for the roles of targets. Releases without it ignore it, and drop it where they change the tenant."""


def tenant_item(tenant: Tenant) -> Item:
    pk, sk = tenant_key(tenant.id)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            "v": version_of(tenant.state),
            "id": tenant.id,
            "s": tenant.state.value,
            "dk": tenant.data_key,
            "ss": [_secret(secret) for secret in tenant.signing_secrets],
            "c": tenant.created_at,
            "ix": tenant.index_shards,
            "rv": tenant.revision,
            "w": tenant.weight,
            "q": {quota.value: limit for quota, limit in tenant.quotas.items()},
            "ki": list(tenant.key_ids),
            **callback_attributes(tenant.callbacks),
            ALERTS: encode_alerts(tenant.alerts),
            SUSPENSIONS: [_suspension(each) for each in tenant.suspensions] or None,
            "de": tenant.is_being_deleted or None,
            TARGET_ROLES: list(tenant.target_roles) or None,
        }
    )


def _suspension(suspension: Suspension) -> str:
    return f"{suspension.from_at}/{suspension.until_at or ''}"


def _read_suspension(text: str) -> Suspension:
    """ValueError for malformed text."""
    from_at, until_at = text.split("/")
    return Suspension(from_at=int(from_at), until_at=int(until_at) if until_at else None)


def _secret(secret: SigningSecret) -> Any:
    plain = {
        "id": secret.id,
        "b": secret.sealed,
        "c": secret.created_at,
        "ex": secret.ends_at,
        "n": secret.name,
    }
    return {name: value for name, value in plain.items() if value is not None}


def read_tenant(item: Any) -> Tenant:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item.

    Unknown quotas are ignored: a later release may have added them.
    """
    with _unreadable_if_broken(item):
        return _read_tenant(_row(item))


def _read_tenant(row: dict[str, Any]) -> Tenant:
    own = dict(row["q"])
    return Tenant(
        id=row["id"],
        state=known(TenantState, row["s"]),
        data_key=row["dk"],
        signing_secrets=tuple(
            SigningSecret(
                id=secret["id"],
                sealed=secret["b"],
                created_at=secret["c"],
                ends_at=secret.get("ex"),
                name=secret.get("n"),
            )
            for secret in row["ss"]
        ),
        created_at=row["c"],
        index_shards=row["ix"],
        revision=row["rv"],
        weight=row["w"],
        quotas={quota: own[quota.value] for quota in Quota if quota.value in own},
        key_ids=tuple(row["ki"]),
        callbacks=read_callbacks(row),
        alerts=read_alerts(row.get(ALERTS)),
        suspensions=tuple(map(_read_suspension, row.get(SUSPENSIONS, ()))),
        is_being_deleted=row.get("de", False),
        target_roles=tuple(row.get(TARGET_ROLES, ())),
    )


def listing_item(tenant: Tenant) -> Item:
    pk, sk = tenant_listing_key(tenant.id)
    return encode_all({Attr.PK: pk, Attr.SK: sk, "v": version_of()})


def key_item(key: ApiKey) -> Item:
    pk, sk = api_key_key(key.id)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            "v": version_of(*key.scopes),
            "id": key.id,
            "t": key.tenant_id,
            "h": key.secret_hash,
            "sp": [scope.value for scope in sorted(key.scopes)],
            "c": key.created_at,
            "ex": key.expires_at,
            "rk": key.revoked or None,
            "n": key.name,
            "lu": key.last_used_at,
        }
    )


def read_key(item: Any) -> ApiKey:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    with _unreadable_if_broken(item):
        return _read_key(_row(item))


def _read_key(row: dict[str, Any]) -> ApiKey:
    return ApiKey(
        id=row["id"],
        tenant_id=row["t"],
        secret_hash=row["h"],
        scopes=frozenset(known(Scope, scope) for scope in row["sp"]),
        created_at=row["c"],
        expires_at=row.get("ex"),
        revoked=row.get("rk", False),
        name=row.get("n"),
        last_used_at=row.get("lu"),
    )


def _row(item: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict(decode_all(item))
    if not is_known(row.get("v")):
        raise UnknownVersionError(f"{row.get(Attr.PK)} has version {row.get('v')}")
    return row


@contextmanager
def _unreadable_if_broken(item: Any) -> Iterator[None]:
    try:
        yield
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UnreadableItemError(f"{item[Attr.PK]['S']} is broken") from error
