"""Unseal the request of an execution or a job."""

from shared.dataclass import dataclass
from shared.domain.delivery.outcome_callbacks import OUTCOME_CONTEXT
from shared.domain.delivery.request import Request, decode_request
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.notification import notification_request
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Reads a request from the item or, if large, from its payload item. Requests of notifications are
    rebuilt."""

    jobs: JobStore
    vault: Vault
    store: ExecutionStore

    def execute(self, tenant: Tenant, owner: Execution | Job, apart: bytes | None = None) -> Request:
        """The request; `apart` is its sealed form, if it stands apart and was read before.

        UnreadableItemError if it is lost for good, UnavailableError if it cannot be read for now.
        """
        if isinstance(owner, Execution) and owner.notification_of is not None:
            return self._notification(tenant, owner.call.request, owner.notification_of)
        job_id = owner.job_id if isinstance(owner, Execution) else owner.id
        sealed = apart or owner.call.request
        if owner.call.payload_id and not apart:
            sealed = self.jobs.get_payload(owner.tenant_id, owner.call.payload_id)
        return decode_request(self.vault.unseal(tenant, job_id, sealed))

    def _notification(self, tenant: Tenant, sealed_url: bytes, ended_id: ExecutionId) -> Request:
        """Rebuild the request from the stored URL and the ended execution, which never changes and outlives
        the notification."""
        url = self.vault.unseal(tenant, OUTCOME_CONTEXT, sealed_url).decode()
        ended = self.store.get(ended_id)
        if ended is None:
            raise UnreadableItemError("the execution that it tells of is not kept any more")
        return notification_request(url, ended)
