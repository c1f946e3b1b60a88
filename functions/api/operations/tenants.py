"""Tenants, for operators, and usage."""

from dataclasses import dataclass

from functions.api.account_views import key_out, tenant_out, usage_out
from functions.api.cursors import seal_cursor, unseal_cursor
from functions.api.models.tenants import (
    NewTenantOut,
    TenantIn,
    TenantOut,
    TenantPageOut,
    TenantPatch,
    UsageOut,
)
from functions.api.operations.audit import AuditOperations, Author
from shared.domain.tenancy.quota import Quotas
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.runtime import Clock
from shared.usecases.requests.seal_request import open_callback_target
from shared.usecases.tenancy.create_tenant import CreateTenant, NewTenant
from shared.usecases.tenancy.manage_tenants import ChangeTenant, FindTenant, ListTenants, TenantChange
from shared.usecases.tenancy.read_usage import ReadUsage

_QUESTION = "tenants"
_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantOperations:
    """One method an operation."""

    create_tenant: CreateTenant
    find_tenant: FindTenant
    list_tenants: ListTenants
    change_tenant: ChangeTenant
    read_usage: ReadUsage
    audit: AuditOperations
    vault: Vault
    clock: Clock
    defaults: Quotas

    def create(self, author: Author, asked: TenantIn) -> NewTenantOut:
        """A new tenant with its first key."""
        return self._created(author, self.create_tenant.execute(asked.id, asked.scopes))

    def create_operator(self, author: Author) -> NewTenantOut:
        """The operators' own tenant, with the first key that may manage tenants."""
        return self._created(author, self.create_tenant.operator())

    def get(self, tenant_id: str) -> TenantOut:
        """One tenant."""
        return self._show(self.find_tenant.execute(tenant_id))

    def all(self) -> list[TenantOut]:
        """All tenants by their ids."""
        found: list[TenantOut] = []
        page = self.list_tenants.execute(limit=_PAGE)
        while page.next_after is not None:
            found += map(self._show, page.tenants)
            page = self.list_tenants.execute(limit=_PAGE, after=page.next_after)
        return [*found, *map(self._show, page.tenants)]

    def page(self, reader: Tenant, limit: int, cursor: str | None) -> TenantPageOut:
        """A page of tenants by their ids; the cursor is the reader's."""
        after = None if cursor is None else unseal_cursor(self.vault, reader, _QUESTION, cursor)
        page = self.list_tenants.execute(limit=limit, after=after)
        more = page.next_after and seal_cursor(self.vault, reader, _QUESTION, page.next_after)
        return TenantPageOut(tenants=[self._show(tenant) for tenant in page.tenants], next_cursor=more)

    def change(self, author: Author, tenant_id: str, asked: TenantPatch) -> TenantOut:
        """The tenant after a change."""
        change = TenantChange(
            state=asked.state,
            weight=asked.weight,
            index_shards=asked.index_shards,
            quotas=asked.quotas,
            listeners=asked.listeners(),
        )
        before, after = self.change_tenant.execute(tenant_id, change)
        shown = self._show(after)
        self.audit.write(author, tenant_id, "changeTenant", tenant_id, self._show(before), shown)
        return shown

    def usage(self, tenant_id: str) -> UsageOut:
        """What the tenant may have and has."""
        return usage_out(self.read_usage.execute(self.find_tenant.execute(tenant_id)))

    def _created(self, author: Author, made: NewTenant) -> NewTenantOut:
        tenant, key = self._show(made.tenant), key_out(made.key, self.clock.now_ms())
        self.audit.write(author, tenant.id, "createTenant", tenant.id, None, tenant)
        return NewTenantOut(tenant=tenant, key=key, api_key=made.api_key, signing_secret=made.signing_secret)

    def _show(self, tenant: Tenant) -> TenantOut:
        on_success, on_failure = (
            open_callback_target(self.vault, tenant, listener)
            for listener in (tenant.callbacks.on_success, tenant.callbacks.on_failure)
        )
        return tenant_out(tenant, self.defaults, on_success=on_success, on_failure=on_failure)
