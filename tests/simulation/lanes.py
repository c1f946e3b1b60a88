"""SQS as its documents allow it to be: at least once, in no order, late, and in partial batches."""

from collections.abc import Callable
from dataclasses import dataclass

import orjson

from shared.adapters.sqs.messages import encode_wakeup
from shared.domain.wakeup import Wakeup
from shared.names import Lane
from tests.fakes.sqs import Entry, FakeSqs
from tests.simulation.faults import Strike, Weather
from tests.simulation.hub import Hub
from tests.simulation.trace import Trace

VISIBILITY_MS = 450_000
MAX_RECEIVES = 5
BATCH = 10
POLL_MS = (2, 40)
QUEUE_URLS = {lane: f"https://sqs.example.com/{lane}" for lane in Lane}
_LANES = {url: lane for lane, url in QUEUE_URLS.items()}


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

    @property
    def keys(self) -> list[str]:
        """The executions that it names."""
        named: list[str] = orjson.loads(self.body)["keys"]
        return named


Consumer = Callable[[Lane, list[Message]], None]


class SimLanes(FakeSqs):
    """The service behind all lanes. `consume` starts an executor on a batch, `rescue` the handler of dead letters."""

    def __init__(self, hub: Hub, weather: Weather, trace: Trace, consume: Consumer, rescue: Consumer) -> None:
        super().__init__(self._take)
        self.messages: dict[str, Message] = {}
        self.sends = 0
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
        for _ in range(copies):
            self._accept_copy(_LANES[queue_url], entry["MessageBody"], entry["DelaySeconds"] * 1000)
        return True

    def _accept_copy(self, lane: Lane, body: str, delay_ms: int) -> None:
        visible_at = self._hub.now_ms + delay_ms
        if self._weather.strikes(Strike.LATE_MESSAGE):
            visible_at += self._rng.randint(1_000, 60_000)
        elif delay_ms and self._weather.strikes(Strike.EARLY_MESSAGE):
            visible_at = self._hub.now_ms + self._rng.randint(0, delay_ms)
        self.sends += 1
        message = Message(f"m{self.sends}", lane, body, sent_at=self._hub.now_ms, visible_at=visible_at)
        if self._weather.strikes(Strike.WASTE_RECEIVES):
            message.receives = MAX_RECEIVES
        self.messages[message.id] = message
        self._note(message, f"visible in {visible_at - self._hub.now_ms} ms")
        self._poll_at(message.lane, visible_at)

    def come_again(self, wakeup: Wakeup) -> None:
        """A duplicate of a message turns up out of nowhere."""
        self._accept_copy(wakeup.lane, encode_wakeup(wakeup), 0)

    def put_back(self, message: Message, after_ms: int) -> None:
        """A message that was received becomes visible again."""
        message.visible_at = self._hub.now_ms + after_ms
        self._note(message, f"returned for {after_ms} ms")
        self._poll_at(message.lane, message.visible_at)

    def delete(self, message: Message) -> None:
        """A message that was dealt with is gone; SQS may still deliver it once more."""
        if self._weather.strikes(Strike.REDELIVER):
            return
        self.messages.pop(message.id, None)

    def _note(self, message: Message, text: str) -> None:
        self._trace.note(self._hub.now_ms, message.id, text, message.keys)

    def _poll_at(self, lane: Lane, at_ms: int) -> None:
        self._hub.spawn(lambda: self._poll(lane), at_ms + self._rng.randint(*POLL_MS))

    def _poll(self, lane: Lane) -> None:
        visible = [
            message
            for message in self.messages.values()
            if message.lane is lane and message.visible_at <= self._hub.now_ms
        ]
        self._rng.shuffle(visible)
        batch = visible[:BATCH]
        if batch != sorted(batch, key=lambda message: message.sent_at):
            self._weather.note(Strike.REORDERED_BATCH)
        for message in batch:
            self._receive(message)
        living = [message for message in batch if not message.dead]
        dead = [message for message in batch if message.dead]
        if living:
            self._consume(lane, living)
        if dead:
            self._rescue(lane, dead)
        if len(visible) > BATCH:
            self._poll_at(lane, self._hub.now_ms)

    def _receive(self, message: Message) -> None:
        message.visible_at = self._hub.now_ms + VISIBILITY_MS
        message.receives += 1
        if not message.dead and message.receives > MAX_RECEIVES:
            message.dead = True
            self._weather.note(Strike.DEAD_MESSAGE)
        self._poll_at(message.lane, message.visible_at)
