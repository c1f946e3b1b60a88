"""Authenticate a request: the tenant comes from the credential alone."""

from contextlib import suppress
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.errors import ServiceError
from shared.domain.tenancy.tenant import ApiKey, Tenant, split_key
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantStore
from shared.usecases.tenancy.limit_requests import LimitRequests, LimitUnknown
from shared.usecases.tenancy.read_tenant import REMEMBER_MS, ReadTenant

USE_NOTED_MS = 3_600_000
"""The use of a key is stored at most once in this time, by the first process that sees it."""
MAX_KEYS = 20_000
"""Keys that are cached, at about 1 KB each: 20 MB at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A tenant, and the key of its request."""

    tenant: Tenant
    key: ApiKey
    is_suspended: bool = False


@dataclass(slots=True)
class Authenticate:
    """Checks API keys. Keys are cached for at most 60 s, so a revocation takes effect within that time."""

    tenants: TenantStore
    read_tenant: ReadTenant
    limit: LimitRequests
    unknown: LimitUnknown
    clock: Clock
    _cache: BoundedCache[str, tuple[int, ApiKey]] = field(default_factory=lambda: BoundedCache(MAX_KEYS))

    def execute(self, presented: str) -> Principal | None:
        """The principal; None for any text that is not a live key, without a reason.

        RateLimitedError for too many such texts, UnavailableError.
        """
        now_ms = self.clock.now_ms()
        id_and_secret = split_key(presented)
        key = self._read(id_and_secret[0]) if id_and_secret else None
        tenant = self.read_tenant.execute(key.tenant_id) if key else None
        if id_and_secret is None or key is None or tenant is None:
            return None
        if not key.admits(id_and_secret[1], now_ms):
            self.limit.refused_key(tenant)
            return None
        self._note_use(key, now_ms)
        return Principal(tenant=tenant, key=key, is_suspended=tenant.refuses_requests(now_ms))

    def _read(self, key_id: str) -> ApiKey | None:
        now_ms = self.clock.now_ms()
        read_at, key = self._cache.get(key_id, (0, None))
        if key is None or now_ms - read_at >= REMEMBER_MS:
            if key is None:
                self.unknown.check()
            key = self.tenants.get_key(key_id)
            if key is None:
                self.unknown.note()
            else:
                self._cache[key_id] = (now_ms, key)
        return key

    def _note_use(self, key: ApiKey, now_ms: int) -> None:
        """Other processes see the use when they read the key, so few write it again. Ignores a failure."""
        if key.last_used_at is not None and now_ms - key.last_used_at < USE_NOTED_MS:
            return
        read_at, _ = self._cache.get(key.id, (now_ms, key))
        self._cache[key.id] = (read_at, replace(key, last_used_at=now_ms))
        with suppress(ServiceError):
            self.tenants.note_use(key.id, now_ms, now_ms - USE_NOTED_MS + 1)
