"""SQS as its documents allow it to be: at least once, in no order, late, and in partial batches."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from shared.adapters.sqs.messages import encode_wakeup
from shared.domain.wakeup import MAX_DELAY_SECONDS, Wakeup, delay_seconds
from shared.names import Lane
from tests.simulation.faults import FaultMix
from tests.simulation.hub import Hub

VISIBILITY_MS = 450_000
MAX_RECEIVES = 5
BATCH = 10
POLL_MS = (2, 40)


@dataclass(slots=True)
class Message:
    """One message in a lane or in its dead-letter queue."""

    id: str
    lane: Lane
    body: str
    sent_at: int
    visible_at: int
    receives: int = 0
    dead: bool = False


Consumer = Callable[[Lane, list[Message]], None]


@dataclass(slots=True)
class SimLanes:
    """All lanes. `consume` starts an executor on a batch, `rescue` the handler of dead letters."""

    hub: Hub
    rng: random.Random
    mix: Callable[[], FaultMix]
    consume: Consumer
    rescue: Consumer
    messages: dict[str, Message] = field(default_factory=dict)
    sends: int = 0

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        """The queue's side of the port: no fault of the caller's is in here, only the queue's own."""
        for wakeup in wakeups:
            delay = delay_seconds(wakeup.not_before, now_ms)
            assert 0 <= delay <= MAX_DELAY_SECONDS
            copies = 1 + (self.rng.random() < self.mix().double_message)
            if self.rng.random() < self.mix().lose_message:
                copies = 0
            for _ in range(copies):
                self._accept(wakeup, delay)
        return []

    def _accept(self, wakeup: Wakeup, delay: int) -> None:
        self.sends += 1
        visible_at = self.hub.now_ms + delay * 1000
        if self.rng.random() < self.mix().late_message:
            visible_at += self.rng.randint(1_000, 60_000)
        elif self.rng.random() < self.mix().early_message:
            visible_at = self.hub.now_ms + self.rng.randint(0, delay * 1000)
        message = Message(
            id=f"m{self.sends}",
            lane=wakeup.lane,
            body=encode_wakeup(wakeup),
            sent_at=self.hub.now_ms,
            visible_at=visible_at,
        )
        self.messages[message.id] = message
        self._poll_at(message.lane, visible_at)

    def put_back(self, message: Message, after_ms: int) -> None:
        """A message that was received becomes visible again."""
        message.visible_at = self.hub.now_ms + after_ms
        self._poll_at(message.lane, message.visible_at)

    def delete(self, message: Message) -> None:
        """A message that was dealt with is gone."""
        self.messages.pop(message.id, None)

    def _poll_at(self, lane: Lane, at_ms: int) -> None:
        self.hub.spawn(lambda: self._poll(lane), at_ms + self.rng.randint(*POLL_MS))

    def _poll(self, lane: Lane) -> None:
        visible = [
            message
            for message in self.messages.values()
            if message.lane is lane and message.visible_at <= self.hub.now_ms
        ]
        self.rng.shuffle(visible)
        batch = visible[:BATCH]
        for message in batch:
            message.visible_at = self.hub.now_ms + VISIBILITY_MS
            message.receives += 1
            message.dead = message.dead or message.receives > MAX_RECEIVES
            self._poll_at(lane, message.visible_at)
        living = [message for message in batch if not message.dead]
        dead = [message for message in batch if message.dead]
        if living:
            self.consume(lane, living)
        if dead:
            self.rescue(lane, dead)
        if len(visible) > BATCH:
            self._poll_at(lane, self.hub.now_ms)
