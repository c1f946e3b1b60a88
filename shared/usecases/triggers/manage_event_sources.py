"""Create, change and delete event sources, for operators."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, InvalidValueError, NotFoundError, UnavailableError
from shared.domain.triggers.event_source import MAX_EVENT_SOURCES, EventSource
from shared.ports.event_sources import EventSourceStore
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantStore
from shared.usecases.tenancy.manage_tenants import CONFLICT, TRIES


@dataclass(frozen=True, slots=True)
class EventSources:
    """A change counts within a minute, because the receiver of events caches what it has read."""

    store: EventSourceStore
    tenants: TenantStore
    clock: Clock

    def all(self) -> list[EventSource]:
        """In the order of their accounts."""
        return self.store.all()

    def get(self, account: str) -> EventSource:
        """NotFoundError for an account without routes."""
        source = self.store.get(account)
        if source is None:
            raise NotFoundError("no such event source")
        return source

    def put(self, wanted: EventSource) -> tuple[EventSource | None, EventSource]:
        """Create or change an event source; returns it before and after. One that has this content keeps its version.

        InvalidValueError for an unknown tenant, InvalidStateError for too many event sources.
        """
        for _ in range(TRIES):
            before = self.store.get(wanted.account)
            if before is not None and before.has_content_of(wanted):
                return before, before
            self._check_tenants(wanted)
            if before is None and len(self.store.all()) >= MAX_EVENT_SOURCES:
                raise InvalidStateError(f"there are {MAX_EVENT_SOURCES} event sources: delete one first")
            version = 1 if before is None else before.version + 1
            after = replace(wanted, version=version, changed_at=self.clock.now_ms())
            if self.store.put(after, before):
                return before, after
        raise UnavailableError(CONFLICT)

    def delete(self, account: str) -> EventSource:
        """Delete an event source; returns it. NotFoundError."""
        for _ in range(TRIES):
            source = self.get(account)
            if self.store.delete(source):
                return source
        raise UnavailableError(CONFLICT)

    def _check_tenants(self, wanted: EventSource) -> None:
        for index, route in enumerate(wanted.routes):
            tenant = self.tenants.get(route.tenant_id)
            if tenant is None or tenant.is_being_deleted:
                raise InvalidValueError("no such tenant", path=("routes", str(index), "tenant_id"))
