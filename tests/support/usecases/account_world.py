"""One tenant and one operator, with everything that manages them, over fakes and a virtual clock."""

from dataclasses import replace

from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import OPERATOR, Scope, Tenant
from shared.usecases.tenancy.authenticate import Authenticate, Principal
from shared.usecases.tenancy.create_tenant import CreateTenant
from shared.usecases.tenancy.manage_keys import Keyring
from shared.usecases.tenancy.manage_signing_secrets import SigningSecrets
from shared.usecases.tenancy.manage_tenants import ChangeTenant, FindTenant, ListTenants
from shared.usecases.tenancy.read_tenant import ReadTenant
from tests.support.builders import DUE_AT, TENANT
from tests.support.fakes.budgets import GENEROUS
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.fakes.tenant_store import FakeTenantStore
from tests.support.fakes.vault import FakeVault
from tests.support.usecases.steps import Steps, Tapped

READ_WRITE = frozenset({Scope.READ, Scope.WRITE})
ADMIN = frozenset({Scope.ADMIN})


class AccountWorld:
    """`acme`, whose first key may do everything, and the operators' own tenant."""

    def __init__(self) -> None:
        self.clock = VirtualClock(DUE_AT)
        self.steps = Steps()
        self.stored = FakeTenantStore()
        self.tenants = Tapped("tenants", self.stored, self.steps)
        entropy = SeededEntropy()
        self.vault = FakeVault(entropy)
        self.create_tenant = CreateTenant(self.tenants, self.vault, self.clock, entropy)
        self.keyring = Keyring(self.tenants, self.clock, entropy, GENEROUS)
        self.secrets = SigningSecrets(self.tenants, self.vault, self.clock, entropy)
        self.find, self.list = FindTenant(self.tenants), ListTenants(self.tenants)
        self.change = ChangeTenant(self.tenants, self.vault, TargetPolicy())
        self.operator = self.create_tenant.operator()
        self.acme = self.create_tenant.execute(TENANT, frozenset(Scope))

    def process(self) -> Authenticate:
        """A process that remembers what it has seen."""
        read_tenant = ReadTenant(self.tenants, self.clock)
        return Authenticate(self.tenants, read_tenant, self.clock)

    def who(self, text: str) -> Principal | None:
        """Whom a process that has seen nothing yet takes the owner of a key for."""
        return self.process().execute(text)

    def standing(self, tenant_id: str = TENANT) -> Tenant:
        """The tenant as it stands."""
        return self.find.execute(tenant_id)

    def allow(self, quota: Quota, limit: int, tenant_id: str = TENANT) -> None:
        """Give a tenant a limit of its own."""
        tenant = self.stored.tenants[tenant_id]
        self.stored.tenants[tenant_id] = replace(tenant, quotas={**tenant.quotas, quota: limit})

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.time_ms += int(seconds * 1_000)


__all__ = ["ADMIN", "OPERATOR", "READ_WRITE", "AccountWorld"]
