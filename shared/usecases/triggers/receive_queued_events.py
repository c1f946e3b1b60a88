"""Receive a batch of events of the event bus, so that none of them stays in flight for long."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import (
    IdempotencyKeyReusedError,
    IdentityConflictError,
    InvalidValueError,
    QuotaExceededError,
    RateLimitedError,
    UnavailableError,
    UnknownVersionError,
)
from shared.domain.triggers.bus_event import BusEvent, read_bus_event
from shared.domain.triggers.queued_event import Cause, DeadEvent, LaterEvent, QueuedEvent, Redeliveries
from shared.ports.event_queue import EventQueue
from shared.ports.runtime import Clock, Entropy
from shared.usecases.triggers.route_event import Routed, RouteEvent

_REFUSALS = (InvalidValueError, IdempotencyKeyReusedError, IdentityConflictError)
"""No repetition helps."""


class Settled(StrEnum):
    """What becomes of an event that is not received, and not dropped."""

    REFUSED = "refused"
    """No repetition helps: it is in the dead-letter queue."""
    LATER = "later"
    GIVEN_UP = "given_up"
    """It was delivered again for as long as its cause allows: it is in the dead-letter queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledEvent:
    """An event, and what has become of it."""

    event: QueuedEvent
    result: Routed | Settled
    bus_event: BusEvent | None = None
    """None for a message that has no account and no source."""
    cause: Cause | None = None
    """Why it is or was to be delivered again."""
    error: Exception | None = None
    later: LaterEvent | None = None
    dead: DeadEvent | None = None
    is_returned: bool = False
    """Whether SQS itself is to deliver the message again, because it could not be sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiveQueuedEvents:
    """An event that is received later is sent again with a delay. A message that waits for the end of its visibility
    timeout would be in flight, of which a queue has 120,000 at most for all tenants.

    A crash between a send and the deletion of the received message leaves two of it, of which one starts the runs.
    """

    route_event: RouteEvent
    queue: EventQueue
    clock: Clock
    entropy: Entropy

    def execute(self, events: Sequence[QueuedEvent], has_time: Callable[[], bool]) -> list[SettledEvent]:
        """The events in their order. When this returns, each is durable elsewhere, dropped, or returned to SQS."""
        began_ms = self.clock.now_ms()
        settled = [
            self._receive(event, began_ms) if has_time() else self._later(event, Cause.NO_TIME)
            for event in events
        ]
        later = [each.later for each in settled if each.later is not None]
        dead = [each.dead for each in settled if each.dead is not None]
        sent = set(self.queue.send_later(later) if later else ())
        sent |= self.queue.send_dead(dead) if dead else set()
        return [
            replace(each, is_returned=isinstance(each.result, Settled) and each.event.id not in sent)
            for each in settled
        ]

    def _receive(self, event: QueuedEvent, began_ms: int) -> SettledEvent:
        received = None
        try:
            received = read_bus_event(event.body)
            result = self.route_event.execute(received, began_ms)
        except _REFUSALS as error:
            return self._dead(event, Settled.REFUSED, received, error, _reason(error))
        except (QuotaExceededError, RateLimitedError) as error:
            return self._later(event, Cause.OVER_QUOTA, received, error)
        except (UnavailableError, UnknownVersionError) as error:
            return self._later(event, Cause.UNAVAILABLE, received, error)
        except Exception as error:  # noqa: BLE001 - a bug in one event must not hold up the others
            return self._later(event, Cause.FAILED, received, error)
        return SettledEvent(event=event, result=result, bus_event=received)

    def _later(
        self,
        event: QueuedEvent,
        cause: Cause,
        received: BusEvent | None = None,
        error: Exception | None = None,
    ) -> SettledEvent:
        before = event.redeliveries or Redeliveries(first_at=self._first_at(event))
        after = before.after(cause, self.clock.now_ms())
        if after is None:
            reason = f"{cause.value}: {type(error).__name__}" if error else cause.value
            return self._dead(event, Settled.GIVEN_UP, received, error, reason, cause)
        later = LaterEvent(
            event=event,
            redeliveries=after,
            delay_seconds=after.delay_seconds(cause, self.entropy.draw()),
            account=None if received is None else received.account,
        )
        return SettledEvent(
            event=event, result=Settled.LATER, bus_event=received, cause=cause, error=error, later=later
        )

    def _dead(
        self,
        event: QueuedEvent,
        result: Settled,
        received: BusEvent | None,
        error: Exception | None,
        reason: str,
        cause: Cause | None = None,
    ) -> SettledEvent:
        dead = DeadEvent(event=event, reason=reason, first_at=self._first_at(event))
        return SettledEvent(
            event=event, result=result, bus_event=received, cause=cause, error=error, dead=dead
        )

    def _first_at(self, event: QueuedEvent) -> int:
        if event.redeliveries is not None:
            return event.redeliveries.first_at
        return self.clock.now_ms() if event.first_received_at is None else event.first_received_at


def _reason(error: Exception) -> str:
    """The rule that the event breaks, and where. No text of these errors has a part of the event."""
    path = ".".join(error.path) if isinstance(error, InvalidValueError) else ""
    return f"{path}: {error}" if path else str(error) or type(error).__name__
