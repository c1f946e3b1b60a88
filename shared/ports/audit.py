"""The log of changes."""

from typing import Protocol

from shared.domain.audit import AuditPage, AuditRecord


class AuditLog(Protocol):
    """Append-only: what was written stays as it is until it expires."""

    def append(self, record: AuditRecord, expires_at_s: int) -> None:
        """Make it durable; UnavailableError where it may not be. To append the same record again changes nothing."""
        ...

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
        """Records of one tenant from `from_at` up to but without `until_at`, newest first."""
        ...
