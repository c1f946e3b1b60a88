"""Items of the deletions of tenants, in the tenants table."""

from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode_all
from shared.adapters.dynamodb.codec.keys import tenant_deletion_key
from shared.adapters.dynamodb.codec.versions import is_known, known, version_of
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.tenancy.deletion import DeletionStep, TenantDeletion
from shared.domain.tenancy.forgetting import RESTORABLE_MS, Forgetting
from shared.names import FORGETTING, FORGOTTEN, Attr


def forgetting_key(ended: TenantDeletion) -> tuple[str, str]:
    """The entry of a tenant in the list of those that the archive still has; the list is in order of time."""
    return FORGETTING, ended_sk(ended.ended_at or 0, ended.tenant_id)


def repeated_key(open_again: TenantDeletion) -> tuple[str, str] | None:
    """The entry that the end before has left in the same list; None for a deletion that is not repeated."""
    if open_again.ended_before is None:
        return None
    return FORGETTING, ended_sk(open_again.ended_before, open_again.tenant_id)


def ended_sk(ended_at: int, tenant_id: str) -> str:
    return f"{ended_at:015d}#{tenant_id}"


def forgotten_item(forgotten: TenantDeletion) -> Item:
    """The entry of a tenant in the list of those that the archive has no more. It expires."""
    ended_at = forgotten.forgetting.ended_at if forgotten.forgetting else None
    pk, sk = FORGOTTEN, forgetting_key(forgotten)[1]
    expires_at_s = ((ended_at or 0) + RESTORABLE_MS) // 1000
    return encode_all({Attr.PK: pk, Attr.SK: sk, Attr.TTL: expires_at_s})


def forgetting_tenant(sk: str) -> str:
    """The tenant of an entry in either list, by its sort key."""
    return sk.partition("#")[2]


def deletion_item(deletion: TenantDeletion) -> Item:
    pk, sk = tenant_deletion_key(deletion.tenant_id)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            "v": version_of(deletion.step),
            "vn": deletion.version,
            "id": deletion.tenant_id,
            "c": deletion.asked_at,
            "by": deletion.asked_by,
            "na": deletion.next_at,
            "s": deletion.step.value,
            "n": dict(deletion.counts),
            "fo": deletion.found or None,
            "ba": deletion.began_at,
            "ea": deletion.ended_at,
            "lu": deletion.lease_until or None,
            "fg": _forgetting_map(deletion.forgetting),
            "eb": deletion.ended_before,
        }
    )


def read_deletion(item: Any) -> TenantDeletion:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    row: dict[str, Any] = dict(decode_all(item))
    if not is_known(row.get("v")):
        raise UnknownVersionError(f"{row.get(Attr.PK)} has version {row.get('v')}")
    try:
        return TenantDeletion(
            tenant_id=row["id"],
            asked_at=row["c"],
            asked_by=row["by"],
            next_at=row["na"],
            step=known(DeletionStep, row["s"]),
            counts=dict(row["n"]),
            found=row.get("fo", False),
            began_at=row.get("ba"),
            ended_at=row.get("ea"),
            version=row["vn"],
            lease_until=row.get("lu", 0),
            forgetting=_read_forgetting(row.get("fg")),
            ended_before=row.get("eb"),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise UnreadableItemError(f"{row.get(Attr.PK)} is broken") from error


def _forgetting_map(forgetting: Forgetting | None) -> dict[str, Any] | None:
    if forgetting is None:
        return None
    return {
        "h": forgetting.hour,
        "st": forgetting.has_statistics,
        "n": forgetting.rows,
        "fl": forgetting.looked_at,
        "rw": forgetting.rewritten,
        "ea": forgetting.ended_at,
    }


def _read_forgetting(stored: Any) -> Forgetting | None:
    if stored is None:
        return None
    return Forgetting(
        hour=stored["h"],
        has_statistics=stored["st"],
        rows=stored["n"],
        looked_at=stored["fl"],
        rewritten=stored["rw"],
        ended_at=stored.get("ea"),
    )
