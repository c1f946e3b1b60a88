"""Audit records: who changed what, and when. They are written once and never changed."""

from dataclasses import dataclass
from hashlib import sha256

from shared.domain.ids import encode_base32

RECORD_ID_BITS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who made a change: a key of a tenant, or the operator's command line where there is no key."""

    tenant_id: str
    key_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One change of something that a tenant owns."""

    id: str
    tenant_id: str
    """The owner of the changed object, and so of the record, whoever the actor was."""
    at: int
    actor: Actor
    operation: str
    """The operation id of the OpenAPI document."""
    target: str
    """The id of the changed object."""
    before: str | None
    """Digest of the object before the change; None where it did not exist."""
    after: str | None
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """Records, newest first. A page may be short or empty while `next_after` is set."""

    records: tuple[AuditRecord, ...]
    next_after: str | None


def new_record_id(bits: int) -> str:
    """The id of a record, from 80 random bits."""
    return "aud_" + encode_base32(bits, RECORD_ID_BITS // 5)


def digest(document: bytes) -> str:
    """SHA-256 of a document: a record can be compared with it, and reveals nothing of it."""
    return sha256(document).hexdigest()
