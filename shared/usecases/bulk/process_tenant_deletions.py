"""Delete what is stored of a tenant, page by page, and the tenant last."""

from collections import Counter
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import PunctualError, ServiceError
from shared.domain.tenancy.deletion import DeletionStep, TenantDeletion
from shared.domain.tenancy.tenant import MAX_INDEX_SHARDS
from shared.ports.runtime import Clock
from shared.ports.searches import SearchFiles
from shared.ports.tenancy import TenantDeletions, TenantRecords, TenantStore
from shared.usecases.bulk.lease_page import LEASE_MS
from shared.usecases.bulk.process_bulk_tasks import BulkReport, Rest, Step


@dataclass(frozen=True, slots=True)
class ProcessTenantDeletions:
    """The worker of deletions. A page that is repeated after a crash finds less to delete.

    A pass deletes all definitions and the files of searches, then all executions. Passes follow until one finds
    nothing, since an execution that was running may have left others behind.
    """

    deletions: TenantDeletions
    records: TenantRecords
    tenants: TenantStore
    search_files: SearchFiles | None
    """None in a stage without an archive."""
    clock: Clock

    def open(self) -> list[tuple[str, str]]:
        return [(tenant_id, tenant_id) for tenant_id in self.deletions.open()]

    def advance(self, tenant_id: str, _: str, report: BulkReport) -> Step:
        """Delete one page, or the tenant itself once a pass has found nothing."""
        deletion, now_ms = self.deletions.get(tenant_id), self.clock.now_ms()
        if deletion is None or deletion.ended_at is not None:
            return Rest.ENDED
        if now_ms < max(deletion.next_at, deletion.lease_until):
            return Rest.HELD
        leased = deletion.leased(now_ms, now_ms + LEASE_MS)
        if not self.deletions.replace(deletion, leased):
            return Rest.HELD
        try:
            return self._page(leased, report)
        except PunctualError:
            self._release(leased)
            raise

    def _page(self, leased: TenantDeletion, report: BulkReport) -> Step:
        # None where another worker has just deleted it, and where the deletion is repeated.
        tenant = self.tenants.get(leased.tenant_id)
        if tenant is None and leased.ended_before is None:
            return Rest.HELD
        deleted = self._deleted(leased, MAX_INDEX_SHARDS if tenant is None else tenant.index_shards)
        report.deleted += sum(deleted.values())
        now_ms = self.clock.now_ms()
        if leased.is_complete_after(deleted):
            own = {} if tenant is None else {"keys": len(tenant.key_ids), "tenants": 1}
            ended = leased.ended(own, now_ms)
            return self._ended(report) if self.deletions.finish(leased, ended, tenant) else Rest.HELD
        after = leased.after_page(deleted, now_ms)
        # The next pass is left to a later run: it begins in a quarter of an hour.
        is_next_page = self.deletions.replace(leased, after) and after.next_at <= now_ms
        return now_ms if is_next_page else Rest.HELD

    def _deleted(self, deletion: TenantDeletion, index_shards: int) -> dict[str, int]:
        tenant_id = deletion.tenant_id
        if deletion.step is DeletionStep.DEFINITIONS:
            files = self.search_files.delete_some(tenant_id) if self.search_files is not None else 0
            return dict(Counter(self.records.delete_definitions(tenant_id)) + Counter(files=files))
        return dict(self.records.delete_executions(tenant_id, index_shards))

    def _ended(self, report: BulkReport) -> Rest:
        report.ended += 1
        return Rest.ENDED

    def _release(self, leased: TenantDeletion) -> None:
        """End the lease early, if the store allows it; otherwise it expires."""
        try:
            self.deletions.replace(leased, replace(leased, lease_until=0, version=leased.version + 1))
        except ServiceError:
            return
