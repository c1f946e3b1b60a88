"""Tenants, keys and secrets as the API shows them."""

from typing import Literal

from functions.api.models.keys import KeyOut, SecretOut
from functions.api.models.tenants import QuotaOut, TenantOut, UsageOut
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.quota import AT_DISPATCH, UNLIMITED, Quota, Quotas
from shared.domain.tenancy.tenant import ApiKey, SigningSecret, Tenant
from shared.usecases.tenancy.read_usage import Usage

KeyState = Literal["live", "expired", "revoked"]
SecretState = Literal["current", "overlapping", "retired"]


def key_out(key: ApiKey, now_ms: int) -> KeyOut:
    """A key without its secret."""
    state: KeyState = "revoked" if key.revoked else "live" if key.is_live(now_ms) else "expired"
    return KeyOut(
        id=key.id,
        name=key.name,
        scopes=sorted(key.scopes),
        state=state,
        created_at=format_instant(key.created_at),
        expires_at=_instant(key.expires_at),
        last_used_at=_instant(key.last_used_at),
    )


def secret_out(secret: SigningSecret, now_ms: int) -> SecretOut:
    """A signing secret without the secret."""
    ended: SecretState = "overlapping" if secret.signs(now_ms) else "retired"
    return SecretOut(
        id=secret.id,
        state="current" if secret.ends_at is None else ended,
        created_at=format_instant(secret.created_at),
        ends_at=_instant(secret.ends_at),
    )


def tenant_out(
    tenant: Tenant, defaults: Quotas, *, on_success: str | None, on_failure: str | None
) -> TenantOut:
    """A tenant, and whom it has told of outcomes by default."""
    limits = defaults.overridden_by(tenant.quotas)
    return TenantOut(
        id=tenant.id,
        state=tenant.state,
        created_at=format_instant(tenant.created_at),
        revision=tenant.revision,
        weight=tenant.weight,
        index_shards=tenant.index_shards,
        quotas={quota.value: limits.limit_for(quota) for quota in Quota},
        own_quotas=sorted(tenant.quotas),
        on_success=on_success,
        on_failure=on_failure,
    )


def usage_out(usage: Usage) -> UsageOut:
    """What a tenant may have, and how much of it is in use."""
    return UsageOut(
        tenant=usage.tenant.id,
        weight=usage.tenant.weight,
        quotas={
            quota.value: QuotaOut(
                limit=usage.limits.limit_for(quota),
                used=usage.used[quota],
                is_enforced=quota not in AT_DISPATCH or usage.limits.limit_for(quota) < UNLIMITED,
            )
            for quota in Quota
        },
    )


def _instant(at: int | None) -> str | None:
    return format_instant(at) if at is not None else None
