"""Limits and suspensions that a tenant is given for one run, as an operator gives them."""

from collections.abc import Mapping
from dataclasses import replace

from shared.adapters.clock import SystemEntropy, pause
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.suspension import Suspension
from tests.crashes.deployment import TENANT, Deployment


class OwnQuotas:
    """What the tenant has instead of the deployment's defaults."""

    def __init__(self, deployment: Deployment) -> None:
        self._store = DynamoTenantStore(
            deployment.engines.store.client("dynamodb"),
            deployment.tables.tenants,
            Backoff(pause, SystemEntropy()),
        )
        self._is_limited = False

    def give(self, limits: Mapping[str, int]) -> None:
        """Set these and no others; workers that remember the tenant see it within a minute."""
        before = self._store.get(TENANT)
        assert before is not None
        quotas = {Quota(name): limit for name, limit in limits.items()}
        after = replace(before, quotas=quotas, suspensions=(), revision=before.revision + 1)
        assert self._store.replace(before, after)
        self._is_limited = bool(limits)

    def suspend(self, from_at: int, until_at: int) -> None:
        """Suspend the tenant for a span that has begun, with an end that was written before."""
        before = self._store.get(TENANT)
        assert before is not None
        span = Suspension(from_at=from_at, until_at=until_at)
        after = replace(before, suspensions=(span,), revision=before.revision + 1)
        assert self._store.replace(before, after)
        self._is_limited = True

    def take_back(self) -> bool:
        """Whether there was anything to be taken back."""
        if not self._is_limited:
            return False
        self.give({})
        return True
