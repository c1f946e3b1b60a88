"""Ask for the deletion of a suspended tenant, and show how far it has come."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, NotFoundError, UnavailableError
from shared.domain.tenancy.deletion import TenantDeletion, first_page_at
from shared.domain.tenancy.tenant import RESERVED_IDS, is_tenant_id
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantDeletions, TenantStore
from shared.usecases.tenancy.manage_tenants import CONFLICT, TRIES, FindTenant


@dataclass(frozen=True, slots=True)
class DeleteTenant:
    tenants: TenantStore
    deletions: TenantDeletions
    clock: Clock

    def execute(self, tenant_id: str, asked_by: str) -> TenantDeletion:
        """The deletion, which the redriver carries out; a repeated request shows the first one.

        NotFoundError, or InvalidStateError unless a suspension of the tenant has taken effect.
        """
        self.check(tenant_id)
        for _ in range(TRIES):
            existing = self.deletions.get(tenant_id)
            if existing is not None:
                return existing
            before, now_ms = FindTenant(self.tenants).execute(tenant_id), self.clock.now_ms()
            deletion = TenantDeletion(
                tenant_id=tenant_id,
                asked_at=now_ms,
                asked_by=asked_by,
                next_at=first_page_at(before.suspensions, now_ms),
            )
            after = replace(before, is_being_deleted=True, revision=before.revision + 1)
            if self.deletions.begin(before, after, deletion):
                return deletion
        raise UnavailableError(CONFLICT)

    def check(self, tenant_id: str) -> None:
        """NotFoundError for an id that no tenant has or had, InvalidStateError for a tenant of the deployment."""
        if tenant_id in RESERVED_IDS:
            raise InvalidStateError(f"the tenant {tenant_id} is part of the deployment")
        if not is_tenant_id(tenant_id) or self.deletions.get(tenant_id) is None:
            FindTenant(self.tenants).execute(tenant_id)

    def find(self, tenant_id: str) -> TenantDeletion:
        """NotFoundError where no deletion was asked for."""
        deletion = self.deletions.get(tenant_id) if is_tenant_id(tenant_id) else None
        if deletion is None:
            raise NotFoundError("no deletion of such a tenant")
        return deletion
