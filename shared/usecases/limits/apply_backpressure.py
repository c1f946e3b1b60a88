"""GIVE WAY: what is not due now makes room for what is, while a lane is behind.

Work in bulk (what is caught up with, and backfills, by default) waits while another lane is behind. In the standard
lane, while batches are full, what has been visible for long goes on through the lane for bulk, so that fresh work is
not behind it. There it yields to nobody: the workers for bulk have room while their own work waits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.domain.dispatch.sweep import BACKED_UP_MS, LATE_MS, YIELDS_AT_MOST_MS, LaneProgress
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.errors import PunctualError
from shared.domain.ids import ExecutionId
from shared.domain.limits.scopes import Deferral, WaitReason
from shared.names import EXECUTOR_BATCH, Lane, QueueName
from shared.ports.dispatch import LaneProgressStore
from shared.ports.runtime import Clock, Entropy

READ_EVERY_MS = 5_000
SPREAD_MS = 10_000
"""What makes room comes back in the course of so long once the last report is too old, and not as one wave."""
PREFERRED = (Lane.CRITICAL, Lane.STANDARD)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedMessage:
    """A message that was received, and when it could first have been."""

    wakeup: Wakeup
    visible_at: int
    receive_count: int


@dataclass(slots=True)
class ApplyBackpressure:
    """Belongs to one process."""

    progress: LaneProgressStore
    clock: Clock
    entropy: Entropy
    _read_at: int = 0
    _reports: list[LaneProgress] = field(default_factory=list)

    def execute(self, arrived: Sequence[ReceivedMessage], queue: QueueName) -> dict[ExecutionId, Deferral]:
        """The keys that wait or go on elsewhere. Raises nothing."""
        if queue is QueueName.STANDARD and len(arrived) >= EXECUTOR_BATCH:
            late = Deferral(reason=WaitReason.LATE, wait_ms=0, via=QueueName.BULK)
            return {key: late for one in arrived if self._is_late(one) for key in one.wakeup.keys}
        if queue is QueueName.BULK:
            own = [one.wakeup for one in arrived if one.wakeup.lane is Lane.BULK]
            return self._yield([key for wakeup in own for key in wakeup.keys if self._may_wait(key)])
        return {}

    def _yield(self, keys: Sequence[ExecutionId]) -> dict[ExecutionId, Deferral]:
        """To look again any sooner would cost messages, and find the same report."""
        left_ms = min(BACKED_UP_MS, self._behind_until() - self.clock.now_ms()) if keys else 0
        if left_ms <= 0:
            return {}
        wait_ms = left_ms + int(SPREAD_MS * self.entropy.draw())
        return dict.fromkeys(keys, Deferral(reason=WaitReason.BACKPRESSURE, wait_ms=wait_ms))

    def _is_late(self, one: ReceivedMessage) -> bool:
        """One that came through this queue though it is another lane's has waited enough; so has one that came back."""
        is_first = one.receive_count == 1 and one.wakeup.via is None
        return is_first and self.clock.now_ms() - one.visible_at >= LATE_MS

    def _may_wait(self, key: ExecutionId) -> bool:
        return self.clock.now_ms() - key.dispatch_at < YIELDS_AT_MOST_MS

    def _behind_until(self) -> int:
        """Until when another lane counts as being behind, by what it has said last."""
        now_ms = self.clock.now_ms()
        if now_ms - self._read_at >= READ_EVERY_MS:
            self._reports, self._read_at = self._read(), now_ms
        return max((report.reported_at + BACKED_UP_MS for report in self._reports), default=0)

    def _read(self) -> list[LaneProgress]:
        """A report that cannot be read is like none."""
        try:
            found = [self.progress.read(lane) for lane in PREFERRED]
        except PunctualError:
            return []
        return [report for report in found if report is not None]
