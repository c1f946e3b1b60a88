"""Definitions of recurring jobs, and the transactions that touch a definition and an execution at once."""

from typing import Protocol

from shared.domain.execution import Execution
from shared.domain.job import Job


class JobStore(Protocol):
    """Definitions of recurring jobs, and the transactions that touch a definition and an execution at once."""

    def create(self, job: Job, first: Execution) -> Job | None:
        """Write definition and first execution together; None when written, else the definition that stands there."""
        ...

    def get(self, tenant_id: str, job_id: str) -> Job | None:
        """Read one definition, strongly."""
        ...

    def jump(self, skipped: Execution, target: Execution, expires_at_s: int) -> bool:
        """File `target`, passing over the instants that `skipped` records, if the job is active at their revision.

        One transaction: the skip record at the immediate successor's key, the target, and the job's `chain_from`.
        False where the job is not active at that revision or the immediate successor was already filed.
        """
        ...

    def active(self, *, after: str | None, limit: int) -> tuple[list[Job], str | None]:
        """A page of the definitions of all tenants that are ACTIVE, in no order; the text leads to the next page.

        A page may be empty though there is a next one. Definitions that cannot be read are left out.
        """
        ...

    def file_if_active(self, execution: Execution) -> bool:
        """File an execution if its key is free and its job is active at its revision, in one transaction."""
        ...

    def begin_delete(self, tenant_id: str, job_id: str) -> Job | None:
        """ACTIVE → DELETING; the definition as it stands afterwards (DELETING or DELETED), None where there is none."""
        ...

    def end_delete(self, job: Job, expires_at_s: int) -> None:
        """DELETING → DELETED."""
        ...

    def put_payload(self, tenant_id: str, job_id: str, sealed: bytes) -> None:
        """Store a sealed request that is too large for the execution item; written before the item that names it."""
        ...

    def get_payload(self, tenant_id: str, job_id: str) -> bytes:
        """Read it back; UnreadableItemError where it is missing."""
        ...

    def expire_payload(self, tenant_id: str, job_id: str, expires_at_s: int) -> None:
        """Let it go with the record that used it."""
        ...
