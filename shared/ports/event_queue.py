"""The queue of the event bus, and its dead-letter queue, as the receiver of events writes to them."""

from collections.abc import Sequence, Set
from typing import Protocol

from shared.domain.triggers.queued_event import DeadEvent, LaterEvent


class EventQueue(Protocol):
    """Each method returns the message IDs of the events that the queue has for sure, and raises for no fault of it.

    An event that is not among them may be there all the same: the response may have been lost.
    """

    def send_later(self, events: Sequence[LaterEvent]) -> Set[str]:
        """Put each event into the queue once more, to be delivered after its delay. Meanwhile it is not in flight."""
        ...

    def send_dead(self, events: Sequence[DeadEvent]) -> Set[str]:
        """Put each event into the dead-letter queue with its reason. After a redrive, its redeliveries begin anew."""
        ...
