"""The lanes between the fake queue and the executors, on a world's virtual clock."""

from dataclasses import dataclass

from shared.usecases.attempts.batch_report import Delivery
from tests.support.usecases.world import World

RECEIVES = 5
"""After this many receives, SQS moves the message to the dead-letter queue."""


@dataclass(slots=True)
class Received:
    """The receives of a message, and when it is visible again."""

    visible_at: int
    receives: int = 0


class Lanes:
    """Delivers messages to executors like SQS: until they are done, at most five times."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._received: dict[int, Received] = {}
        self._done: set[int] = set()

    def work(self, limit: int = 10) -> list[int]:
        """One batch of visible messages; returns the numbers of the finished messages."""
        now_ms = self._world.clock.now_ms()
        batch = [number for number in self._open() if self._received[number].visible_at <= now_ms][:limit]
        for number in batch:
            self._received[number].receives += 1
        report = self._world.run(*(self._delivery(number) for number in batch))
        returned = {int(settled.delivery.message_id): settled for settled in report.returned()}
        for number in batch:
            if number in returned:
                wait_ms = returned[number].visible_after_seconds * 1000
                self._received[number].visible_at = self._world.clock.now_ms() + wait_ms
            else:
                self._done.add(number)
        return [number for number in batch if number in self._done]

    def until(self, end_ms: int) -> None:
        """Let time pass up to an instant, and work whenever a message becomes visible."""
        while waiting := [self._received[number].visible_at for number in self._open()]:
            if min(waiting) > end_ms:
                break
            self._world.clock.time_ms = max(self._world.clock.time_ms, min(waiting))
            self.work()
        self._world.clock.time_ms = max(self._world.clock.time_ms, end_ms)

    def _open(self) -> list[int]:
        """The unfinished messages, without those that moved to the dead-letter queue."""
        for number, message in enumerate(self._world.queue.messages):
            self._received.setdefault(number, Received(visible_at=message.visible_at))
        numbers = sorted(self._received, key=lambda number: (self._received[number].visible_at, number))
        return [
            number
            for number in numbers
            if number not in self._done and self._received[number].receives < RECEIVES
        ]

    def _delivery(self, number: int) -> Delivery:
        message = self._world.queue.messages[number]
        return Delivery(
            message_id=str(number),
            sent_at=message.sent_at,
            receive_count=self._received[number].receives,
            wakeup=message.wakeup,
        )
