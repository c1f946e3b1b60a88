"""The queue of the event bus and its receiver: each event is delivered until it was received, and sometimes again."""

import json
from functools import partial

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import PunctualError
from shared.domain.triggers.bus_event import read_bus_event
from shared.domain.triggers.event_source import EventRoute, EventSource
from tests.simulation.faults import Strike
from tests.simulation.trigger_clients import PREFIX, tracked
from tests.simulation.trigger_evidence import EventLog
from tests.simulation.wiring import use_cases_of
from tests.simulation.world import TENANTS, World

ACCOUNT = "111122223333"
VISIBILITY_MS = 180_000
BATCH_MS = (10, 2_000)


class SimBus:
    """Batches have one event: the order of events in a batch is that of batches."""

    def __init__(self, world: World) -> None:
        self._world = world
        routes = tuple(EventRoute(source_prefix=f"{PREFIX}{name}", tenant_id=name) for name in TENANTS)
        world.event_sources.put(EventSource(account=ACCOUNT, version=1, changed_at=1, routes=routes), None)

    def put(self, event: EventLog, copies: int) -> None:
        """EventBridge puts an event into the queue, possibly several times."""
        for _ in range(copies):
            self._deliver_later(event, self._world.weather.rng.randint(*BATCH_MS))

    def _deliver_later(self, event: EventLog, after_ms: int) -> None:
        self._world.hub.spawn(partial(self._deliver, event), self._world.hub.now_ms + after_ms)

    def _deliver(self, event: EventLog) -> None:
        """Once the event is received, SQS deletes its message; otherwise it delivers it again."""
        process = self._world.process("event receiver")
        received: list[bool] = []

        def receive() -> None:
            act = partial(_route, event, use_cases_of(self._world, process))
            try:
                tracked(self._world, event, act)
                received.append(True)
            except PunctualError:
                return

        def look_again() -> None:
            if not received or self._world.weather.strikes(Strike.REDELIVER):
                self._deliver(event)

        process.spawn(receive)
        self._world.hub.spawn(look_again, self._world.hub.now_ms + VISIBILITY_MS)


def _route(event: EventLog, cases: UseCases) -> None:
    document = event.document
    envelope = {
        "version": "0",
        "id": event.id,
        "account": ACCOUNT,
        "source": event.source,
        "detail-type": document["type"],
        "detail": document["data"],
    }
    began_ms = cases.core.ports.clock.now_ms()
    cases.triggers.route_event.execute(read_bus_event(json.dumps(envelope)), began_ms)
