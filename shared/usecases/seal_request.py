"""Seal a request, and store it apart where it is too large for the items that use it."""

from shared.domain.request import INLINE_BYTES, Request, encode_request
from shared.domain.tenant import Tenant
from shared.ports.jobs import JobStore
from shared.ports.vault import Vault


def seal_request(
    jobs: JobStore, vault: Vault, tenant: Tenant, job_id: str, request: Request, *, apart: str
) -> tuple[bytes, str | None]:
    """The sealed request for a job; or nothing, and the name `apart` under which it is durable now."""
    sealed = vault.seal(tenant, job_id, encode_request(request))
    if len(sealed) <= INLINE_BYTES:
        return sealed, None
    jobs.put_payload(tenant.id, apart, sealed)
    return b"", apart
