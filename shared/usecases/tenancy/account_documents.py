"""Tenants, keys, secrets and usage as JSON documents, without anything secret.

The API's answers, the output of the operators' commands and the digests of the audit trail are all made of
these documents, so that a change leaves the same digest whichever way it was made.
"""

from typing import Any

from shared.domain.bucket import HOURLY_MS
from shared.domain.delivery.alerts import AlertEvent, Alerts
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.deletion import TenantDeletion
from shared.domain.tenancy.quota import MAY_BE_UNLIMITED, UNLIMITED, Quota, Quotas
from shared.domain.tenancy.target_roles import EXTERNAL_ID_CONTEXT, external_id
from shared.domain.tenancy.tenant import ApiKey, SigningSecret, Tenant
from shared.ports.delivery import Vault
from shared.usecases.requests.seal_request import open_alerts, open_callback_target
from shared.usecases.tenancy.read_usage import Usage

Document = dict[str, Any]


def tenant_document(tenant: Tenant, defaults: Quotas, vault: Vault) -> Document:
    limits = defaults.overridden_by(tenant.quotas)
    return {
        "id": tenant.id,
        "state": tenant.state.value,
        "effective_at": _instant(tenant.effective_at),
        "created_at": format_instant(tenant.created_at),
        "revision": tenant.revision,
        "weight": tenant.weight,
        "index_shards": tenant.index_shards,
        "quotas": {quota.value: limits.limit_for(quota) for quota in Quota},
        "own_quotas": sorted(quota.value for quota in tenant.quotas),
        "target_roles": list(tenant.target_roles),
        "target_external_id": (
            # A tenant without roles needs none, and a list of tenants then unwraps no keys.
            external_id(vault.code(tenant, EXTERNAL_ID_CONTEXT, b"")) if tenant.target_roles else None
        ),
        **settings_document(tenant, vault),
    }


def settings_document(tenant: Tenant, vault: Vault) -> Document:
    """The part of a tenant that it may change itself."""
    alerts = open_alerts(vault, tenant, tenant.alerts)
    return {
        "on_success": open_callback_target(vault, tenant, tenant.callbacks.on_success),
        "on_failure": open_callback_target(vault, tenant, tenant.callbacks.on_failure),
        "alerts": None if alerts is None else alerts_document(alerts),
    }


def alerts_document(alerts: Alerts) -> Document:
    """A subscription as the API shows it."""
    return {
        "url": alerts.url,
        "events": [event.value for event in AlertEvent if event in alerts.rules.events],
        "late_after_seconds": alerts.rules.late_after_seconds,
        "format": alerts.rules.format.value,
    }


def key_document(key: ApiKey, now_ms: int) -> Document:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": sorted(scope.value for scope in key.scopes),
        "state": "revoked" if key.revoked else "live" if key.is_live(now_ms) else "expired",
        "created_at": format_instant(key.created_at),
        "expires_at": _instant(key.expires_at),
        "last_used_at": _instant(key.last_used_at),
    }


def secret_document(secret: SigningSecret, now_ms: int) -> Document:
    replaced = "overlapping" if secret.signs(now_ms) else "retired"
    return {
        "id": secret.id,
        "name": secret.name,
        "state": "current" if secret.ends_at is None else replaced,
        "created_at": format_instant(secret.created_at),
        "ends_at": _instant(secret.ends_at),
    }


def deletion_document(deletion: TenantDeletion) -> Document:
    """A deletion: who asked for it, when it begins, began and ended, and what it has deleted so far."""
    state = "running" if deletion.began_at else "waiting"
    return {
        "tenant": deletion.tenant_id,
        "state": "ended" if deletion.ended_at else state,
        "asked_at": format_instant(deletion.asked_at),
        "asked_by": deletion.asked_by,
        "begins_at": format_instant(deletion.next_at) if deletion.began_at is None else None,
        "began_at": _instant(deletion.began_at),
        "ended_at": _instant(deletion.ended_at),
        "deleted": dict(sorted(deletion.counts.items())),
        "archive": _forgetting_document(deletion),
    }


def _forgetting_document(deletion: TenantDeletion) -> Document | None:
    """How far the archive is rid of the tenant; null before the deletion has ended."""
    forgetting = deletion.forgetting
    if forgetting is None:
        return None
    return {
        "state": "forgotten" if forgetting.ended_at is not None else "waiting",
        "before": format_instant(forgetting.hour * HOURLY_MS) if forgetting.hour else None,
        "rows": forgetting.rows,
        "files": forgetting.looked_at,
        "rewritten": forgetting.rewritten,
        "ended_at": _instant(forgetting.ended_at),
    }


def usage_document(usage: Usage) -> Document:
    """`used` is null for quotas that are not counted."""
    return {
        "tenant": usage.tenant.id,
        "weight": usage.tenant.weight,
        "quotas": {quota.value: _quota(usage, quota) for quota in Quota},
    }


def _quota(usage: Usage, quota: Quota) -> Document:
    limit = usage.limits.limit_for(quota)
    is_enforced = quota not in MAY_BE_UNLIMITED or limit < UNLIMITED
    return {
        "limit": limit,
        "used": usage.used[quota],
        "is_lower_bound": quota in usage.at_least,
        "is_enforced": is_enforced,
    }


def _instant(at_ms: int | None) -> str | None:
    return format_instant(at_ms) if at_ms is not None else None
