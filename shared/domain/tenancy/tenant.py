"""Tenants and their API keys."""

import re
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import AlertTarget
from shared.domain.delivery.outcome_callbacks import INHERIT, OutcomeCallbacks
from shared.domain.delivery.signing import SECRET_NAME
from shared.domain.errors import InvalidValueError
from shared.domain.ids import encode_base32
from shared.domain.tenancy.quota import Quota, check_limit
from shared.domain.tenancy.suspension import Suspension, Suspensions, suspension_at

_KEY = re.compile(r"pk_([0-9a-z]{16})_([0-9a-z]{32})")
TENANT_ID = r"^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$"
"""The form of a tenant's id."""
KEY_NAME = r"^[^\x00-\x1f\x7f]{1,64}$"
"""The form of a key's name."""
KEY_ID_BITS = 80
SECRET_BITS = 160
SECRET_ID_BITS = 40
MIN_EXPIRY_SECONDS = 60
MAX_EXPIRY_SECONDS = 10 * 366 * 86_400
"""The shortest and the longest life of a new key that expires."""
MAX_OVERLAP_SECONDS = 30 * 86_400
"""The longest time for which an old key or secret stays valid after a rotation."""
MAX_INDEX_SHARDS = 64
MAX_WEIGHT = 100
OPERATOR = "operator"
"""The tenant whose admin keys manage all tenants. Its keys have no other scope, so it owns no jobs."""
CANARY = "punctual-canary"
"""The tenant whose jobs probe the deployment."""
RESERVED_IDS = frozenset({OPERATOR, CANARY, "admin", "punctual", "system"})
"""Ids that no customer's tenant may have."""
SIGNING_CONTEXT = "signing-secret"
"""The context to which sealed signing secrets are bound."""


class Scope(StrEnum):
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class TenantState(StrEnum):
    """A suspended tenant's requests are refused. `Tenant.suspensions` say when its calls begin."""

    ACTIVE = "active"
    SUSPENDED = "suspended"


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningSecret:
    """A sealed secret that signs callbacks; a replaced secret signs until `ends_at`."""

    id: str
    sealed: bytes
    created_at: int
    ends_at: int | None = None
    name: str | None = None
    """A secret with a name signs only the calls of the jobs that name it."""

    def __post_init__(self) -> None:
        """InvalidValueError for a name that is no slug."""
        if self.name is not None and not re.fullmatch(SECRET_NAME, self.name):
            raise InvalidValueError(
                "the name of a signing secret is 1 to 64 lower-case letters, digits and inner hyphens",
                path=("name",),
            )

    def signs(self, now_ms: int) -> bool:
        return self.ends_at is None or now_ms < self.ends_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """An owner of jobs. Secrets are sealed; `data_key` is wrapped by KMS."""

    id: str
    state: TenantState
    data_key: bytes
    signing_secrets: tuple[SigningSecret, ...]
    """The secrets without a name, then those of each name. Of each name the current secret is first, without an
    end; then replaced secrets that overlap with it."""
    created_at: int
    index_shards: int = 1
    """Grow-only: readers look under every number below the count, so a smaller count would hide items."""
    revision: int = 1
    """Incremented with every change of the tenant or its keys: the version of the compare-and-swap."""
    weight: int = 1
    quotas: Mapping[Quota, int] = field(default_factory=dict)
    """Overrides; the deployment's defaults apply to all other quotas."""
    key_ids: tuple[str, ...] = ()
    """Its API keys, the oldest first; dead keys stay listed for a while."""
    callbacks: OutcomeCallbacks = INHERIT
    """The callback targets for outcomes of jobs that set none."""
    alerts: AlertTarget | None = None
    """The subscription of jobs that have none."""
    suspensions: Suspensions = ()
    """The latest last. A tenant that an older release has suspended has none, and its calls go on."""
    is_being_deleted: bool = False
    target_roles: tuple[str, ...] = ()
    """The ARNs of the roles with which its jobs reach targets in AWS, one for each account."""

    def __post_init__(self) -> None:
        """InvalidValueError for an id that keys or metrics cannot carry, or a number out of bounds."""
        if not is_tenant_id(self.id):
            raise InvalidValueError(
                "a tenant id is 1 to 40 lower-case letters, digits and inner hyphens", path=("id",)
            )
        for name in {None, *self.secret_names}:
            if next((each.ends_at for each in self.signing_secrets if each.name == name), 0) is not None:
                raise InvalidValueError("a tenant needs a signing secret: no call is ever sent unsigned")
        if not 1 <= self.index_shards <= MAX_INDEX_SHARDS:
            raise InvalidValueError(f"index_shards must be 1 to {MAX_INDEX_SHARDS}", path=("index_shards",))
        if not 1 <= self.weight <= MAX_WEIGHT:
            raise InvalidValueError(f"weight must be 1 to {MAX_WEIGHT}", path=("weight",))
        for quota, limit in self.quotas.items():
            check_limit(quota, limit)

    def suspension_at(self, instant_ms: int) -> Suspension | None:
        """The suspension in which no call of this instant begins."""
        return suspension_at(self.suspensions, instant_ms)

    def suspended_from(self, now_ms: int) -> int | None:
        """The beginning of the suspension that has not ended, even if it is still ahead; None without one."""
        latest = self.suspensions[-1] if self.suspensions else None
        return None if latest is None or latest.is_over(now_ms) else latest.from_at

    def refuses_requests(self, now_ms: int) -> bool:
        """Whether the API is closed: from the suspension on, until its end takes effect."""
        return self.state is TenantState.SUSPENDED or self.suspension_at(now_ms) is not None

    @property
    def effective_at(self) -> int | None:
        """When the latest change between active and suspended takes effect; None before the first."""
        if not self.suspensions:
            return None
        latest = self.suspensions[-1]
        return latest.from_at if latest.until_at is None else latest.until_at

    @property
    def secret_names(self) -> frozenset[str]:
        """The names of signing secrets that a job may send as `signing_secret`."""
        return frozenset(secret.name for secret in self.signing_secrets if secret.name is not None)

    def active_secrets(self, now_ms: int) -> tuple[SigningSecret, ...]:
        """All secrets that sign at this moment; of each name, the current one first."""
        return tuple(secret for secret in self.signing_secrets if secret.signs(now_ms))

    def signing_at(self, now_ms: int, name: str | None) -> tuple[SigningSecret, ...]:
        """The secrets that sign the calls of a job with this name of a secret, the current one first.

        Empty for a name that the tenant does not have, and only then: no other secret takes its place.
        """
        return tuple(secret for secret in self.active_secrets(now_ms) if secret.name == name)

    def check_secret_name(self, name: str | None) -> None:
        """InvalidValueError for a name that no signing secret of the tenant has."""
        if name is None or name in self.secret_names:
            return
        names = ", ".join(sorted(self.secret_names))
        raise InvalidValueError(
            f"no signing secret has the name {name[:64]!a}: "
            + (f"send one of {names}, " if names else "")
            + "create it with POST /v1/signing-secrets, or send null for the secrets without a name",
            path=("signing_secret",),
        )


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
    name: str | None = None
    last_used_at: int | None = None
    """Accurate to an hour: it is not written with every request."""

    def __post_init__(self) -> None:
        """InvalidValueError for a name with control characters, or of a wrong length."""
        if self.name is not None and not re.fullmatch(KEY_NAME, self.name):
            raise InvalidValueError(
                "a key's name is 1 to 64 characters, none of them a control character", path=("name",)
            )

    def is_live(self, now_ms: int) -> bool:
        """Whether the key is neither revoked nor expired."""
        return not self.revoked and (self.expires_at is None or now_ms < self.expires_at)

    def admits(self, secret: str, now_ms: int) -> bool:
        """Whether the secret is this key's and the key is live. Constant time for any secret."""
        return compare_digest(self.secret_hash, hash_secret(secret)) and self.is_live(now_ms)


def is_tenant_id(text: str) -> bool:
    return re.fullmatch(TENANT_ID, text) is not None


def hash_secret(secret: str) -> bytes:
    """SHA-256: a secret of 160 random bits needs no slow hash."""
    return sha256(secret.encode()).digest()


def new_key_parts(id_bits: int, secret_bits: int) -> tuple[str, str]:
    """Key id and secret from 80 and 160 random bits."""
    return encode_base32(id_bits, KEY_ID_BITS // 5), encode_base32(secret_bits, SECRET_BITS // 5)


def key_text(key_id: str, secret: str) -> str:
    """The whole key as shown once, to its owner."""
    return f"pk_{key_id}_{secret}"


def new_secret_id(bits: int) -> str:
    """The id of a signing secret, from 40 random bits."""
    return "sec_" + encode_base32(bits, SECRET_ID_BITS // 5)


def split_key(text: str) -> tuple[str, str] | None:
    """Key id and secret of a presented key; None for a text that has not the form of a key."""
    match = _KEY.fullmatch(text)
    return (match[1], match[2]) if match else None
