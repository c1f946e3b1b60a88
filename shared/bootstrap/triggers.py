"""Use cases about triggers and events."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.dataclass import dataclass

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.usecases.tenancy.check_quota import CheckQuota
    from shared.usecases.triggers.manage_event_sources import EventSources
    from shared.usecases.triggers.manage_triggers import Triggers
    from shared.usecases.triggers.receive_event import ReceiveEvent
    from shared.usecases.triggers.receive_queued_events import ReceiveQueuedEvents
    from shared.usecases.triggers.route_event import RouteEvent


@dataclass(frozen=True)
class TriggerUseCases:
    """For functions with QuotaSettings. The process shares one `check_quota`, because it caches leases."""

    core: CoreUseCases
    check_quota: CheckQuota

    @cached_property
    def triggers(self) -> Triggers:
        from shared.usecases.triggers.manage_triggers import Triggers

        ports = self.core.ports
        return Triggers(store=ports.triggers, find_job=self.core.find_job, clock=ports.clock)

    @cached_property
    def event_sources(self) -> EventSources:
        from shared.usecases.triggers.manage_event_sources import EventSources

        ports = self.core.ports
        return EventSources(store=ports.event_sources, tenants=ports.tenants, clock=ports.clock)

    @cached_property
    def receive_queued_events(self) -> ReceiveQueuedEvents:
        from shared.usecases.triggers.receive_queued_events import ReceiveQueuedEvents

        ports = self.core.ports
        return ReceiveQueuedEvents(
            route_event=self.route_event, queue=ports.event_queue, clock=ports.clock, entropy=ports.entropy
        )

    @cached_property
    def route_event(self) -> RouteEvent:
        from shared.usecases.triggers.route_event import RouteEvent

        ports = self.core.ports
        return RouteEvent(
            event_sources=ports.event_sources,
            read_tenant=self.core.read_tenant,
            check_quota=self.check_quota,
            receive_event=self.receive_event,
            vault=ports.vault,
            clock=ports.clock,
        )

    @cached_property
    def receive_event(self) -> ReceiveEvent:
        from shared.usecases.triggers.postpone_run import PostponeRun
        from shared.usecases.triggers.receive_event import ReceiveEvent

        ports = self.core.ports
        return ReceiveEvent(
            triggers=ports.triggers,
            find_settled=self.core.lifecycle.find_settled,
            file_trigger=self.core.file_trigger,
            postpone_run=PostponeRun(store=ports.executions, file_trigger=self.core.file_trigger),
            store=ports.executions,
            jobs=ports.jobs,
            idempotency=ports.idempotency,
            open_request=self.core.open_request,
            vault=ports.vault,
            check_quota=self.check_quota,
            clock=ports.clock,
            entropy=ports.entropy,
            retention=self.core.settings.retention,
        )
