"""Use cases of the archive."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import HistorySettings

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.ports.executions import ExecutionStore
    from shared.usecases.archive.archive_unit import ArchiveUnitPass
    from shared.usecases.archive.count_jobs import CountJobs
    from shared.usecases.archive.forget_tenants import ForgetTenants
    from shared.usecases.archive.manifests import Manifests
    from shared.usecases.archive.merge_table import MergeTable
    from shared.usecases.archive.plan_units import PlanUnits
    from shared.usecases.archive.put_statistics import PutStatistics
    from shared.usecases.archive.read_busiest_jobs import ReadBusiestJobs
    from shared.usecases.archive.read_job_statistics import ReadJobStatistics
    from shared.usecases.archive.read_statistics import ReadStatistics
    from shared.usecases.archive.read_unit import ReadUnit
    from shared.usecases.archive.restore_history import RestoreHistory
    from shared.usecases.archive.run_archive import RunArchive
    from shared.usecases.archive.verify_hour import VerifyHour
    from shared.usecases.archive.verify_sample import VerifySample


@dataclass(frozen=True)
class ArchiveUseCases:
    """For functions with ArchiverSettings; the readers of statistics need HistorySettings alone."""

    core: CoreUseCases

    @cached_property
    def run(self) -> RunArchive:
        from shared.usecases.archive.run_archive import RunArchive

        ports = self.core.ports
        return RunArchive(
            plan=self._plan,
            units=ports.archive_units,
            history=ports.history,
            ledger=ports.ledger,
            scanned=self.core.scanned_shards,
            pass_unit=self.pass_unit,
            verify_hour=self._verify_hour,
            deletions=ports.tenant_deletions,
            forget=self._forget_tenants,
            verify_sample=self._verify_sample,
            count_jobs=self._count_jobs,
            clock=ports.clock,
        )

    @cached_property
    def pass_unit(self) -> ArchiveUnitPass:
        from shared.usecases.archive.archive_unit import ArchiveUnitPass

        ports = self.core.ports
        return ArchiveUnitPass(
            read=self._read_unit(),
            ledger=ports.ledger,
            units=ports.archive_units,
            late_puts=ports.late_puts,
            objects=ports.archive_objects,
            manifests=self._manifests,
            files=ports.archive_files,
            put_statistics=self._put_statistics,
            clock=ports.clock,
            cell=self.core.settings.region,
        )

    def merge_table(self, restored: ExecutionStore) -> MergeTable:
        """For the operators' command; `restored` is over a table that was restored from the executions table."""
        from shared.usecases.archive.merge_table import MergeTable

        ports = self.core.ports
        return MergeTable(
            units=ports.archive_units,
            late_puts=ports.late_puts,
            deletions=ports.tenant_deletions,
            scanned=self.core.scanned_shards,
            objects=ports.archive_objects,
            files=ports.archive_files,
            pass_unit=replace(self.pass_unit, read=self._read_unit(restored)),
            clock=ports.clock,
        )

    def _read_unit(self, restored: ExecutionStore | None = None) -> ReadUnit:
        from shared.usecases.archive.read_unit import ReadUnit

        ports = self.core.ports
        return ReadUnit(
            store=ports.executions,
            restored=restored,
            scanned=self.core.scanned_shards,
            read_tenant=self.core.read_tenant,
            vault=ports.vault,
            retention=self.core.settings.retention,
        )

    @cached_property
    def read_statistics(self) -> ReadStatistics:
        from shared.usecases.archive.count_ended import CountEnded
        from shared.usecases.archive.read_statistics import ReadStatistics

        ports = self.core.ports
        return ReadStatistics(
            history=ports.history,
            queries=ports.queries,
            count_ended=CountEnded(ports.executions),
            clock=ports.clock,
            archive_days=self._archive_days,
        )

    @cached_property
    def read_busiest_jobs(self) -> ReadBusiestJobs:
        from shared.usecases.archive.read_busiest_jobs import ReadBusiestJobs

        ports = self.core.ports
        return ReadBusiestJobs(history=ports.history, clock=ports.clock, archive_days=self._archive_days)

    @cached_property
    def read_job_statistics(self) -> ReadJobStatistics:
        from shared.usecases.archive.read_job_statistics import ReadJobStatistics
        from shared.usecases.listings.job_history import WalkHistory

        ports = self.core.ports
        return ReadJobStatistics(
            find=self.core.find_job,
            walk=WalkHistory(jobs=ports.jobs, clock=ports.clock),
            jobs=ports.jobs,
            store=ports.executions,
            clock=ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def restore(self) -> RestoreHistory:
        from shared.usecases.archive.restore_history import RestoreHistory

        return RestoreHistory(history=self.core.ports.history, rows=self.core.ports.tenant_rows)

    @property
    def _archive_days(self) -> int:
        return require(self.core.settings, HistorySettings).archive_days

    @cached_property
    def _put_statistics(self) -> PutStatistics:
        from shared.usecases.archive.put_statistics import PutStatistics

        ports = self.core.ports
        return PutStatistics(history=ports.history, spread=ports.spread, archive_days=self._archive_days)

    @cached_property
    def _plan(self) -> PlanUnits:
        from shared.usecases.archive.plan_units import PlanUnits

        ports = self.core.ports
        return PlanUnits(
            units=ports.archive_units,
            late_puts=ports.late_puts,
            ledger=ports.ledger,
            scanned=self.core.scanned_shards,
            clock=ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def _verify_hour(self) -> VerifyHour:
        from shared.usecases.archive.verify_hour import VerifyHour

        ports = self.core.ports
        return VerifyHour(
            manifests=self._manifests,
            counts=ports.index_counts,
            units=ports.archive_units,
            tenants=ports.tenants,
            late_puts=ports.late_puts,
            clock=ports.clock,
            spread=ports.spread,
            entropy=ports.entropy,
        )

    @cached_property
    def _manifests(self) -> Manifests:
        from shared.usecases.archive.manifests import Manifests

        return Manifests(objects=self.core.ports.archive_objects, cell=self.core.settings.region)

    @cached_property
    def _forget_tenants(self) -> ForgetTenants:
        from shared.usecases.archive.forget_tenants import ForgetTenants
        from shared.usecases.archive.rewrite_file import RewriteFile

        ports = self.core.ports
        return ForgetTenants(
            deletions=ports.tenant_deletions,
            history=ports.history,
            manifests=self._manifests,
            rewrite=RewriteFile(
                objects=ports.archive_objects,
                manifests=self._manifests,
                files=ports.archive_files,
                put_statistics=self._put_statistics,
                cell=self.core.settings.region,
            ),
            count_jobs=self._count_jobs,
            scanned=self.core.scanned_shards,
            clock=ports.clock,
            spread=ports.spread,
        )

    @cached_property
    def _count_jobs(self) -> CountJobs:
        from shared.usecases.archive.count_jobs import CountJobs

        ports = self.core.ports
        return CountJobs(
            objects=ports.archive_objects,
            files=ports.archive_files,
            history=ports.history,
            late_puts=ports.late_puts,
            scanned=self.core.scanned_shards,
            clock=ports.clock,
            spread=ports.spread,
            archive_days=self._archive_days,
            cell=self.core.settings.region,
        )

    @cached_property
    def _verify_sample(self) -> VerifySample:
        from shared.usecases.archive.verify_sample import VerifySample

        ports = self.core.ports
        return VerifySample(
            objects=ports.archive_objects,
            manifests=self._manifests,
            files=ports.archive_files,
            history=ports.history,
            units=ports.archive_units,
            deletions=ports.tenant_deletions,
            scanned=self.core.scanned_shards,
            clock=ports.clock,
            entropy=ports.entropy,
            archive_days=self._archive_days,
            cell=self.core.settings.region,
        )
