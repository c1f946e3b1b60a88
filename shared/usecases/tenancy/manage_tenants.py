"""Find, list and change tenants."""

from collections.abc import Mapping
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import Alerts, AlertTarget
from shared.domain.delivery.outcome_callbacks import NO_CALLBACK, OutcomeCallbacks
from shared.domain.delivery.request import check_alerts, check_callback_target
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidStateError, InvalidValueError, NotFoundError, UnavailableError
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.suspension import Suspensions, known_at, resumed, suspended
from shared.domain.tenancy.target_roles import check_roles
from shared.domain.tenancy.tenant import OPERATOR, Tenant, TenantState, is_tenant_id
from shared.ports.delivery import Vault
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantStore
from shared.usecases.requests.seal_request import seal_alerts, seal_callback_target

CONFLICT = "the tenant is being changed by others"
TRIES = 5
"""Tries of a change against concurrent ones before the client gets a 503."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantChange:
    """The new values of a tenant; None leaves a value unchanged.

    A quota of None returns to the deployment's default. An outcome of None in `listeners` removes its
    callback.
    """

    state: TenantState | None = None
    weight: int | None = None
    index_shards: int | None = None
    quotas: Mapping[Quota, int | None] | None = None
    listeners: Mapping[str, str | None] = field(default_factory=dict)
    """URLs by `on_success` and `on_failure`."""
    alerts: Alerts | None = None
    """The subscription of jobs that have none; the URL `none` removes it."""
    target_roles: tuple[str, ...] | None = None
    """The roles of targets, in place of those that are registered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantList:
    tenants: tuple[Tenant, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True)
class FindTenant:
    """Reads tenants without a cache."""

    tenants: TenantStore

    def execute(self, tenant_id: str) -> Tenant:
        """NotFoundError where there is no such tenant."""
        tenant = self.tenants.get(tenant_id) if is_tenant_id(tenant_id) else None
        if tenant is None:
            raise NotFoundError("no such tenant")
        return tenant


@dataclass(frozen=True, slots=True)
class ListTenants:
    """All tenants of the deployment, including the operators' own."""

    tenants: TenantStore

    def execute(self, *, limit: int, after: str | None = None) -> TenantList:
        """At most `limit` tenants after the id `after`."""
        ids = self.tenants.ids(after=after, limit=limit + 1)
        tenants = [self.tenants.get(tenant_id) for tenant_id in ids[:limit]]
        return TenantList(
            tenants=tuple(tenant for tenant in tenants if tenant is not None),
            next_after=ids[limit - 1] if len(ids) > limit else None,
        )


@dataclass(frozen=True, slots=True)
class ChangeTenant:
    """Functions see a change within 60 s: they cache tenants for that long.

    A suspension and a resumption take effect later, at an instant of their own.
    """

    tenants: TenantStore
    vault: Vault
    policy: TargetPolicy
    clock: Clock
    role_pattern: str | None
    """The roles that the executors may assume; None for none."""

    def execute(self, tenant_id: str, change: TenantChange) -> tuple[Tenant, Tenant]:
        """The tenant before and after.

        NotFoundError, InvalidValueError, CallbackUrlNotAllowedError, or InvalidStateError for a change that
        would lock the operators out.
        """
        for name, url in change.listeners.items():
            check_callback_target(name, url, self.policy)
        check_alerts(change.alerts, self.policy)
        if change.target_roles is not None:
            check_roles(change.target_roles, self.role_pattern)
        for _ in range(TRIES):
            before = FindTenant(self.tenants).execute(tenant_id)
            after = replace(
                changed(before, change),
                callbacks=self._callbacks(before, change),
                alerts=self._alerts(before, change),
                suspensions=_suspensions(before, change, self.clock.now_ms()),
            )
            if self.tenants.replace(before, after):
                return before, after
        raise UnavailableError(CONFLICT)

    def effective_at(self, changed: Tenant) -> int | None:
        """When the state of a tenant that was changed by now takes effect; None if it always had its state."""
        return known_at(changed.suspensions, self.clock.now_ms())

    def _callbacks(self, tenant: Tenant, change: TenantChange) -> OutcomeCallbacks:
        urls = {name: None if url == NO_CALLBACK else url for name, url in change.listeners.items()}
        return replace(
            tenant.callbacks,
            **{name: seal_callback_target(self.vault, tenant, url) for name, url in urls.items()},
        )

    def _alerts(self, tenant: Tenant, change: TenantChange) -> AlertTarget | None:
        if change.alerts is None:
            return tenant.alerts
        is_removed = change.alerts.url == NO_CALLBACK
        return None if is_removed else seal_alerts(self.vault, tenant, change.alerts)


def changed(tenant: Tenant, change: TenantChange) -> Tenant:
    if tenant.id == OPERATOR and change.state is TenantState.SUSPENDED:
        raise InvalidStateError("the operators' own tenant cannot be suspended")
    if tenant.is_being_deleted and change.state is TenantState.ACTIVE:
        raise InvalidStateError("the tenant is being deleted")
    shards = tenant.index_shards if change.index_shards is None else change.index_shards
    if shards < tenant.index_shards:
        raise InvalidValueError(
            f"index_shards only grow: {tenant.index_shards} or more", path=("index_shards",)
        )
    limits: dict[Quota, int | None] = {**tenant.quotas, **(change.quotas or {})}
    return replace(
        tenant,
        state=change.state or tenant.state,
        weight=tenant.weight if change.weight is None else change.weight,
        index_shards=shards,
        quotas={quota: limit for quota, limit in limits.items() if limit is not None},
        target_roles=tenant.target_roles if change.target_roles is None else change.target_roles,
        revision=tenant.revision + 1,
    )


def _suspensions(tenant: Tenant, change: TenantChange, now_ms: int) -> Suspensions:
    """The suspensions after a change that is made now."""
    match change.state:
        case TenantState.SUSPENDED:
            return suspended(tenant.suspensions, now_ms)
        case TenantState.ACTIVE:
            return resumed(tenant.suspensions, now_ms)
        case None:
            return tenant.suspensions
