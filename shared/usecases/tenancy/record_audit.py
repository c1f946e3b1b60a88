"""Record a change that took effect, before it is acknowledged."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from shared.dataclass import dataclass
from shared.domain.errors import ServiceError, UnavailableError
from shared.domain.executions.retention import DAY_SECONDS
from shared.domain.tenancy.audit import RECORD_ID_BITS, Actor, AuditRecord, digest, new_record_id
from shared.ports.runtime import Clock, Entropy
from shared.ports.tenancy import AuditLog


class UnrecordedChangeError(UnavailableError):
    """A change took effect, and its record may not be durable. The caller logs the evidence."""

    def __init__(self, record: AuditRecord) -> None:
        super().__init__("change made but not recorded")
        self.evidence: dict[str, Any] = {
            "tenant": record.tenant_id,
            "operation": record.operation,
            "target": record.target,
            "before": record.before,
            "after": record.after,
            "request_id": record.request_id,
            "actor": asdict(record.actor),
        }


@dataclass(frozen=True, slots=True)
class RecordAudit:
    """One record for each change. A change without a durable record is not acknowledged."""

    log: AuditLog
    clock: Clock
    entropy: Entropy
    retention_days: int

    def execute(
        self,
        actor: Actor,
        tenant_id: str,
        *,
        operation: str,
        target: str,
        before: Mapping[str, Any] | None,
        after: Mapping[str, Any] | None,
        request_id: str,
    ) -> AuditRecord:
        """UnrecordedChangeError. Of the JSON documents `before` and `after` only digests are kept."""
        now_ms = self.clock.now_ms()
        record = AuditRecord(
            id=new_record_id(self.entropy.bits(RECORD_ID_BITS)),
            tenant_id=tenant_id,
            at=now_ms,
            actor=actor,
            operation=operation,
            target=target,
            before=None if before is None else digest(before),
            after=None if after is None else digest(after),
            request_id=request_id,
        )
        try:
            self.log.append(record, now_ms // 1000 + self.retention_days * DAY_SECONDS)
        except ServiceError as error:
            raise UnrecordedChangeError(record) from error
        return record
