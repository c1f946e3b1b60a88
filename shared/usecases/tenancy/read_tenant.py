"""A cache of tenants."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantStore

if TYPE_CHECKING:
    from shared.domain.delivery.request import Request

REMEMBER_MS = 60_000
MAX_REMEMBERED = 20_000
"""Twice the 10,000 tenants of a cell, at about 2 KB each: 40 MB at most, without secrets that have a name."""


@dataclass(slots=True)
class ReadTenant:
    """Reads each tenant at most once in 60 s, so a change takes effect within that time."""

    tenants: TenantStore
    clock: Clock
    _cache: BoundedCache[str, tuple[int, Tenant]] = field(
        default_factory=lambda: BoundedCache(MAX_REMEMBERED)
    )

    def execute(self, tenant_id: str, known_for_ms: int = REMEMBER_MS) -> Tenant | None:
        """The tenant as it was at most so long ago; an unknown id is read again each time. UnavailableError."""
        return self.cached(tenant_id, known_for_ms) or self._read(tenant_id)

    def with_secrets(self, tenant: Tenant, names: Collection[str]) -> Tenant:
        """`tenant`, or the tenant as it is now if `tenant` lacks a signing secret of one of these names.

        A name may be younger than a cached tenant. UnavailableError.
        """
        return tenant if tenant.secret_names.issuperset(names) else self._read(tenant.id) or tenant

    def with_roles(self, tenant: Tenant, requests: Collection[Request]) -> Tenant:
        """The same for the roles that these requests need. UnavailableError."""
        if not any(each.needs_role for each in requests):
            return tenant
        # Imported late: only targets and requests that are signed for AWS need it.
        from shared.domain.tenancy.target_roles import has_role

        has_all = all(has_role(tenant.target_roles, each) for each in requests)
        return tenant if has_all else self._read(tenant.id) or tenant

    def check_role(self, tenant: Tenant, request: Request) -> None:
        """InvalidValueError for a request whose role the tenant does not have. UnavailableError."""
        from shared.domain.tenancy.target_roles import check_role

        check_role(self.with_roles(tenant, (request,)).target_roles, request)

    def _read(self, tenant_id: str) -> Tenant | None:
        read_at, tenant = self.clock.now_ms(), self.tenants.get(tenant_id)
        if tenant is not None:
            self._cache[tenant_id] = (read_at, tenant)
        return tenant

    def cached(self, tenant_id: str, known_for_ms: int = REMEMBER_MS) -> Tenant | None:
        """The tenant, if it was read recently."""
        read_at, tenant = self._cache.get(tenant_id, (0, None))
        return tenant if self.clock.now_ms() - read_at < known_for_ms else None
