"""Seal a request, and compute its destination. A request that is too large for its item gets one of its own."""

from dataclasses import replace

from shared.domain.delivery.alerts import ALERTS_CONTEXT, NO_ALERTS, Alerts, AlertTarget
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
from shared.ports.jobs import Payload


def seal_request(
    vault: Vault,
    tenant: Tenant,
    job_id: str,
    request: Request,
    *,
    call: CallSpec,
    payload_id: str,
    now_ms: int,
    expires_at_s: int | None = None,
) -> tuple[CallSpec, Payload | None]:
    """`call` with the sealed request, and what has to be stored before it if the request is large.

    `expires_at_s` is the expiry of a one-off's large request, which nothing has to set later. That of a
    definition has none until the definition names it no more.
    """
    sealed = vault.seal(tenant, job_id, encode_request(request))
    is_small = len(sealed) <= INLINE_BYTES
    payload = None if is_small else Payload(tenant.id, payload_id, sealed, now_ms, expires_at_s)
    sealed_call = replace(
        call,
        request=sealed if is_small else b"",
        payload_id=None if is_small else payload_id,
        destination=_destination(vault, tenant, request),
        workflow_id=request.workflow_id,
        has_input=request.workflow_id is not None and bool(request.body),
        target=None if request.target is None else request.target.arn,
        auth=None if request.auth is None else request.auth.kind,
        callbacks=OutcomeCallbacks(
            on_success=seal_callback_target(vault, tenant, request.on_success),
            on_failure=seal_callback_target(vault, tenant, request.on_failure),
        ),
        alerts=seal_alerts(vault, tenant, request.alerts),
    )
    return sealed_call, payload


def seal_callback_target(vault: Vault, tenant: Tenant, url: str | None) -> CallbackTarget | None:
    """The sealed target of an outcome callback; `NO_TARGET` if disabled, None if not set."""
    if url is None or url == NO_CALLBACK:
        return None if url is None else NO_TARGET
    sealed = vault.seal(tenant, OUTCOME_CONTEXT, url.encode())
    return CallbackTarget(sealed_url=sealed, destination=_destination_of(vault, tenant, origin_of(url)))


def open_callback_target(vault: Vault, tenant: Tenant, target: CallbackTarget | None) -> str | None:
    """The URL of an outcome callback; `NO_CALLBACK` if disabled, None if not set."""
    if target is None or target == NO_TARGET:
        return None if target is None else NO_CALLBACK
    return vault.unseal(tenant, OUTCOME_CONTEXT, target.sealed_url).decode()


def seal_alerts(vault: Vault, tenant: Tenant, alerts: Alerts | None) -> AlertTarget | None:
    """The sealed form of a subscription; `NO_ALERTS` if disabled, None if not set."""
    target = seal_callback_target(vault, tenant, alerts.url) if alerts is not None else None
    if alerts is None or target is None:
        return None
    if target == NO_TARGET:
        return NO_ALERTS
    key = destination_id(vault.code(tenant, ALERTS_CONTEXT, alerts.url.encode()))
    return AlertTarget(target=target, key=key, rules=alerts.rules)


def open_alerts(vault: Vault, tenant: Tenant, stored: AlertTarget | None) -> Alerts | None:
    """The subscription with its URL; None if not set."""
    url = open_callback_target(vault, tenant, stored.target) if stored is not None else None
    return None if stored is None or url is None else Alerts(url=url, rules=stored.rules)


def _destination(vault: Vault, tenant: Tenant, request: Request) -> str:
    """Each workflow and target is a destination of its own, so that no limit of another one holds it up."""
    if request.target is not None:
        return _destination_of(vault, tenant, request.target.arn.encode())
    workflow_id = request.workflow_id
    origin = origin_of(request.url) if workflow_id is None else workflow_id.encode()
    return _destination_of(vault, tenant, origin)


def _destination_of(vault: Vault, tenant: Tenant, origin: bytes) -> str:
    return destination_id(vault.code(tenant, DESTINATION_CONTEXT, origin))
