"""Everything about tenants, put together: for the API and for the operator's command."""

from dataclasses import dataclass

from functions.api.cursors import Cursors
from functions.api.operations.audit import AuditOperations
from functions.api.operations.keys import KeyOperations, SecretOperations
from functions.api.operations.parked import ParkedOperations
from functions.api.operations.tenants import TenantOperations
from shared.bootstrap import accounts, callbacks, redrives
from shared.bootstrap.accounts import ApiParts
from shared.usecases.tenancy.manage_tenants import ChangeTenant, FindTenant, ListTenants


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOperations:
    """Tenants, their keys and their secrets; and what operators have to look at."""

    tenants: TenantOperations
    keys: KeyOperations
    secrets: SecretOperations
    parked: ParkedOperations


def audit_operations(parts: ApiParts) -> AuditOperations:
    """The log of changes."""
    return AuditOperations(
        record_audit=accounts.record_audit(parts),
        log=parts.audit_log,
        vault=parts.vault,
        one_offs=parts.settings.audit_one_offs,
    )


def account_operations(parts: ApiParts, audit: AuditOperations) -> AccountOperations:
    """All operations on tenants."""
    clock = parts.core.clock
    return AccountOperations(
        tenants=TenantOperations(
            create_tenant=callbacks.create_tenant(parts),
            find_tenant=FindTenant(parts.tenants),
            list_tenants=ListTenants(parts.tenants),
            change_tenant=ChangeTenant(parts.tenants, parts.vault, parts.settings.target_policy),
            read_usage=accounts.read_usage(parts),
            audit=audit,
            vault=parts.vault,
            clock=clock,
            defaults=parts.settings.default_quotas,
        ),
        keys=KeyOperations(keyring=accounts.keyring(parts), audit=audit, clock=clock),
        secrets=SecretOperations(secrets=accounts.signing_secrets(parts), audit=audit, clock=clock),
        parked=ParkedOperations(
            parked_messages=redrives.parking_lot(parts.core), audit=audit, cursors=Cursors(parts.vault)
        ),
    )
