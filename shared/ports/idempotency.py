"""What each Idempotency-Key chose."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The identity that was chosen for a job, and when it is first due."""

    job_id: str
    due_at: int


@dataclass(frozen=True, slots=True)
class OverQuota:
    """In the place of an identity: the quota that was used up."""

    quota: str


Choice = Chosen | OverQuota | None
"""What became of one job of a batch; None where it broke a rule, which it will break again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord:
    """What an Idempotency-Key chose, so that a replay files the very same job again, or the very same batch."""

    fingerprint: bytes
    job_id: str
    created_at: int
    due_at: int
    expires_at: int
    batch: tuple[Choice, ...] = ()
    """One for each job of a batch, in order; `job_id` is then empty."""


class IdempotencyStore(Protocol):
    """Records by tenant and key. Expiry is compared here, not left to the TTL sweep."""

    def find(self, tenant_id: str, key: str, now_ms: int) -> IdempotencyRecord | None:
        """The record in force, read strongly."""
        ...

    def claim(self, tenant_id: str, key: str, record: IdempotencyRecord, now_ms: int) -> IdempotencyRecord:
        """The record in force afterwards: the given one where none was, or only an expired one."""
        ...
