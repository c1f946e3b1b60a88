"""Audit records: who changed what, and when. They are written once and never changed."""

from dataclasses import dataclass
from hashlib import sha256

from shared.domain.ids import encode_base32

RECORD_ID_BITS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who made a change: a key of a tenant, or, without a key, whoever ran the operator's command."""

    tenant_id: str
    key_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One change of something that a tenant owns."""

    id: str
    tenant_id: str
    """Whose thing was changed: the record is that tenant's, whoever acted."""
    at: int
    actor: Actor
    operation: str
    """As the API's description names it."""
    target: str
    """The id of what was changed."""
    before: str | None
    """Digest of what stood before; None where there was nothing."""
    after: str | None
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """Records, newest first; a page may be short, or even empty, while `next_after` says that there is more."""

    records: tuple[AuditRecord, ...]
    next_after: str | None


def new_record_id(bits: int) -> str:
    """The id of a record, from 80 random bits."""
    return "aud_" + encode_base32(bits, RECORD_ID_BITS // 5)


def digest(document: bytes) -> str:
    """What a record keeps of a document: enough to compare it, nothing to read in it."""
    return sha256(document).hexdigest()
