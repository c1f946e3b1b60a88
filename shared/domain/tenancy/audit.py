"""Audit records: who changed what, and when. A record is written once and never changed."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from shared.dataclass import dataclass
from shared.domain.ids import encode_base32

RECORD_ID_BITS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The author of a change: a tenant's key, or no key for a person who ran an operators' command."""

    tenant_id: str
    key_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One change of something that a tenant owns."""

    id: str
    tenant_id: str
    """The owner of the changed thing. The record belongs to this tenant, whoever the actor is."""
    at: int
    actor: Actor
    operation: str
    """The `operationId` in the API's description."""
    target: str
    """The id of the changed thing."""
    before: str | None
    """Digest of the thing's document before the change; None where there was nothing."""
    after: str | None
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """Records, newest first. A page may be short, or empty, while `next_after` is not None."""

    records: tuple[AuditRecord, ...]
    next_after: str | None


def new_record_id(bits: int) -> str:
    """The id of a record, from 80 random bits."""
    return "aud_" + encode_base32(bits, RECORD_ID_BITS // 5)


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of a JSON document with sorted keys: comparable, and without anything secret."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()
