"""The queue of the event bus and its dead-letter queue, in memory."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from shared.domain.triggers.queued_event import MAX_DELAY_SECONDS, DeadEvent, LaterEvent, QueuedEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class SentLater:
    """A message that was sent again, with a message ID of its own."""

    event: QueuedEvent
    delay_seconds: int
    account: str | None


class FakeEventQueue:
    """Each call is one step. Takes every event, unless it refuses all."""

    def __init__(self) -> None:
        self.later: list[SentLater] = []
        self.dead: list[DeadEvent] = []
        self.refuses = False
        self._sent = 0

    def send_later(self, events: Sequence[LaterEvent]) -> Set[str]:
        if self.refuses:
            return set()
        for each in events:
            if not 0 <= each.delay_seconds <= MAX_DELAY_SECONDS:
                raise ValueError(f"SQS holds a message for 0 to {MAX_DELAY_SECONDS} seconds")
            self._sent += 1
            event = QueuedEvent(
                id=f"again-{self._sent}", body=each.event.body, redeliveries=each.redeliveries
            )
            sent = SentLater(event=event, delay_seconds=each.delay_seconds, account=each.account)
            self.later.append(sent)
        return {each.event.id for each in events}

    def send_dead(self, events: Sequence[DeadEvent]) -> Set[str]:
        if self.refuses:
            return set()
        self.dead += events
        return {each.event.id for each in events}
