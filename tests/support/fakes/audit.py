"""The audit log in memory."""

from shared.adapters.dynamodb.codec.keys import audit_key
from shared.domain.tenancy.audit import AuditPage, AuditRecord


class FakeAuditLog:
    """Append-only."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], AuditRecord] = {}
        self.expiries: dict[str, int] = {}

    def append(self, record: AuditRecord, expires_at_s: int) -> None:
        key = audit_key(record.tenant_id, record.at, record.id)
        if key not in self.records:
            self.records[key] = record
            self.expiries[record.id] = expires_at_s

    def page(
        self,
        tenant_id: str,
        *,
        from_at: int,
        until_at: int,
        target: str | None = None,
        limit: int,
        after: str | None = None,
    ) -> AuditPage:
        found = [
            (sk, record)
            for (pk, sk), record in sorted(self.records.items(), reverse=True)
            if pk == tenant_id
            and from_at <= record.at < until_at
            and (target is None or record.target == target)
            and (after is None or sk < after)
        ]
        page = found[:limit]
        more = len(found) > limit
        return AuditPage(
            records=tuple(record for _, record in page), next_after=page[-1][0] if more else None
        )

    def of(self, tenant_id: str) -> list[AuditRecord]:
        """All records of a tenant, oldest first."""
        return [record for (pk, _), record in sorted(self.records.items()) if pk == tenant_id]
