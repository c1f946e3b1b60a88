"""SQS as its documents allow it to be: at least once, in no order, late, and in partial batches."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from shared.adapters.sqs.messages import encode_wakeup
from shared.domain.dispatch.wakeup import Wakeup
from shared.names import QueueName
from tests.simulation.event_source import EventSource
from tests.simulation.faults import Strike, Weather
from tests.simulation.hub import Hub
from tests.simulation.newer_messages import is_resend
from tests.simulation.trace import Trace
from tests.support.fakes.fair_queue import FairQueue
from tests.support.fakes.sqs import Entry, FakeSqs

VISIBILITY_MS = 450_000
MAX_RECEIVES = 5
BATCH = 10
POLL_MS = (2, 40)
QUEUE_URLS = {queue: f"https://sqs.example.com/{queue}" for queue in QueueName}
_QUEUES = {url: queue for queue, url in QUEUE_URLS.items()}


@dataclass(slots=True)
class Message:
    """One message in a lane or in its dead-letter queue."""

    id: str
    queue: QueueName
    body: str
    group: str
    sent_at: int
    visible_at: int
    receives: int = 0
    first_received_at: int = 0
    dead: bool = False
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The executions that it names."""
        named: list[str] = orjson.loads(self.body)["keys"]
        return named


Consumer = Callable[[QueueName, list[Message]], None]


class SimLanes(FakeSqs):
    """The service behind all lanes. `consume` starts an executor on a batch, `rescue` the handler of dead letters."""

    def __init__(self, hub: Hub, weather: Weather, trace: Trace, consume: Consumer, rescue: Consumer) -> None:
        super().__init__(self._take)
        self.messages: dict[str, Message] = {}
        self.sends = 0
        self.workers: int | None = None
        """How many batches of one queue are worked on at once; None: any number."""
        self.sources: dict[QueueName, EventSource] = {}
        """The queues whose event sources begin with few batches and add more."""
        self.busiest: Counter[QueueName] = Counter()
        """The largest number of batches of each queue that were worked on at once."""
        self.resends: Counter[str] = Counter()
        """How often each body was sent again by a process that could not read it."""
        self.closed: set[QueueName] = set()
        """The queues that hand out nothing: their workers are down."""
        self._fair = {queue: FairQueue() for queue in QueueName}
        self._busy: Counter[QueueName] = Counter()
        self._next_step: dict[QueueName, int] = {}
        self._hub = hub
        self._weather = weather
        self._rng = weather.rng
        self._trace = trace
        self._consume = consume
        self._rescue = rescue

    def _take(self, queue_url: str, entry: Entry) -> bool:
        if self._weather.strikes(Strike.REFUSE_ENTRY):
            return False
        copies = 1 + self._weather.strikes(Strike.DOUBLE_MESSAGE)
        if self._weather.strikes(Strike.LOSE_MESSAGE):
            copies = 0
        if self._weather.strikes(Strike.LOSE_QUEUE):
            copies = 0
            self._lose_all(_QUEUES[queue_url])
        self.resends[entry["MessageBody"]] += is_resend(entry)
        for _ in range(copies):
            self._accept_copy(
                _QUEUES[queue_url],
                entry["MessageBody"],
                entry["DelaySeconds"] * 1000,
                entry["MessageGroupId"],
                entry.get("MessageAttributes", {}),
            )
        return True

    def _lose_all(self, queue: QueueName) -> None:
        """The dead-letter queue is another one and keeps its messages."""
        for message in [each for each in self.messages.values() if each.queue is queue and not each.dead]:
            self._note(message, "lost with its queue")
            del self.messages[message.id]

    def _accept_copy(
        self, queue: QueueName, body: str, delay_ms: int, group: str, attributes: Mapping[str, Any]
    ) -> None:
        visible_at = self._hub.now_ms + delay_ms
        if self._weather.strikes(Strike.LATE_MESSAGE):
            visible_at += self._rng.randint(1_000, 60_000)
        elif delay_ms and self._weather.strikes(Strike.EARLY_MESSAGE):
            visible_at = self._hub.now_ms + self._rng.randint(0, delay_ms)
        self.sends += 1
        message = Message(
            f"m{self.sends}", queue, body, group, self._hub.now_ms, visible_at, attributes=attributes
        )
        self._fair[queue].sent(group, self._hub.now_ms)
        if self._weather.strikes(Strike.WASTE_RECEIVES):
            message.receives = MAX_RECEIVES
        self.messages[message.id] = message
        self._note(message, f"visible in {visible_at - self._hub.now_ms} ms")
        self._poll_at(message.queue, visible_at)

    def come_again(self, wakeup: Wakeup) -> None:
        """A duplicate of a message turns up out of nowhere."""
        self._accept_copy(wakeup.queue, encode_wakeup(wakeup), 0, wakeup.tenant_id, {})

    def put_back(self, message: Message, after_ms: int) -> None:
        """A message that was received becomes visible again."""
        message.visible_at = self._hub.now_ms + after_ms
        self._fair[message.queue].done(message.id, self._hub.now_ms)
        self._note(message, f"returned for {after_ms} ms")
        self._poll_at(message.queue, message.visible_at)

    def delete(self, message: Message) -> None:
        """A message that was dealt with is gone; SQS may still deliver it once more."""
        self._fair[message.queue].done(message.id, self._hub.now_ms)
        if self._weather.strikes(Strike.REDELIVER):
            return
        self.messages.pop(message.id, None)

    def _note(self, message: Message, text: str) -> None:
        self._trace.note(self._hub.now_ms, message.id, text, message.keys)

    def finished(self, queue: QueueName) -> None:
        """A batch is over: its worker takes the next one."""
        self._busy[queue] -= 1
        if self.workers is not None or queue in self.sources:
            self._poll_at(queue, self._hub.now_ms)

    def open(self, queue: QueueName) -> None:
        """The workers of a queue are there again."""
        self.closed.discard(queue)
        self._poll_at(queue, self._hub.now_ms)

    def visible(self, queue: QueueName) -> int:
        """How many messages could be received."""
        return len(self._visible(queue))

    def _visible(self, queue: QueueName) -> list[Message]:
        return [
            message
            for message in self.messages.values()
            if message.queue is queue and message.visible_at <= self._hub.now_ms
        ]

    def _poll_at(self, queue: QueueName, at_ms: int) -> None:
        self._hub.spawn(lambda: self._poll(queue), at_ms + self._rng.randint(*POLL_MS))

    def _poll(self, queue: QueueName) -> None:
        is_full = self.workers is not None and self._busy[queue] >= self.workers
        if queue in self.closed or is_full or self._is_ramping(queue):
            return
        visible = self._visible(queue)
        self._rng.shuffle(visible)
        groups = [message.group for message in visible]
        batch = [visible[number] for number in self._fair[queue].choose(groups, BATCH, self._hub.now_ms)]
        if batch != sorted(batch, key=lambda message: message.sent_at):
            self._weather.note(Strike.REORDERED_BATCH)
        for message in batch:
            self._receive(message)
        living = [message for message in batch if not message.dead]
        dead = [message for message in batch if message.dead]
        if living:
            self._busy[queue] += 1
            self.busiest[queue] = max(self.busiest[queue], self._busy[queue])
            self._consume(queue, living)
        if dead:
            self._rescue(queue, dead)
        if len(visible) > BATCH:
            self._poll_at(queue, self._hub.now_ms)

    def _is_ramping(self, queue: QueueName) -> bool:
        """Whether the event source of a queue has as many batches under way as it may have by now."""
        source = self.sources.get(queue)
        if source is None or self._busy[queue] < source.limit(self._hub.now_ms):
            return False
        if self._visible(queue):
            source.is_behind(self._hub.now_ms)
            if self._next_step.get(queue, 0) <= self._hub.now_ms:
                self._next_step[queue] = self._hub.now_ms + source.ramp.step_ms
                self._poll_at(queue, self._next_step[queue])
        return True

    def _receive(self, message: Message) -> None:
        message.visible_at = self._hub.now_ms + VISIBILITY_MS
        self._fair[message.queue].received(message.id, message.group, self._hub.now_ms)
        message.receives += 1
        message.first_received_at = message.first_received_at or self._hub.now_ms
        if not message.dead and message.receives > MAX_RECEIVES:
            message.dead = True
            self._weather.note(Strike.DEAD_MESSAGE)
        self._poll_at(message.queue, message.visible_at)


class Backlog:
    """How much waits in the queues, as one process may ask for it."""

    def __init__(self, lanes: Any) -> None:
        self._lanes = lanes

    def visible(self, queue: QueueName) -> int:
        """See the port."""
        count: int = self._lanes.visible(queue)
        return count
