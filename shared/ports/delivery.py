"""The calls.
Encryption of what clients entrust."""

from typing import Protocol

from shared.domain.delivery.callback import Callback, CallbackResponse
from shared.domain.tenancy.tenant import Tenant


class Sender(Protocol):
    """Makes the calls."""

    async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
        """One attempt, within the deadline in total; every failure is an answer, nothing is raised."""
        ...


class Vault(Protocol):
    """Envelope encryption: a data key for each tenant, wrapped by the deployment's key."""

    def new_data_key(self, tenant_id: str) -> bytes:
        """A fresh data key, wrapped."""
        ...

    def seal(self, tenant: Tenant, context: str, plain: bytes) -> bytes:
        """Encrypt for a tenant, bound to a context such as the job id."""
        ...

    def unseal(self, tenant: Tenant, context: str, sealed: bytes) -> bytes:
        """Decrypt; UnreadableItemError for anything that was not sealed for this tenant and context."""
        ...

    def fingerprint(self, tenant: Tenant, data: bytes) -> bytes:
        """16 bytes that tell requests apart and say nothing of them without the tenant's key."""
        ...

    def code(self, tenant: Tenant, context: str, data: bytes) -> bytes:
        """32 bytes that only the tenant's key makes of this data in this context: proof of who issued it."""
        ...
