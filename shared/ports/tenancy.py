"""Tenants and API keys.
What of a tenant's budgets is taken, and how many recurring jobs it has.
The log of changes."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from shared.domain.tenancy.audit import AuditPage, AuditRecord
from shared.domain.tenancy.budget import BudgetKey, TokenLease
from shared.domain.tenancy.tenant import ApiKey, Tenant


class TenantStore(Protocol):
    """Tenants and API keys. Everything is read strongly."""

    def get(self, tenant_id: str) -> Tenant | None:
        """Read a tenant; UnreadableItemError where the item is of an unknown version or broken."""
        ...

    def get_key(self, key_id: str) -> ApiKey | None:
        """Read a key; raises as `get` does."""
        ...

    def get_keys(self, key_ids: Sequence[str]) -> list[ApiKey]:
        """Read many keys, in the order that is asked for; those that do not exist are left out."""
        ...

    def create(self, tenant: Tenant, key: ApiKey) -> bool:
        """Write a tenant with its first key; False where the tenant exists."""
        ...

    def replace(
        self,
        before: Tenant,
        after: Tenant,
        *,
        new_key: ApiKey | None = None,
        changed_key: ApiKey | None = None,
    ) -> bool:
        """Put `after` in the place of `before`, with a new key and another one's end, in one transaction.

        False where the tenant is at another revision than `before`, and then nothing is written. Of `changed_key`
        its end alone is written: `expires_at` and `revoked`.
        """
        ...

    def ids(self, *, after: str | None, limit: int) -> list[str]:
        """The ids of all tenants, in their order, behind `after`."""
        ...

    def note_use(self, key_id: str, used_at: int, unless_since: int) -> None:
        """Remember that a key was used, unless a use at or after `unless_since` is on record."""
        ...


class BudgetStore(Protocol):
    """Counters that many processes draw from at once."""

    def take(
        self, key: BudgetKey, portions: Sequence[TokenLease], expires_at_s: int
    ) -> Mapping[int, int] | None:
        """Take all portions, or none of them.

        None when they were taken; otherwise what is taken of each slot by everybody, which was too much for at
        least one of them. UnavailableError where the answer was lost: the portions may be taken then.
        """
        ...

    def taken(self, key: BudgetKey) -> Mapping[int, int]:
        """What is taken of each slot, read strongly."""
        ...


class RecurringJobs(Protocol):
    """How many there are."""

    def count(self, tenant_id: str, at_most: int) -> int:
        """The tenant's recurring jobs that have not ended, read strongly; counting stops at `at_most`."""
        ...


class AuditLog(Protocol):
    """Append-only: what was written stays as it is until it expires."""

    def append(self, record: AuditRecord, expires_at_s: int) -> None:
        """Make it durable; UnavailableError where it may not be. To append the same record again changes nothing."""
        ...

    def page(
        self,
        tenant_id: str,
        *,
        from_at: int,
        until_at: int,
        target: str | None = None,
        limit: int,
        after: str | None = None,
    ) -> AuditPage:
        """Records of one tenant from `from_at` up to but without `until_at`, newest first."""
        ...
