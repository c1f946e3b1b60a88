"""What the audit trail has of the records of a run, and what the operators' verification says of it."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from infra.local.clients import REGION
from shared.adapters.clock import SystemEntropy, pause
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.tenancy.audit_log import DynamoAuditLog
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.adapters.dynamodb.tenancy.trail_progress import DynamoTrailProgress
from shared.adapters.s3.trail_segments import S3TrailSegments
from shared.domain.audit_trail.progress import HOUR_MS, TrailProgress
from shared.domain.audit_trail.segment import Period, read_segment
from shared.names import Env
from shared.usecases.audit_trail.read_records import ReadRecords
from shared.usecases.audit_trail.verify_trail import VerifyTrail
from tests.crashes.deployment import Deployment

_GAP = " has an unrecorded change "


class ExportedRecords:
    """The hours that a run expects in the trail; none unless it asks for one. The trail has those of all runs."""

    def __init__(self, deployment: Deployment) -> None:
        self._clock: Any = deployment.engines.clock
        dynamodb, bucket = (
            deployment.engines.store.client("dynamodb"),
            deployment.environment[Env.AUDIT_BUCKET],
        )
        tables = deployment.tables
        self._records = ReadRecords(
            DynamoAuditLog(dynamodb, tables.audit),
            DynamoTenantStore(dynamodb, tables.tenants, Backoff(pause, SystemEntropy())),
        )
        self._segments = S3TrailSegments(deployment.engines.others.client("s3"), bucket, REGION)
        self._progress = DynamoTrailProgress(dynamodb, tables.leases, REGION, bucket)
        self.forget()

    def forget(self) -> None:
        """A new run."""
        self._from_at = self._until_at = 0

    def expect_present_hour(self) -> None:
        self._from_at = self._clock.now_ms()
        self._until_at = (self._clock.now_ms() // HOUR_MS + 1) * HOUR_MS

    def are_exported(self) -> bool:
        return (self._progress.load() or TrailProgress()).through_at >= self._until_at

    def faults(self) -> list[str]:
        """Nothing for a run that expects no hour."""
        if not self._until_at:
            return []
        verify = VerifyTrail(
            records=self._records,
            segments=self._segments,
            progress=self._progress,
            clock=self._clock,
            retention_days=400,
        )
        now_ms = self._clock.now_ms()
        # Other runs kill the API between a change of a job and its record: only gaps of this run are faults.
        found = [each for each in verify.execute(0, now_ms).findings if _GAP not in each]
        found += [each for each in verify.execute(self._from_at, now_ms).findings if _GAP in each]
        written = [each.id for each in self._records.execute(Period(from_at=0, until_at=self._until_at))]
        exported = [
            record.id
            for version in self._segments.stored()
            if (stored := self._segments.read(version)) is not None
            for record in read_segment(stored.content).records
        ]
        return [*(f"audit trail: {finding}" for finding in found), *trail_faults(written, exported)]


def trail_faults(written: Iterable[str], exported: Iterable[str]) -> list[str]:
    """Each record is in the segments once."""
    times = Counter(exported)
    faults = [f"audit trail: {each} is in no segment" for each in written if not times[each]]
    return faults + [f"audit trail: {each} is in {n} segments" for each, n in times.items() if n > 1]
