"""The queues of the event bus of each implementation, with a way to receive what was sent."""

import time
from dataclasses import dataclass
from typing import Any, Protocol

from shared.adapters.sqs.event_queue import FIRST_RECEIVED, REASON, SqsEventQueue, read_queued_event
from shared.domain.triggers.queued_event import QueuedEvent
from shared.ports.event_queue import EventQueue
from tests.support.fakes.event_queue import FakeEventQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedDead:
    """A dead event as operators see it."""

    body: str
    reason: str
    first_at: int


class EventQueues(Protocol):
    """The operations that the suite needs beyond the port."""

    @property
    def queue(self) -> EventQueue: ...

    def pass_seconds(self, seconds: int) -> None:
        """Wait."""
        ...

    def receive(self) -> list[QueuedEvent]:
        """Every visible event; each is received once."""
        ...

    def receive_dead(self) -> list[ReceivedDead]:
        """Every dead event; each is received once."""
        ...


class FakeEventQueues:
    """The fake, on a clock of its own."""

    def __init__(self) -> None:
        self.queue = FakeEventQueue()
        self._passed = 0

    def pass_seconds(self, seconds: int) -> None:
        self._passed += seconds

    def receive(self) -> list[QueuedEvent]:
        visible = [each for each in self.queue.later if each.delay_seconds <= self._passed]
        self.queue.later = [each for each in self.queue.later if each not in visible]
        return [each.event for each in visible]

    def receive_dead(self) -> list[ReceivedDead]:
        dead, self.queue.dead = self.queue.dead, []
        return [
            ReceivedDead(body=each.event.body, reason=each.reason, first_at=each.first_at) for each in dead
        ]


class SqsEventQueues:
    """The adapter over one engine, with queues of its own."""

    def __init__(self, client: Any, url: str, dead_url: str, *, tries: int = 1) -> None:
        """A receive that does not wait asks some of SQS's servers only: `tries` of them in a row find nothing."""
        self.client, self._url, self._dead_url, self._tries = client, url, dead_url, tries
        self.queue = SqsEventQueue(client, url, dead_url)

    def pass_seconds(self, seconds: int) -> None:
        time.sleep(seconds + 0.1)

    def receive(self) -> list[QueuedEvent]:
        return [read_queued_event(_record(message)) for message in self.receive_raw(self._url)]

    def receive_dead(self) -> list[ReceivedDead]:
        return [
            ReceivedDead(
                body=message["Body"],
                reason=message["MessageAttributes"][REASON]["StringValue"],
                first_at=int(message["MessageAttributes"][FIRST_RECEIVED]["StringValue"]),
            )
            for message in self.receive_raw(self._dead_url)
        ]

    def receive_raw(self, url: str) -> list[Any]:
        """Every visible message, as SQS shows it."""
        received: list[Any] = []
        empty = 0
        while empty < self._tries:
            batch = self.client.receive_message(
                QueueUrl=url,
                MaxNumberOfMessages=10,
                VisibilityTimeout=600,
                WaitTimeSeconds=0,
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
            ).get("Messages", [])
            received += batch
            empty = 0 if batch else empty + 1
        return received


def _record(message: Any) -> dict[str, Any]:
    """As Lambda hands it over; when it was first received is of no interest here."""
    attributes = {
        name: {"dataType": value["DataType"], "stringValue": value["StringValue"]}
        for name, value in message.get("MessageAttributes", {}).items()
    }
    return {"messageId": message["MessageId"], "body": message["Body"], "messageAttributes": attributes}
