"""Tenants and their API keys."""

import re
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest

from shared.domain.errors import InvalidValueError
from shared.domain.ids import encode_base32

_KEY = re.compile(r"pk_([0-9a-z]{16})_([0-9a-z]{32})")
_TENANT_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
KEY_ID_BITS = 80
SECRET_BITS = 160
SIGNING_CONTEXT = "signing-secret"
"""The context to which sealed signing secrets are bound."""


class Scope(StrEnum):
    """What an API key may do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class TenantState(StrEnum):
    """A suspended tenant's requests are refused; its jobs go on."""

    ACTIVE = "active"
    SUSPENDED = "suspended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """Who owns jobs. Secrets are kept sealed; `data_key` is wrapped by KMS."""

    id: str
    state: TenantState
    data_key: bytes
    signing_secrets: tuple[bytes, ...]
    """Sealed, the current one first; more than one while a rotation overlaps."""
    created_at: int
    index_shards: int = 1

    def __post_init__(self) -> None:
        """Refuse ids that keys, message groups or metrics could not carry."""
        if not _TENANT_ID.fullmatch(self.id):
            raise InvalidValueError("a tenant id is 1 to 40 lower-case letters, digits and inner hyphens")
        if not self.signing_secrets:
            raise InvalidValueError("a tenant needs a signing secret: no call is ever sent unsigned")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """The stored half of an API key: a hash, never the secret."""

    id: str
    tenant_id: str
    secret_hash: bytes
    scopes: frozenset[Scope]
    created_at: int
    expires_at: int | None = None
    revoked: bool = False

    def admits(self, secret: str, now_ms: int) -> bool:
        """Whether the secret is this key's and the key is still good. Takes the same time for any secret."""
        matches = compare_digest(self.secret_hash, hash_secret(secret))
        return matches and not self.revoked and (self.expires_at is None or now_ms < self.expires_at)


def hash_secret(secret: str) -> bytes:
    """What is stored of a secret of 160 random bits; so long a secret needs no slow hash."""
    return sha256(secret.encode()).digest()


def new_key_parts(id_bits: int, secret_bits: int) -> tuple[str, str]:
    """Key id and secret from 80 and 160 random bits."""
    return encode_base32(id_bits, KEY_ID_BITS // 5), encode_base32(secret_bits, SECRET_BITS // 5)


def key_text(key_id: str, secret: str) -> str:
    """The whole key as it is shown once, to its owner."""
    return f"pk_{key_id}_{secret}"


def split_key(text: str) -> tuple[str, str] | None:
    """Key id and secret of a presented key; None where it does not even have the form of one."""
    match = _KEY.fullmatch(text)
    return (match[1], match[2]) if match else None
