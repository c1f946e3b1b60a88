"""Limit requests: each tenant's over all processes, and the reads of one process for unknown credentials."""

from shared.dataclass import dataclass
from shared.domain.errors import RateLimitedError
from shared.domain.tenancy.budget import SECOND_MS, BudgetName
from shared.domain.tenancy.quota import UNLIMITED, Quota, Quotas
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.usecases.tenancy.spend_budget import SpendBudget

UNKNOWN_PER_SECOND = 20
"""Reads for unknown keys and forged callback tokens. 150 processes make 3,000 of each a second."""


@dataclass(slots=True)
class LimitRequests:
    """Belongs to one process. `requests_per_second` limits each of three kinds of a tenant's requests.

    Refused keys and reports have token buckets of their own: neither a stranger with the id of a key nor a
    busy receiver can use up the requests of the tenant's clients.
    """

    spend: SpendBudget
    defaults: Quotas

    def request(self, tenant: Tenant) -> None:
        """A request with a valid key; RateLimitedError."""
        self._spend(tenant, BudgetName.REQUESTS)

    def report(self, tenant: Tenant) -> None:
        """A receiver's report with a genuine callback token; RateLimitedError."""
        self._spend(tenant, BudgetName.REPORTS)

    def refused_key(self, tenant: Tenant) -> None:
        """A request with a key of the tenant that is revoked, expired or has a wrong secret; RateLimitedError."""
        self._spend(tenant, BudgetName.REFUSED_KEYS)

    def _spend(self, tenant: Tenant, name: BudgetName) -> None:
        limit = self.defaults.overridden_by(tenant.quotas).requests_per_second
        if limit < UNLIMITED and not self.spend.per_second(tenant.id, name, limit):
            raise RateLimitedError(
                f"this tenant may send {limit} requests a second",
                quota=Quota.REQUESTS_PER_SECOND,
                retry_after_seconds=1,
            )


@dataclass(slots=True)
class LimitUnknown:
    """Limits the reads of one process for one kind of credentials, where they find nothing.

    Reads that find something do not count, so valid credentials have no limit here. While the limit of a
    second is used up, they wait with the others for the next second.
    """

    clock: Clock
    _second: int = 0
    _count: int = 0

    def check(self) -> None:
        """Call it before the read; RateLimitedError where this second's reads are used up."""
        if self._count >= UNKNOWN_PER_SECOND and self._second == self.clock.now_ms() // SECOND_MS:
            raise RateLimitedError("too many requests with unknown credentials", retry_after_seconds=1)

    def note(self) -> None:
        """The read found nothing."""
        second = self.clock.now_ms() // SECOND_MS
        self._count = self._count + 1 if second == self._second else 1
        self._second = second
