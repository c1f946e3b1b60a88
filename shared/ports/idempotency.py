"""What each Idempotency-Key chose."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord:
    """What an Idempotency-Key chose, so that a replay files the very same job again."""

    fingerprint: bytes
    job_id: str
    created_at: int
    due_at: int
    expires_at: int


class IdempotencyStore(Protocol):
    """Records by tenant and key. Expiry is compared here, not left to the TTL sweep."""

    def find(self, tenant_id: str, key: str, now_ms: int) -> IdempotencyRecord | None:
        """The record in force, read strongly."""
        ...

    def claim(self, tenant_id: str, key: str, record: IdempotencyRecord, now_ms: int) -> IdempotencyRecord:
        """The record in force afterwards: the given one where none was, or only an expired one."""
        ...
