"""Unseal the request of a job."""

from dataclasses import dataclass

from shared.domain.execution import Execution
from shared.domain.job import Job
from shared.domain.request import Request, decode_request
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
        job_id = owner.job_id if isinstance(owner, Execution) else owner.id
        sealed = owner.request
        if owner.payload_apart:
            sealed = self.jobs.get_payload(owner.tenant_id, owner.payload_apart)
        return decode_request(self.vault.unseal(tenant, job_id, sealed))
