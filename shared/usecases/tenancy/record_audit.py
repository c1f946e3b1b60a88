"""Record a change that took effect in the audit log, before the API acknowledges it."""

from dataclasses import dataclass

from shared.domain.executions.retention import DAY_SECONDS
from shared.domain.tenancy.audit import RECORD_ID_BITS, Actor, AuditRecord, new_record_id
from shared.ports.runtime import Clock, Entropy
from shared.ports.tenancy import AuditLog


@dataclass(frozen=True, slots=True)
class RecordAudit:
    """One record a change. Without a record the change is not acknowledged, and the client tries again."""

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
        before: str | None,
        after: str | None,
        request_id: str,
    ) -> AuditRecord:
        """The durable record; UnavailableError where it may not have been written."""
        now_ms = self.clock.now_ms()
        record = AuditRecord(
            id=new_record_id(self.entropy.bits(RECORD_ID_BITS)),
            tenant_id=tenant_id,
            at=now_ms,
            actor=actor,
            operation=operation,
            target=target,
            before=before,
            after=after,
            request_id=request_id,
        )
        self.log.append(record, now_ms // 1000 + self.retention_days * DAY_SECONDS)
        return record
