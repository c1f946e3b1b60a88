"""The lanes of each implementation, with a way to receive sent messages."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from shared.adapters.sqs.traces import read_wakeup
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.domain.dispatch.wakeup import Wakeup
from shared.names import Lane, QueueName
from shared.ports.dispatch import WakeupQueue
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import one_by_one
from tests.support.fakes.wakeup_queue import FakeWakeupQueue, SentMessage, even


class Lanes(Protocol):
    """The operations that the suite needs beyond the port."""

    @property
    def queue(self) -> WakeupQueue: ...

    def now_ms(self) -> int:
        """The clock of message visibility."""
        ...

    def let_pass(self, duration_ms: int) -> None:
        """Wait."""
        ...

    def receive(self, lane: Lane | QueueName) -> list[Wakeup]:
        """Every visible message of a lane; each message is received once."""
        ...


class FakeLanes:
    """The fake, on a clock of its own."""

    def __init__(self) -> None:
        self.queue = FakeWakeupQueue()
        self._now_ms = DUE_AT
        self._received: list[SentMessage] = []

    def now_ms(self) -> int:
        return self._now_ms

    def let_pass(self, duration_ms: int) -> None:
        self._now_ms += duration_ms

    def receive(self, lane: Lane | QueueName) -> list[Wakeup]:
        visible = self.queue.receivable(lane, self._now_ms)
        fresh = [message for message in visible if message not in self._received]
        self._received += fresh
        return [message.wakeup for message in fresh]


@dataclass(slots=True)
class Received:
    """A message as received from SQS."""

    body: str
    group: str
    receipt_handle: str
    texts: Mapping[str, str]
    """The message attributes of the type String."""

    @property
    def record(self) -> dict[str, Any]:
        """The part of Lambda's record that wake-ups are read from."""
        attributes = {name: {"dataType": "String", "stringValue": text} for name, text in self.texts.items()}
        return {"body": self.body, "messageAttributes": attributes}


class SqsLanes:
    """The adapter over one engine, with queues of its own."""

    def __init__(self, client: Any, queue_urls: dict[QueueName, str], *, tries: int = 1) -> None:
        """A receive that does not wait asks some of SQS's servers only: `tries` of them in a row find nothing."""
        self.client = client
        self._tries = tries
        self.queue_urls = queue_urls
        self.queue = SqsWakeupQueue(client, queue_urls, even, one_by_one)

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def let_pass(self, duration_ms: int) -> None:
        time.sleep(duration_ms / 1000)

    def receive(self, lane: Lane | QueueName) -> list[Wakeup]:
        return [read_wakeup(message.record) for message in self.receive_raw(lane)]

    def receive_raw(self, lane: Lane | QueueName, visibility_seconds: int = 600) -> list[Received]:
        """Every visible message, undecoded."""
        received: list[Received] = []
        empty = 0
        while empty < self._tries:
            batch = self._receive_batch(lane, visibility_seconds)
            received += batch
            empty = 0 if batch else empty + 1
        return received

    def _receive_batch(self, lane: Lane | QueueName, visibility_seconds: int) -> Sequence[Received]:
        answer = self.client.receive_message(
            QueueUrl=self.queue_urls[QueueName(lane)],
            MaxNumberOfMessages=10,
            VisibilityTimeout=visibility_seconds,
            WaitTimeSeconds=0,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        return [
            Received(
                body=message["Body"],
                group=message.get("Attributes", {}).get("MessageGroupId", ""),
                receipt_handle=message["ReceiptHandle"],
                texts={
                    name: value["StringValue"] for name, value in message.get("MessageAttributes", {}).items()
                },
            )
            for message in answer.get("Messages", [])
        ]
