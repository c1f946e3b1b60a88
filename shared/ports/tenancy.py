"""Tenants, API keys, token buckets, counts of recurring jobs, and the audit log."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from shared.domain.tenancy.audit import AuditPage, AuditRecord
from shared.domain.tenancy.budget import BudgetKey, TokenLease
from shared.domain.tenancy.deletion import TenantDeletion
from shared.domain.tenancy.tenant import ApiKey, Tenant


class TenantStore(Protocol):
    """Tenants and API keys. All reads but those of weights are strongly consistent."""

    def get(self, tenant_id: str) -> Tenant | None:
        """UnreadableItemError for an item of an unknown version, or a broken one."""
        ...

    def weights(self, tenant_ids: Sequence[str]) -> Mapping[str, int]:
        """The weights of at most 100 distinct tenants, eventually consistent, without unknown tenants."""
        ...

    def get_key(self, key_id: str) -> ApiKey | None: ...

    def get_keys(self, key_ids: Sequence[str]) -> list[ApiKey]:
        """Many keys, in the order of `key_ids`, without the ones that do not exist."""
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
        """Replace `before` by `after`, with a new key and a changed key, in one transaction.

        False, and nothing is written, where the tenant's revision is not that of `before`. Of `changed_key`
        only `expires_at` and `revoked` are written.
        """
        ...

    def ids(self, *, after: str | None, limit: int) -> list[str]:
        """At most `limit` ids of tenants after `after`, in order; fewer at the end of the list alone.

        `limit` is at most 1,000.
        """
        ...

    def note_use(self, key_id: str, used_at: int, unless_since: int) -> None:
        """Record the use of a key, unless a use at or after `unless_since` is recorded."""
        ...


class TenantDeletions(Protocol):
    """Deletions of tenants. All reads are strongly consistent."""

    def begin(self, before: Tenant, after: Tenant, deletion: TenantDeletion) -> bool:
        """Write the tenant, the record and its entry in the list of open deletions, in one transaction; False where
        the tenant's revision is not that of `before`, or a record exists."""
        ...

    def get(self, tenant_id: str) -> TenantDeletion | None:
        """UnreadableItemError for an item of an unknown version, or a broken one."""
        ...

    def open(self) -> list[str]:
        """The tenants whose deletions have not ended."""
        ...

    def replace(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        """False where the version is not that of `before`."""
        ...

    def finish(self, before: TenantDeletion, ended: TenantDeletion, tenant: Tenant | None) -> bool:
        """Write the final record, and delete the tenant and its keys, in one transaction; False where the version or
        the tenant's revision has changed. The id of the tenant stays taken, and the archive still has the tenant.

        A deletion that is repeated has no tenant any more.
        """
        ...

    def repeat(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        """Write the record and its entry in the list of open deletions, in one transaction; False where the version
        is not that of `before`. The tenant stays in the lists of the archive."""
        ...

    def ended_between(self, from_at: int, until_at: int) -> list[str]:
        """The tenants whose deletions ended in [from_at, until_at), in the order of their ends, as long as the archive
        may have them, and for RESTORABLE_MS after that. A deletion that has been repeated since is among them."""
        ...

    def forgetting(self) -> list[str]:
        """The deleted tenants that the archive may still have, in the order in which their deletions ended."""
        ...

    def end_forgetting(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        """Write the record, and move the tenant from that list to the list of `forgotten`, in one transaction; False
        where the version has changed."""
        ...

    def forgotten(self) -> list[str]:
        """The deleted tenants that the archive has no more, for RESTORABLE_MS at least, in the same order."""
        ...


class TenantRecords(Protocol):
    """The rows of a tenant that is being deleted. Each call deletes one page, and is safe to repeat."""

    def delete_definitions(self, tenant_id: str) -> Mapping[str, int]:
        """Delete definitions and what is stored beside them; the numbers by kind, empty if there is nothing."""
        ...

    def delete_executions(self, tenant_id: str, index_shards: int) -> Mapping[str, int]:
        """The same for executions and their large requests, as far as the index by tenant knows them."""
        ...


class BudgetStore(Protocol):
    """The shared counters of token buckets, from which processes lease tokens."""

    def take(
        self, key: BudgetKey, leases: Sequence[TokenLease], expires_at_s: int
    ) -> Mapping[int, int] | None:
        """Grant all leases or none, in one conditional write.

        None if granted; otherwise the leased tokens of each slot, too many for at least one lease.
        UnavailableError where the response was lost: the leases may have been granted.
        """
        ...

    def usage(self, key: BudgetKey) -> Mapping[int, int]:
        """The leased tokens of each slot, strongly consistent."""
        ...


class RecurringJobs(Protocol):
    def count(self, tenant_id: str, at_most: int) -> int:
        """Recurring jobs that have not ended; counting stops at `at_most`. Eventually consistent: a job of the
        last second may be missing."""
        ...


class AuditLog(Protocol):
    """Append-only: a record never changes until it expires."""

    def append(self, record: AuditRecord, expires_at_s: int) -> None:
        """Write a record; UnavailableError where it may not be durable. Idempotent for the same record."""
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
        """Records of one tenant in [from_at, until_at), newest first."""
        ...
