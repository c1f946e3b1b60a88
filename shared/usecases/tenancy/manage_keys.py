"""Create, list, revoke and rotate API keys. A secret is returned once, and only its hash is stored."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import (
    InvalidStateError,
    InvalidValueError,
    NotFoundError,
    QuotaExceededError,
    UnavailableError,
)
from shared.domain.tenancy.quota import Quota, Quotas
from shared.domain.tenancy.tenant import (
    KEY_ID_BITS,
    OPERATOR,
    SECRET_BITS,
    ApiKey,
    Scope,
    Tenant,
    hash_secret,
    key_text,
    new_key_parts,
)
from shared.ports.runtime import Clock, Entropy
from shared.ports.tenancy import TenantStore
from shared.usecases.tenancy.manage_tenants import CONFLICT, TRIES, FindTenant

MAX_LISTED = 60
"""Dead keys stay listed until this many newer keys exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key with its plain text, for its owner alone."""

    key: ApiKey
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """The new key, and the old key before and after it got its expiry."""

    new: NewKey
    old_before: ApiKey
    old_after: ApiKey


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of tenants. Changes are conditional on the tenant's revision, so that the counts are exact."""

    tenants: TenantStore
    clock: Clock
    entropy: Entropy
    defaults: Quotas

    def keys_of(self, tenant_id: str) -> list[ApiKey]:
        """The tenant's keys, the oldest first, recent dead keys included; NotFoundError for no tenant."""
        return self.tenants.get_keys(FindTenant(self.tenants).execute(tenant_id).key_ids)

    def create(
        self,
        tenant_id: str,
        scopes: frozenset[Scope],
        *,
        name: str | None = None,
        expires_at: int | None = None,
    ) -> NewKey:
        """A new key. QuotaExceededError where the tenant has as many live keys as its quota."""
        for _ in range(TRIES):
            tenant = FindTenant(self.tenants).execute(tenant_id)
            made = self._new(tenant, scopes, name, expires_at)
            if self.tenants.replace(tenant, self._with(tenant, made.key), new_key=made.key):
                return made
        raise UnavailableError(CONFLICT)

    def revoke(self, tenant_id: str, key_id: str, *, even_the_last: bool) -> tuple[ApiKey, ApiKey]:
        """The key before and after. It is refused within 60 s: functions cache keys for that long.

        NotFoundError for a key of another tenant. InvalidStateError, unless `even_the_last`, for the last key
        that may manage keys: without it the tenant could create no other.
        """
        for _ in range(TRIES):
            tenant = FindTenant(self.tenants).execute(tenant_id)
            keys = self.tenants.get_keys(tenant.key_ids)
            before = _named(keys, key_id)
            after = replace(before, revoked=True)
            if before.revoked:
                return before, before
            if not even_the_last:
                self._keep_an_admin(keys, before)
            if self.tenants.replace(tenant, _touched(tenant), changed_key=after):
                return before, after
        raise UnavailableError(CONFLICT)

    def rotate(
        self, tenant_id: str, key_id: str, *, overlap_seconds: int, expires_at: int | None = None
    ) -> Rotation:
        """A new key like the old one, which expires after the overlap or at its own expiry.

        InvalidStateError for a dead key: there is no overlap to rotate in.
        """
        for _ in range(TRIES):
            tenant = FindTenant(self.tenants).execute(tenant_id)
            now_ms = self.clock.now_ms()
            old = _named(self.tenants.get_keys(tenant.key_ids), key_id)
            if not old.is_live(now_ms):
                raise InvalidStateError("the key is not good any more: create another")
            ends_at = now_ms + overlap_seconds * 1000
            ended = replace(old, expires_at=min(ends_at, old.expires_at or ends_at))
            made = self._new(tenant, old.scopes, old.name, expires_at)
            if self.tenants.replace(
                tenant, self._with(tenant, made.key), new_key=made.key, changed_key=ended
            ):
                return Rotation(new=made, old_before=old, old_after=ended)
        raise UnavailableError(CONFLICT)

    def _new(
        self, tenant: Tenant, scopes: frozenset[Scope], name: str | None, expires_at: int | None
    ) -> NewKey:
        check_scopes(tenant.id, scopes)
        now_ms = self.clock.now_ms()
        if expires_at is not None and expires_at <= now_ms:
            raise InvalidValueError("a key expires in the future", path=("expires_in_seconds",))
        limit = self.defaults.overridden_by(tenant.quotas).api_keys
        live = [key for key in self.tenants.get_keys(tenant.key_ids) if key.is_live(now_ms)]
        if len(live) >= limit:
            raise QuotaExceededError(
                f"the most keys that are good at the same time are {limit}", quota=Quota.API_KEYS
            )
        return new_key(tenant.id, scopes, now_ms, self.entropy, name=name, expires_at=expires_at)

    def _with(self, tenant: Tenant, key: ApiKey) -> Tenant:
        """The tenant with one more key; beyond `MAX_LISTED` keys the oldest dead ones are dropped."""
        key_ids = tenant.key_ids
        if len(key_ids) >= MAX_LISTED:
            now_ms = self.clock.now_ms()
            dead = [each.id for each in self.tenants.get_keys(key_ids) if not each.is_live(now_ms)]
            gone = set(dead[: len(key_ids) - MAX_LISTED + 1])
            key_ids = tuple(each for each in key_ids if each not in gone)
        return replace(_touched(tenant), key_ids=(*key_ids, key.id))

    def _keep_an_admin(self, keys: list[ApiKey], leaving: ApiKey) -> None:
        now_ms = self.clock.now_ms()
        admins = [key for key in keys if Scope.ADMIN in key.scopes and key.is_live(now_ms)]
        if [key.id for key in admins] == [leaving.id]:
            raise InvalidStateError("this is the last key that may manage keys: create another one first")


def check_scopes(tenant_id: str, scopes: frozenset[Scope]) -> None:
    """InvalidValueError for scopes that a key of this tenant cannot have."""
    if not scopes:
        raise InvalidValueError("a key needs at least one scope", path=("scopes",))
    if tenant_id == OPERATOR and scopes != {Scope.ADMIN}:
        raise InvalidValueError("operators' keys have the scope admin and no other", path=("scopes",))


def new_key(
    tenant_id: str,
    scopes: frozenset[Scope],
    now_ms: int,
    entropy: Entropy,
    *,
    name: str | None = None,
    expires_at: int | None = None,
) -> NewKey:
    key_id, secret = new_key_parts(entropy.bits(KEY_ID_BITS), entropy.bits(SECRET_BITS))
    key = ApiKey(
        id=key_id,
        tenant_id=tenant_id,
        secret_hash=hash_secret(secret),
        scopes=scopes,
        created_at=now_ms,
        expires_at=expires_at,
        name=name,
    )
    return NewKey(key=key, text=key_text(key_id, secret))


def _named(keys: list[ApiKey], key_id: str) -> ApiKey:
    for key in keys:
        if key.id == key_id:
            return key
    raise NotFoundError("no such key")


def _touched(tenant: Tenant) -> Tenant:
    return replace(tenant, revision=tenant.revision + 1)
