"""The operations on tenants over the fakes: for the API and for the operator's commands."""

from functions.api.http.cursors import Cursors
from functions.api.operations.accounts import AccountOperations
from functions.api.operations.audit import AuditOperations
from functions.api.operations.keys import KeyOperations, SecretOperations
from functions.api.operations.parked import ParkedOperations
from functions.api.operations.tenants import TenantOperations
from shared.domain.delivery.target_policy import TargetPolicy
from shared.usecases.tenancy.manage_keys import Keyring
from shared.usecases.tenancy.manage_signing_secrets import SigningSecrets
from shared.usecases.tenancy.manage_tenants import ChangeTenant, FindTenant, ListTenants
from shared.usecases.tenancy.read_usage import ReadUsage
from shared.usecases.tenancy.record_audit import RecordAudit
from tests.support.usecases.world import World

AUDIT_DAYS = 400


def audit_of(world: World, *, one_offs: bool = False) -> AuditOperations:
    """The log of changes of a world."""
    log = world.tapped("audit", world.audit_log)
    return AuditOperations(
        record_audit=RecordAudit(
            log=log, clock=world.clock, entropy=world.entropy, retention_days=AUDIT_DAYS
        ),
        log=log,
        vault=world.vault,
        one_offs=one_offs,
    )


def accounts_of(world: World, audit: AuditOperations) -> AccountOperations:
    """Tenants, keys and secrets of a world."""
    tenants = world.read_tenant.tenants
    return AccountOperations(
        tenants=TenantOperations(
            create_tenant=world.create_tenant,
            find_tenant=FindTenant(tenants),
            list_tenants=ListTenants(tenants),
            change_tenant=ChangeTenant(tenants, world.vault, TargetPolicy()),
            read_usage=ReadUsage(
                tenants=tenants,
                budgets=world.budgets,
                recurring=world.recurring_jobs,
                clock=world.clock,
                defaults=world.check_quota.defaults,
            ),
            audit=audit,
            vault=world.vault,
            clock=world.clock,
            defaults=world.check_quota.defaults,
        ),
        keys=KeyOperations(keyring=keyring_of(world), audit=audit, clock=world.clock),
        secrets=SecretOperations(secrets=secrets_of(world), audit=audit, clock=world.clock),
        parked=ParkedOperations(
            parked_messages=world.parked_messages, audit=audit, cursors=Cursors(world.vault)
        ),
    )


def keyring_of(world: World) -> Keyring:
    """The keys of a world's tenants."""
    return Keyring(
        tenants=world.read_tenant.tenants,
        clock=world.clock,
        entropy=world.entropy,
        defaults=world.check_quota.defaults,
    )


def secrets_of(world: World) -> SigningSecrets:
    """The signing secrets of a world's tenants."""
    return SigningSecrets(
        tenants=world.read_tenant.tenants, vault=world.vault, clock=world.clock, entropy=world.entropy
    )
