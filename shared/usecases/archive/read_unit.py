"""Read the executions of a unit that have ended, for the draft of its file."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.archive.row import ArchiveRow, row_of
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS, Retention
from shared.domain.ids import ExecutionId
from shared.ports.archive import ArchiveDraft
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.usecases.filing.scanned_shards import ScannedShards
from shared.usecases.tenancy.read_tenant import ReadTenant

PAGE_ROWS = 500


@dataclass(slots=True)
class UnitRows:
    """What was read of a unit so far."""

    unended: Counter[str] = field(default_factory=Counter)
    """Executions that have not ended, by tenant."""
    unended_tasks: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Those of them that are tasks, by tenant and workflow."""
    unreadable: list[str] = field(default_factory=list)
    lasting: Counter[str] = field(default_factory=Counter)
    """Rows whose records cannot expire within a day, by tenant."""
    restored: int = 0
    """Executions of the restored table that have ended, whether table and file have them or not."""
    unended_when_restored: int = 0
    """Executions that had not ended when the restored table was like this: it does not tell how they ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadUnit:
    store: ExecutionStore
    restored: ExecutionStore | None = None
    """A table that was restored from this one: its ended executions fill what table and file lack."""
    scanned: ScannedShards
    read_tenant: ReadTenant
    vault: Vault
    retention: Retention

    def execute(
        self, unit: ArchiveUnit, draft: ArchiveDraft, began_at: int, without: Collection[str]
    ) -> UnitRows:
        """Add each ended execution of the unit to the draft, but for those of the tenants `without`."""
        found, unended = UnitRows(), set[ExecutionId]()
        lasting_from = began_at - (self.retention.days - 1) * DAY_SECONDS * 1000
        for executions in self._pages(self.store, unit, found):
            page = [each for each in executions if each.tenant_id not in without]
            ended = [each for each in page if each.state.is_terminal]
            open_ones = [each for each in page if not each.state.is_terminal]
            found.unended.update(each.tenant_id for each in open_ones)
            found.unended_tasks.update((each.tenant_id, each.job_id) for each in open_ones if each.task)
            if self.restored is not None:
                unended.update(each.id for each in open_ones)
            rows = self._rows(ended)
            found.lasting.update(row.tenant for row in rows if _lasts(row, lasting_from))
            draft.add(rows)
        if self.restored is not None:
            for executions in self._pages(self.restored, unit, found):
                self._add_restored(executions, unended, draft, found, without)
        return found

    def _add_restored(
        self,
        executions: Sequence[Execution],
        unended: Collection[ExecutionId],
        draft: ArchiveDraft,
        found: UnitRows,
        without: Collection[str],
    ) -> None:
        """The present table knows better than the restored one: what has not ended there is not archived."""
        page = [each for each in executions if each.tenant_id not in without and each.id not in unended]
        ended = [each for each in page if each.state.is_terminal]
        found.restored += len(ended)
        found.unended_when_restored += len(page) - len(ended)
        draft.add_missing(self._rows(ended))

    def _pages(
        self, store: ExecutionStore, unit: ArchiveUnit, found: UnitRows
    ) -> Iterator[tuple[Execution, ...]]:
        for bucket, shard in unit.shards(self.scanned.scan_plan()):
            after: str | None = None
            while True:
                page = store.read_shard(bucket, shard, after=after, limit=PAGE_ROWS)
                found.unreadable += [f"{bucket}#{shard}/{sort_key}" for sort_key in page.unreadable]
                if page.executions:
                    yield page.executions
                after = page.next_after
                if after is None:
                    break

    def _rows(self, ended: Sequence[Execution]) -> list[ArchiveRow]:
        return [row_of(each, self._sealed_body(each)) for each in ended]

    def _sealed_body(self, execution: Execution) -> bytes | None:
        """Sealed, so that the body is unreadable once the data key of its tenant is deleted."""
        body = execution.progress.last_body
        tenant = self.read_tenant.execute(execution.tenant_id) if body else None
        if tenant is None:
            return None
        try:
            return self.vault.seal(tenant, str(execution.id), body)
        except UnreadableItemError:
            return None


def _lasts(row: ArchiveRow, lasting_from: int) -> bool:
    """Whether the record cannot expire within a day: it ended with an attempt, whose end is known."""
    return row.ended_at is not None and row.ended_at >= lasting_from
