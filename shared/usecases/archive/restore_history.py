"""Copy the archived executions of a tenant out of the archive. Nothing is written to the tables."""

from collections.abc import Callable

from shared.dataclass import dataclass
from shared.domain.archive.row import ArchiveRow
from shared.domain.archive.unit import hour_of
from shared.ports.archive_reading import TenantRows
from shared.ports.history import HistoryStore


@dataclass(slots=True)
class RestoreReport:
    files: int = 0
    rows: int = 0
    missing: int = 0
    """Executions that the statistics count, and no file has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreHistory:
    """One row is in memory at a time, and one file on the disk."""

    history: HistoryStore
    rows: TenantRows

    def execute(
        self, tenant_id: str, from_at: int, until_at: int, write: Callable[[ArchiveRow], object]
    ) -> RestoreReport:
        """Write each row that is due in [from_at, until_at), hour by hour. UnavailableError."""
        report = RestoreReport()
        for sums in self.history.hours(tenant_id, hour_of(from_at), hour_of(until_at - 1) + 1):
            counted = 0
            for row in self.rows.of_unit(tenant_id, sums.unit):
                counted += 1
                if from_at <= row.due_at < until_at:
                    write(row)
                    report.rows += 1
            report.files += counted > 0
            report.missing += max(0, sums.sums.rows - counted)
        return report
