"""Receive an event of EventBridge for the tenant that it is for."""

from dataclasses import field
from enum import StrEnum
from functools import partial

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.delivery.depth import DEPTH_CONTEXT
from shared.domain.tenancy.tenant import Tenant, TenantState
from shared.domain.triggers.bus_event import BusEvent
from shared.domain.triggers.event_depth import depth_below_event
from shared.domain.triggers.event_source import EventSource
from shared.ports.delivery import Vault
from shared.ports.event_sources import EventSourceStore
from shared.ports.runtime import Clock
from shared.usecases.tenancy.check_quota import CheckQuota
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.triggers.receive_event import ReceiveEvent

KNOWN_FOR_MS = 60_000
"""A route may lead to its former tenant for this long. No event is dropped by what was read before it came."""
MAX_REMEMBERED = 1_000
"""Accounts, also those without routes: a bus may get events of many. At 5 KB each, 5 MB at most."""


class Routed(StrEnum):
    """What became of an event."""

    RECEIVED = "received"
    UNMAPPED = "unmapped"
    """No operator has mapped its account and source to a tenant."""
    NO_TENANT = "no_tenant"
    """Its tenant is suspended, or was deleted."""


@dataclass(slots=True)
class RouteEvent:
    """Belongs to one process. An event that is for no tenant is charged to no tenant."""

    event_sources: EventSourceStore
    read_tenant: ReadTenant
    check_quota: CheckQuota
    receive_event: ReceiveEvent
    vault: Vault
    clock: Clock
    _cache: BoundedCache[str, tuple[int, EventSource | None]] = field(
        default_factory=lambda: BoundedCache(MAX_REMEMBERED)
    )

    def execute(self, received: BusEvent, began_ms: int) -> Routed:
        """All runs of the event are durable when this returns. `began_ms`: when the batch of the event was received.

        Event sources and tenants are cached. Before an event is dropped, both are read again, unless that happened in
        this batch: an event that was sent after a change is never dropped by the state before. So a batch costs at
        most one more read for each account and each tenant, however many of its events are dropped.

        The errors are those of `ReceiveEvent`, and RateLimitedError: deliver the event again later. InvalidValueError
        and IdempotencyKeyReusedError: no repetition helps.
        """
        tenant = self._tenant(received, KNOWN_FOR_MS)
        if not isinstance(tenant, Tenant):
            tenant = self._tenant(received, self.clock.now_ms() - began_ms + 1)
        if not isinstance(tenant, Tenant):
            return tenant
        self.check_quota.creates(tenant)
        # Only now: an event of no tenant is dropped whatever it has, and one that is refused costs as much as others.
        event = received.event()
        depth = depth_below_event(event.data, partial(self.vault.code, tenant, DEPTH_CONTEXT))
        self.receive_event.execute(tenant, event, depth=depth)
        return Routed.RECEIVED

    def _tenant(self, received: BusEvent, known_for_ms: int) -> Tenant | Routed:
        """The tenant of the event, or why there is none, by what was read at most this long ago."""
        source = self._source(received.account, known_for_ms)
        tenant_id = None if source is None else source.tenant_of(received.source)
        if tenant_id is None:
            return Routed.UNMAPPED
        tenant = self.read_tenant.execute(tenant_id, known_for_ms)
        return tenant if tenant is not None and _takes_events(tenant) else Routed.NO_TENANT

    def _source(self, account: str, known_for_ms: int) -> EventSource | None:
        now_ms = self.clock.now_ms()
        read_at, source = self._cache.get(account, (0, None))
        if now_ms - read_at >= known_for_ms:
            source = self.event_sources.get(account)
            self._cache[account] = (now_ms, source)
        return source


def _takes_events(tenant: Tenant) -> bool:
    return tenant.state is TenantState.ACTIVE and not tenant.is_being_deleted
