"""Delete tenants again whose deletion a restore of tables has undone.

Two records outlive a restore. The record of a deletion that ended is in the table `tenants`: if this table stays, the
rows of such a tenant are back without it. The audit log has the request for each deletion: if `tenants` was restored
too, the tenant itself is back, with its keys, and nothing else knows of the request.
"""

from collections.abc import Iterator
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, UnavailableError
from shared.domain.tenancy.audit import AuditRecord
from shared.domain.tenancy.deletion import TenantDeletion
from shared.domain.tenancy.forgetting import RESTORABLE_MS
from shared.domain.tenancy.tenant import RESERVED_IDS, Tenant, TenantState
from shared.ports.runtime import Clock
from shared.ports.tenancy import AuditLog, TenantDeletions, TenantStore
from shared.usecases.tenancy.delete_tenant import DeleteTenant
from shared.usecases.tenancy.manage_tenants import CONFLICT, ChangeTenant, TenantChange

SLACK_MS = 3_600_000
"""By how much the clock of a machine that asked for a deletion may have been behind that of the tables."""
DELETE_TENANT = "deleteTenant"
"""The operation of the audit record that a request for a deletion leaves, by the API and by the command."""
PAGE = 100
SUSPENDED = TenantChange(state=TenantState.SUSPENDED)


class RepeatStep(StrEnum):
    """What a run does, or a dry run would do, for one tenant."""

    SUSPENDS = "suspends"
    """The tenant is back and active. Another run deletes it, once its suspension has taken effect."""
    WAITS = "waits"
    """Its suspension, or the end of one, has not taken effect."""
    DELETES = "deletes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A tenant whose deletion is repeated."""

    tenant_id: str
    step: RepeatStep
    asked_at: int
    """The first request for the deletion."""
    effective_at: int | None = None
    """From when on another run can go on."""
    before: Tenant | TenantDeletion
    after: Tenant | TenantDeletion | None = None
    """What the run has written; None in a dry run, and where it waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatDeletions:
    """Each tenant is written in one transaction, and a run finds what the one before has left: runs may crash, overlap
    and be repeated. A tenant of the same id that was created after the request is another one, and stays.

    Every tenant has to be read: a restored table of tenants knows nothing of the requests after it, and the audit log
    has a partition for each tenant. That is a command after a restore, and no tick.
    """

    tenants: TenantStore
    deletions: TenantDeletions
    log: AuditLog
    change: ChangeTenant
    delete: DeleteTenant
    clock: Clock

    def execute(self, from_at: int, until_at: int, asked_by: str, *, dry_run: bool) -> Iterator[Repeat]:
        """The tables were restored to `from_at`, and in use from `until_at` on.

        A deletion that ended between the two is undone. InvalidValueError for an interval that no restore has.
        """
        now_ms = self.clock.now_ms()
        if not now_ms - RESTORABLE_MS <= from_at < until_at <= now_ms:
            raise InvalidValueError(
                "--from is the instant of the restore, at most 36 days ago, and --to a later one that has passed"
            )
        return self._repeats(from_at, until_at, asked_by, dry_run)

    def _repeats(self, from_at: int, until_at: int, asked_by: str, dry_run: bool) -> Iterator[Repeat]:
        for tenant_id in self.deletions.ended_between(from_at, until_at):
            deletion = self.deletions.get(tenant_id)
            # Without an end, or with a later one, it is repeated already.
            if deletion is not None and deletion.ended_at is not None and deletion.ended_at < until_at:
                yield self._again(deletion, dry_run)
        for tenant_id in self._tenant_ids():
            if tenant_id in RESERVED_IDS or (tenant := self.tenants.get(tenant_id)) is None:
                continue
            request = next(self._requests(tenant, from_at - SLACK_MS), None)
            if request is not None:
                yield self._delete(tenant, request.at, asked_by, dry_run)

    def _tenant_ids(self) -> Iterator[str]:
        after = None
        while found := self.tenants.ids(after=after, limit=PAGE):
            yield from found
            after = found[-1]

    def _requests(self, tenant: Tenant, from_at: int) -> Iterator[AuditRecord]:
        """The requests to delete a tenant of whose deletion the tables know nothing; the latest first."""
        if tenant.is_being_deleted:
            return
        after = None
        while True:
            page = self.log.page(
                tenant.id,
                from_at=max(from_at, tenant.created_at),
                until_at=self.clock.now_ms(),
                target=tenant.id,
                limit=PAGE,
                after=after,
            )
            yield from (each for each in page.records if each.operation == DELETE_TENANT)
            if page.next_after is None:
                return
            after = page.next_after

    def _again(self, deletion: TenantDeletion, dry_run: bool) -> Repeat:
        """The rows of a tenant are back, and the tenant is not."""
        after = None if dry_run else deletion.repeated(self.clock.now_ms())
        if after is not None and not self.deletions.repeat(deletion, after):
            raise UnavailableError(CONFLICT)
        return Repeat(
            tenant_id=deletion.tenant_id,
            step=RepeatStep.DELETES,
            asked_at=deletion.asked_at,
            before=deletion,
            after=after,
        )

    def _delete(self, tenant: Tenant, asked_at: int, asked_by: str, dry_run: bool) -> Repeat:
        """The tenant is back, with its rows and its keys: the usual deletion, after the usual suspension."""
        now_ms = self.clock.now_ms()
        step = _step(tenant, now_ms)
        effective_at = tenant.effective_at if step is RepeatStep.WAITS else None
        after: Tenant | TenantDeletion | None = None
        if step is RepeatStep.SUSPENDS and not dry_run:
            _, after = self.change.execute(tenant.id, SUSPENDED)
            effective_at = self.change.effective_at(after)
        elif step is RepeatStep.DELETES and not dry_run:
            after = self.delete.execute(tenant.id, asked_by)
        return Repeat(
            tenant_id=tenant.id,
            step=step,
            asked_at=asked_at,
            effective_at=effective_at,
            before=tenant,
            after=after,
        )


def _step(tenant: Tenant, now_ms: int) -> RepeatStep:
    """The next step towards the deletion of a tenant that is back."""
    latest = tenant.suspensions[-1] if tenant.suspensions else None
    if latest is None or latest.is_over(now_ms):
        return RepeatStep.SUSPENDS
    is_effective = latest.until_at is None and latest.from_at <= now_ms
    return RepeatStep.DELETES if is_effective else RepeatStep.WAITS
