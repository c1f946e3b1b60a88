"""Use cases of the audit trail."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import ApiSettings, AuditorSettings

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.usecases.audit_trail.export_audit import ExportAudit
    from shared.usecases.audit_trail.read_records import ReadRecords
    from shared.usecases.audit_trail.verify_trail import VerifyTrail


@dataclass(frozen=True)
class AuditTrailUseCases:
    core: CoreUseCases

    @cached_property
    def export(self) -> ExportAudit:
        """For functions with AuditorSettings."""
        from shared.usecases.audit_trail.export_audit import ExportAudit

        ports = self.core.ports
        return ExportAudit(
            records=self._records,
            segments=ports.trail_segments,
            progress=ports.trail_progress,
            clock=ports.clock,
            lock_days=require(self.core.settings, AuditorSettings).audit_lock_days,
        )

    @cached_property
    def verify(self) -> VerifyTrail:
        """For the operators' command line."""
        from shared.usecases.audit_trail.verify_trail import VerifyTrail

        ports = self.core.ports
        return VerifyTrail(
            records=self._records,
            segments=ports.trail_segments,
            progress=ports.trail_progress,
            clock=ports.clock,
            retention_days=require(self.core.settings, ApiSettings).audit_retention_days,
        )

    @cached_property
    def _records(self) -> ReadRecords:
        from shared.usecases.audit_trail.read_records import ReadRecords

        return ReadRecords(self.core.ports.audit_log, self.core.ports.tenants)
