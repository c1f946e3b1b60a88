"""Idempotency records in memory."""

from shared.ports.jobs import IdempotencyRecord


class FakeIdempotencyStore:
    """The first unexpired record wins."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], IdempotencyRecord] = {}

    def find(self, tenant_id: str, key: str, now_ms: int) -> IdempotencyRecord | None:
        record = self.records.get((tenant_id, key))
        return record if record is not None and record.expires_at > now_ms else None

    def claim(self, tenant_id: str, key: str, record: IdempotencyRecord, now_ms: int) -> IdempotencyRecord:
        standing = self.find(tenant_id, key, now_ms)
        if standing is not None:
            return standing
        self.records[tenant_id, key] = record
        return record
