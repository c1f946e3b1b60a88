"""Everything about tenants, put together: for the API and for the operator's command."""

from dataclasses import dataclass

from functions.api.cursors import Cursors
from functions.api.operations.audit import AuditOperations
from functions.api.operations.keys import KeyOperations, SecretOperations
from functions.api.operations.parked import ParkedOperations
from functions.api.operations.tenants import TenantOperations
from shared.bootstrap.settings import require
from shared.bootstrap.use_cases import UseCases
from shared.settings import ApiSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOperations:
    """Tenants, their keys and their secrets; and what operators have to look at."""

    tenants: TenantOperations
    keys: KeyOperations
    secrets: SecretOperations
    parked: ParkedOperations


def audit_operations(cases: UseCases) -> AuditOperations:
    """The log of changes."""
    return AuditOperations(
        record_audit=cases.tenancy.record_audit,
        log=cases.core.ports.audit_log,
        vault=cases.core.ports.vault,
        one_offs=require(cases.core.settings, ApiSettings).audit_one_offs,
    )


def account_operations(cases: UseCases, audit: AuditOperations) -> AccountOperations:
    """All operations on tenants."""
    ports, tenancy = cases.core.ports, cases.tenancy
    clock = ports.clock
    return AccountOperations(
        tenants=TenantOperations(
            create_tenant=tenancy.create_tenant,
            find_tenant=tenancy.find_tenant,
            list_tenants=tenancy.list_tenants,
            change_tenant=tenancy.change_tenant,
            read_usage=tenancy.read_usage,
            audit=audit,
            vault=cases.core.ports.vault,
            clock=clock,
            defaults=require(cases.core.settings, ApiSettings).default_quotas,
        ),
        keys=KeyOperations(keyring=tenancy.keyring, audit=audit, clock=clock),
        secrets=SecretOperations(secrets=tenancy.signing_secrets, audit=audit, clock=clock),
        parked=ParkedOperations(
            parked_messages=ports.parked_messages, audit=audit, cursors=Cursors(ports.vault)
        ),
    )
