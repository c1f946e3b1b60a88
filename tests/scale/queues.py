"""SQS and the event sources of Lambda: pollers, batches, fair message groups."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from infra.sizing import figures
from shared.names import QueueName
from tests.scale.machines import Machine
from tests.scale.meters import Meters
from tests.scale.stage import START_MS, Slice, Stage
from tests.simulation.hub import Hub
from tests.support.fakes.sqs import Entry, FakeSqs

BATCH = 10
QUEUE_URLS = {queue: f"https://sqs.example.com/{queue}" for queue in QueueName}
_QUEUES = {url: queue for queue, url in QUEUE_URLS.items()}
NOISY_SHARE, NOISY_LEAST = 0.1, 30
"""A group is noisy with more than a tenth of the messages in flight, and at least 30: as SQS documents it."""
JUDGE_MS = 1_000


@dataclass(slots=True)
class Message:
    id: str
    body: str
    group: str
    sent_at: int
    visible_at: float
    receives: int = 0
    first_received_at: int = 0


@dataclass(slots=True)
class Pollers:
    """The concurrency of one event source, of the whole stage: it grows while messages wait.

    `most` is the configured maximum. AWS documents the growth, not what triggers it.
    """

    most: float
    least: float = figures.POLLERS_FIRST.value
    now: float = figures.POLLERS_FIRST.value
    per_minute: float = figures.POLLERS_PER_MINUTE.value

    def judge(self, oldest_wait_ms: float, busy_share: float, elapsed_ms: float) -> None:
        step = self.per_minute * elapsed_ms / 60_000
        if oldest_wait_ms >= figures.POLLERS_WAIT_MS.value:
            self.now = min(self.most, self.now + step)
        elif busy_share < 0.5:
            self.now = max(self.least, self.now - step)


@dataclass(slots=True)
class Lane:
    """One queue with its event source. On the average of a second the slice has its part of the stage's pollers.

    In an instant it may have more: the messages of a page become visible together, those of other slices at
    other instants, and any idle poller of the stage takes them.
    """

    name: QueueName
    pollers: Pollers
    factor: float
    groups: dict[str, deque[Message]] = field(default_factory=dict)
    """Visible messages by group, in the order of the groups' turns."""
    visible: int = 0
    busy: int = 0
    in_flight: int = 0
    flight_of: Counter[str] = field(default_factory=Counter)
    noisy: frozenset[str] = frozenset()
    busy_area: float = 0
    """Sum of busy executors over milliseconds."""
    judged_area: float = 0
    changed_at: float = START_MS
    borrows: bool = True
    """False where all slices have their messages at the same instant, so that no poller is idle."""
    credit_ms: float = 0
    """Executor milliseconds of the last second that the slice has not used."""
    most_in_flight: int = 0
    most_busy: int = 0
    most_visible: int = 0
    worst_wait_ms: float = 0

    @property
    def own(self) -> float:
        """The slice's part of the pollers."""
        return self.pollers.now / self.factor

    def may_start(self) -> bool:
        has_credit = self.borrows and self.credit_ms > 0
        return self.busy < self.own or (has_credit and self.busy < self.pollers.now)

    def set_busy(self, change: int, now_ms: float) -> None:
        elapsed_ms = now_ms - self.changed_at
        self.busy_area += self.busy * elapsed_ms
        self.credit_ms = min(self.own * 1_000, self.credit_ms + (self.own - self.busy) * elapsed_ms)
        self.changed_at = now_ms
        self.busy += change
        self.most_busy = max(self.most_busy, self.busy)

    def add(self, message: Message) -> None:
        self.groups.setdefault(message.group, deque()).append(message)
        self.visible += 1
        self.most_visible = max(self.most_visible, self.visible)

    def take(self) -> list[Message]:
        """Up to ten messages: those of quiet groups first, one group after another."""
        taken: list[Message] = []
        for is_noisy in (False, True):
            if len(taken) == BATCH or (is_noisy and not self.noisy):
                break
            while len(taken) < BATCH:
                group = next((name for name in self.groups if (name in self.noisy) is is_noisy), None)
                if group is None:
                    break
                waiting = self.groups.pop(group)
                taken.append(waiting.popleft())
                if waiting:
                    self.groups[group] = waiting
        self.visible -= len(taken)
        return taken

    def oldest_wait_ms(self, now_ms: float) -> float:
        """Of the quiet groups: a noisy group waits for its turn."""
        waits = (
            now_ms - waiting[0].visible_at for name, waiting in self.groups.items() if name not in self.noisy
        )
        return max(waits, default=0)

    def mean_busy(self, now_ms: float) -> float:
        """Busy executors since the last judgement."""
        self.set_busy(0, now_ms)
        area, self.judged_area = self.busy_area - self.judged_area, self.busy_area
        return area / JUDGE_MS

    def judge(self) -> None:
        total = sum(self.flight_of.values())
        self.noisy = frozenset(
            name
            for name, count in self.flight_of.items()
            if count >= NOISY_LEAST and count > NOISY_SHARE * total
        )


def _pollers(stage: Stage, queue: QueueName) -> Pollers:
    first = stage.first_executors(queue)
    per_minute = stage.executors_per_minute(queue)
    return Pollers(most=stage.executors(queue), least=first, now=first, per_minute=per_minute)


class ScaleSqs(FakeSqs):
    """All queues of the stage. `consume` starts an executor on a batch."""

    def __init__(
        self,
        hub: Hub,
        meters: Meters,
        part: Slice,
        consume: Callable[[QueueName, list[Message]], None],
    ) -> None:
        super().__init__(self._take)
        self.lanes = {queue: Lane(queue, _pollers(part.stage, queue), part.factor) for queue in QueueName}
        self.sent = 0
        self._hub = hub
        self._meters = meters
        self._consume = consume
        self._slots: dict[int, list[tuple[Lane, Message]]] = defaultdict(list)

    def start(self) -> None:
        """Event sources judge their pollers every second."""

        def judge() -> None:
            for lane in self.lanes.values():
                lane.judge()
                wait_ms = lane.oldest_wait_ms(self._hub.now_ms)
                lane.worst_wait_ms = max(lane.worst_wait_ms, wait_ms)
                busy = lane.mean_busy(self._hub.now_ms)
                lane.pollers.judge(wait_ms, busy / lane.own, JUDGE_MS)
                self._meters.counts[f"busy {lane.name}"].add(self._hub.now_ms, busy)
                self._meters.counts[f"visible {lane.name}"].add(self._hub.now_ms, lane.visible)
                self._poll(lane)
            self._hub.spawn(judge, self._hub.now_ms + JUDGE_MS)

        self._hub.spawn(judge)

    def visible(self, queue: QueueName) -> int:
        return self.lanes[queue].visible

    def _take(self, queue_url: str, entry: Entry) -> bool:
        lane, now_ms = self.lanes[_QUEUES[queue_url]], self._hub.now_ms
        self.sent += 1
        message = Message(
            f"m{self.sent}",
            entry["MessageBody"],
            entry["MessageGroupId"],
            int(now_ms),
            now_ms + entry["DelaySeconds"] * 1000,
        )
        self._meters.counts[f"messages {lane.name}"].add(now_ms, 1)
        self.show(lane, message)
        return True

    def show(self, lane: Lane, message: Message) -> None:
        """Make a message visible at its instant."""
        slot = int(message.visible_at)
        if slot not in self._slots:
            self._hub.spawn(lambda: self._open(slot), max(slot, int(self._hub.now_ms)))
        self._slots[slot].append((lane, message))

    def _open(self, slot: int) -> None:
        shown = self._slots.pop(slot)
        for lane, message in shown:
            lane.add(message)
        for lane in {id(lane): lane for lane, _ in shown}.values():
            self._poll(lane)

    def _poll(self, lane: Lane) -> None:
        lane.set_busy(0, self._hub.now_ms)
        while lane.visible and lane.may_start():
            batch = lane.take()
            for message in batch:
                message.receives += 1
                message.first_received_at = message.first_received_at or int(self._hub.now_ms)
                lane.flight_of[message.group] += 1
            lane.in_flight += len(batch)
            lane.set_busy(1, self._hub.now_ms)
            lane.most_in_flight = max(lane.most_in_flight, lane.in_flight)
            self._consume(lane.name, batch)

    def finished(self, queue: QueueName, batch: list[Message], returned: Mapping[str, int]) -> None:
        """A batch is over; `returned` are the seconds after which a message comes back."""
        lane = self.lanes[queue]
        lane.in_flight -= len(batch)
        for message in batch:
            lane.flight_of[message.group] -= 1
            if not lane.flight_of[message.group]:
                del lane.flight_of[message.group]
            if message.id in returned:
                message.visible_at = self._hub.now_ms + returned[message.id] * 1000
                self.show(lane, message)
        lane.set_busy(-1, self._hub.now_ms)
        self._poll(lane)

    def begin(self) -> None:
        """The measurement begins."""
        for lane in self.lanes.values():
            lane.most_in_flight = lane.in_flight
            lane.most_busy = lane.busy
            lane.most_visible, lane.worst_wait_ms = lane.visible, 0


class ChargedSqs:
    """The client of one machine: each request takes its time."""

    def __init__(self, sqs: ScaleSqs, machine: Machine, meters: Meters) -> None:
        self._sqs = sqs
        self._machine = machine
        self._meters = meters

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        self._meters.counts["sqs requests"].add(self._machine.hub.now_ms, 1)
        cpu_ms = figures.cpu("request") + len(request["Entries"]) * figures.cpu("message")
        self._machine.spend(cpu_ms, figures.latency("sqs"))
        return self._sqs.send_message_batch(**request)

    def visible(self, queue: QueueName) -> int:
        self._meters.counts["sqs requests"].add(self._machine.hub.now_ms, 1)
        self._machine.spend(figures.cpu("request"), figures.latency("sqs"))
        return self._sqs.visible(queue)
