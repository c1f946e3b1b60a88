"""One tenant and one operator, with everything that manages them, over fakes and a virtual clock."""

from dataclasses import replace

from shared.bootstrap.tenancy import TenancyUseCases
from shared.bootstrap.use_cases import use_cases
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import OPERATOR, Scope, Tenant
from shared.usecases.tenancy.authenticate import Authenticate, Principal
from tests.support.builders import DUE_AT, TENANT
from tests.support.settings import settings_of
from tests.support.usecases.ports import FakePorts

READ_WRITE = frozenset({Scope.READ, Scope.WRITE})
ADMIN = frozenset({Scope.ADMIN})


class AccountWorld(FakePorts):
    """`acme`, whose first key has all scopes, and the operators' tenant."""

    def __init__(self) -> None:
        super().__init__(DUE_AT)
        self.stored = self.tenants
        tenancy = self._tenancy()
        self.create_tenant = tenancy.create_tenant
        self.keyring = tenancy.keyring
        self.secrets = tenancy.signing_secrets
        self.find, self.list = tenancy.find_tenant, tenancy.list_tenants
        self.change = tenancy.change_tenant
        self.operator = self.create_tenant.operator()
        self.acme = self.create_tenant.execute(TENANT, frozenset(Scope))

    def _tenancy(self) -> TenancyUseCases:
        return use_cases(self.ports(), settings_of(self.plan, self.retention)).tenancy

    def process(self) -> Authenticate:
        """A process with an empty cache."""
        return self._tenancy().authenticate

    def who(self, text: str) -> Principal | None:
        """The principal of a key, as seen by a process with an empty cache."""
        return self.process().execute(text)

    def standing(self, tenant_id: str = TENANT) -> Tenant:
        """The stored tenant."""
        return self.find.execute(tenant_id)

    def allow(self, quota: Quota, limit: int, tenant_id: str = TENANT) -> None:
        """Override a quota of a tenant."""
        tenant = self.stored.tenants[tenant_id]
        self.stored.tenants[tenant_id] = replace(tenant, quotas={**tenant.quotas, quota: limit})

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.time_ms += int(seconds * 1_000)


__all__ = ["ADMIN", "OPERATOR", "READ_WRITE", "AccountWorld"]
