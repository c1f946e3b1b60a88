"""The lanes in memory, stricter than SQS and its emulators."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.dispatch.wakeup import MAX_DELAY_SECONDS, Wakeup, delay_seconds
from shared.domain.ids import ExecutionId
from shared.names import Lane, QueueName


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """An accepted message; visible from `visible_at` on."""

    wakeup: Wakeup
    sent_at: int
    visible_at: int


class FakeWakeupQueue:
    """Records sent messages in order. A test can make certain sends fail once."""

    def __init__(self) -> None:
        self.messages: list[SentMessage] = []
        self.backlog: dict[QueueName, int] = {}
        """The reported number of visible messages of each queue."""
        self.resent: list[tuple[QueueName, NewerMessage]] = []
        self.refuses_resends = False
        self._failing: set[ExecutionId] = set()

    def fail_once(self, *keys: ExecutionId) -> None:
        """Refuse the next message that names any of these executions."""
        self._failing.update(keys)

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        return [wakeup for wakeup in wakeups if not self._accept(wakeup, now_ms)]

    def resend(self, queue: QueueName, message: NewerMessage) -> bool:
        if not self.refuses_resends:
            self.resent.append((queue, message))
        return not self.refuses_resends

    def receivable(self, queue: Lane | QueueName, now_ms: int) -> list[SentMessage]:
        """The messages of a queue that can be received now."""
        return [
            message
            for message in self.messages
            if message.wakeup.queue == queue and message.visible_at <= now_ms
        ]

    def visible(self, queue: QueueName) -> int:
        return self.backlog.get(queue, 0)

    def _accept(self, wakeup: Wakeup, now_ms: int) -> bool:
        failing = self._failing.intersection(wakeup.keys)
        if failing:
            self._failing -= failing
            return False
        delay = delay_seconds(wakeup.not_before, now_ms)
        if not 0 <= delay <= MAX_DELAY_SECONDS:
            raise ValueError(f"SQS holds a message for 0 to {MAX_DELAY_SECONDS} seconds, not {delay}")
        self.messages.append(SentMessage(wakeup=wakeup, sent_at=now_ms, visible_at=now_ms + delay * 1000))
        return True


def even(tenant_ids: Collection[str]) -> Mapping[str, int]:
    """Equal weights for all tenants."""
    return dict.fromkeys(tenant_ids, 1)
