"""Seal a request, store it separately if it is too large for an item, and compute its destination."""

from dataclasses import replace

from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.destination import DESTINATION_CONTEXT, destination_id, origin_of
from shared.domain.delivery.outcome_callbacks import (
    NO_CALLBACK,
    NO_TARGET,
    OUTCOME_CONTEXT,
    CallbackTarget,
    OutcomeCallbacks,
)
from shared.domain.delivery.request import INLINE_BYTES, Request, encode_request
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.jobs import JobStore


def seal_request(
    jobs: JobStore,
    vault: Vault,
    tenant: Tenant,
    job_id: str,
    request: Request,
    *,
    call: CallSpec,
    payload_id: str,
    now_ms: int,
    expires_at_s: int | None = None,
) -> CallSpec:
    """`call` with the sealed request; a large request is stored first, under `payload_id`.

    `expires_at_s` is the expiry of a one-off's large request, which nothing has to set later. That of a
    definition has none until the definition names it no more.
    """
    sealed = vault.seal(tenant, job_id, encode_request(request))
    is_small = len(sealed) <= INLINE_BYTES
    if not is_small:
        jobs.put_payload(tenant.id, payload_id, sealed, stored_at=now_ms, expires_at_s=expires_at_s)
    return replace(
        call,
        request=sealed if is_small else b"",
        payload_id=None if is_small else payload_id,
        destination=_destination(vault, tenant, request.url),
        callbacks=OutcomeCallbacks(
            on_success=seal_callback_target(vault, tenant, request.on_success),
            on_failure=seal_callback_target(vault, tenant, request.on_failure),
        ),
    )


def seal_callback_target(vault: Vault, tenant: Tenant, url: str | None) -> CallbackTarget | None:
    """The sealed target of an outcome callback; `NO_TARGET` if disabled, None if not set."""
    if url is None or url == NO_CALLBACK:
        return None if url is None else NO_TARGET
    sealed = vault.seal(tenant, OUTCOME_CONTEXT, url.encode())
    return CallbackTarget(sealed_url=sealed, destination=_destination(vault, tenant, url))


def open_callback_target(vault: Vault, tenant: Tenant, target: CallbackTarget | None) -> str | None:
    """The URL of an outcome callback; `NO_CALLBACK` if disabled, None if not set."""
    if target is None or target == NO_TARGET:
        return None if target is None else NO_CALLBACK
    return vault.unseal(tenant, OUTCOME_CONTEXT, target.sealed_url).decode()


def _destination(vault: Vault, tenant: Tenant, url: str) -> str:
    return destination_id(vault.code(tenant, DESTINATION_CONTEXT, origin_of(url)))
