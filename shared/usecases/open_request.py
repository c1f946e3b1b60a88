"""Unseal the request of a job."""

from dataclasses import dataclass

from shared.domain.execution import Execution
from shared.domain.job import Job
from shared.domain.request import Request, decode_request, payload_id
from shared.domain.tenant import Tenant
from shared.ports.jobs import JobStore
from shared.ports.vault import Vault


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Requests lie sealed in the item, or apart where they are large."""

    jobs: JobStore
    vault: Vault

    def __call__(self, tenant: Tenant, owner: Execution | Job) -> Request:
        """The request; UnreadableItemError where it cannot be had, UnavailableError for now."""
        job_id, revision = _written_by(owner)
        sealed = owner.request
        if owner.payload_apart:
            sealed = self.jobs.get_payload(owner.tenant_id, payload_id(job_id, revision))
        return decode_request(self.vault.unseal(tenant, job_id, sealed))


def _written_by(owner: Execution | Job) -> tuple[str, int]:
    """Job and revision that the request belongs to."""
    if isinstance(owner, Execution):
        return owner.job_id, owner.revision
    return owner.id, owner.chain_revision
