"""The production ports of audit records: the API writes them, the auditor copies them, and operators verify them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.reports import reported_denials
from shared.bootstrap.settings import require
from shared.bootstrap.table_access import TableAccess
from shared.domain.errors import InvalidValueError
from shared.settings import AuditSettings

if TYPE_CHECKING:
    from shared.ports.audit_trail import TrailProgressStore, TrailSegments
    from shared.ports.tenancy import AuditLog


class AuditPorts(TableAccess):
    """A part of `DynamoPorts`."""

    @cached_property
    def audit_log(self) -> AuditLog:
        from shared.adapters.dynamodb.tenancy.audit_log import DynamoAuditLog

        return DynamoAuditLog(self._dynamodb, require(self._settings, AuditSettings).audit_table)

    @cached_property
    def trail_segments(self) -> TrailSegments:
        from shared.adapters.s3.object_store import LateS3Call
        from shared.adapters.s3.trail_segments import S3TrailSegments

        client = reported_denials(LateS3Call(self._region))
        return S3TrailSegments(client, self._audit_bucket, self._region)

    @cached_property
    def trail_progress(self) -> TrailProgressStore:
        from shared.adapters.dynamodb.tenancy.trail_progress import DynamoTrailProgress

        return DynamoTrailProgress(self._dynamodb, self._leases, self._region, self._audit_bucket)

    @property
    def _audit_bucket(self) -> str:
        """InvalidValueError for a stage without one."""
        bucket = require(self._settings, AuditSettings).audit_bucket
        if bucket is None:
            raise InvalidValueError("the stage keeps no audit trail: its audit_lock_days is 0")
        return bucket
