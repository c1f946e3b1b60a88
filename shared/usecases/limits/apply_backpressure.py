"""Backpressure: while a lane is behind, defer bulk work, and move old standard work to the bulk queue.

Bulk work (catch-up runs and backfills, by default) waits while the critical or the standard lane is behind.
In full batches of the standard queue, messages that have been visible for long move to the bulk queue, so
that fresh work is not stuck behind them. There they are not deferred: bulk workers have capacity while bulk
work waits.
"""

from collections.abc import Sequence
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.dispatch.sweep import BACKED_UP_MS, LATE_MS, MAX_YIELD_MS, LaneProgress
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.errors import PunctualError
from shared.domain.executions.stages import WaitCause
from shared.domain.ids import ExecutionId
from shared.domain.limits.scopes import Deferral, WaitReason
from shared.names import EXECUTOR_BATCH, Lane, QueueName
from shared.ports.dispatch import LaneProgressStore
from shared.ports.runtime import Clock, Entropy

READ_EVERY_MS = 5_000
SPREAD_MS = 10_000
"""Deferred bulk work comes back over this time after the last report expires, not as one wave."""
PREFERRED_LANES = (Lane.CRITICAL, Lane.STANDARD)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedMessage:
    """A message of a batch. `visible_at` is the instant from which it could be received."""

    wakeup: Wakeup
    visible_at: int
    receive_count: int
    wait: WaitSoFar
    """Since the first receive, of this message or of the one that it takes the place of."""

    def due_at(self, key: ExecutionId) -> int:
        """When a key was due, as far as the message says. Of a retry, and of a run that events have postponed, that is
        later than the instant of the ID. A message that was deferred says since when its first one was visible.
        """
        if self.wakeup.wait is None:
            return max(key.dispatch_at, self.wakeup.not_before)
        return key.dispatch_at if self.wakeup.is_resent else max(key.dispatch_at, self.wait.visible_at)


@dataclass(slots=True)
class ApplyBackpressure:
    progress: LaneProgressStore
    clock: Clock
    entropy: Entropy
    _read_at: int = 0
    _reports: list[LaneProgress] = field(default_factory=list)

    def deferrals(self, messages: Sequence[ReceivedMessage], queue: QueueName) -> dict[ExecutionId, Deferral]:
        """The keys that wait or move to another queue. Raises nothing."""
        if queue is QueueName.STANDARD and len(messages) >= EXECUTOR_BATCH:
            late = Deferral(reason=WaitReason.LATE, wait_ms=0, via=QueueName.BULK)
            return {
                key: late for message in messages if self._is_late(message) for key in message.wakeup.keys
            }
        if queue is QueueName.BULK:
            bulk = [message for message in messages if message.wakeup.lane is Lane.BULK]
            return self._defer(
                [key for each in bulk for key in each.wakeup.keys if self._may_wait(each, key)]
            )
        return {}

    def _defer(self, keys: Sequence[ExecutionId]) -> dict[ExecutionId, Deferral]:
        """Until the last report expires: an earlier look would cost messages and read the same report."""
        left_ms = min(BACKED_UP_MS, self._lane_busy_until() - self.clock.now_ms()) if keys else 0
        if left_ms <= 0:
            return {}
        wait_ms = left_ms + int(SPREAD_MS * self.entropy.draw())
        return dict.fromkeys(keys, Deferral(reason=WaitReason.BACKPRESSURE, wait_ms=wait_ms))

    def _is_late(self, message: ReceivedMessage) -> bool:
        """A message from another lane's queue, or one received before, has waited already and stays."""
        is_first = message.receive_count == 1 and message.wakeup.via is None
        return is_first and self.clock.now_ms() - message.visible_at >= LATE_MS

    def _may_wait(self, message: ReceivedMessage, key: ExecutionId) -> bool:
        return self.clock.now_ms() - _yields_from(message, key) < MAX_YIELD_MS

    def _lane_busy_until(self) -> int:
        """When the last report of a preferred lane expires; 0 where none is behind."""
        now_ms = self.clock.now_ms()
        if now_ms - self._read_at >= READ_EVERY_MS:
            self._reports, self._read_at = self._read(), now_ms
        return max((report.reported_at + BACKED_UP_MS for report in self._reports), default=0)

    def _read(self) -> list[LaneProgress]:
        """Without an answer from the store no lane counts as behind."""
        try:
            reports = [self.progress.read(lane) for lane in PREFERRED_LANES]
        except PunctualError:
            return []
        return [report for report in reports if report is not None]


def _yields_from(message: ReceivedMessage, key: ExecutionId) -> int:
    """From when the time counts for which a key makes room: from its due time.

    A deferred message no longer names that. Backpressure lets a message wait whose key is due far behind the instant of
    its ID only if that was postponed. In all other cases a late first message would prolong the wait.
    """
    due_at = message.due_at(key)
    if message.wakeup.wait is None:
        return due_at
    is_postponed = message.wait.cause is WaitCause.BACKPRESSURE and due_at - key.dispatch_at >= MAX_YIELD_MS
    return due_at if is_postponed else key.dispatch_at
