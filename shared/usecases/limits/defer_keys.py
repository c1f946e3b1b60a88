"""Re-enqueue a deferred key as a new delayed message.

The received message is then deleted, so a wait uses no SQS receive, no attempt and no write to a table.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.executions.stages import WaitCause
from shared.domain.ids import ExecutionId
from shared.domain.limits.scopes import Deferral, WaitReason
from shared.names import QueueName
from shared.ports.dispatch import WakeupQueue
from shared.ports.runtime import Clock
from shared.usecases.limits.apply_backpressure import ReceivedMessage

_MOVES = frozenset({WaitReason.SLOW, WaitReason.LATE})
"""These keys move to another queue at once, which does not count as a wait."""


@dataclass(frozen=True, slots=True)
class DeferKeys:
    """Keys of one message with equal deferrals stay together in one message."""

    queue: WakeupQueue
    clock: Clock

    def execute(
        self, messages: Iterable[ReceivedMessage], deferred: Mapping[ExecutionId, Deferral]
    ) -> set[ExecutionId]:
        """The keys without a new message, whose old messages must be kept: their sends failed."""
        fresh: list[Wakeup] = []
        seen: set[ExecutionId] = set()
        now_ms = self.clock.now_ms()
        for message in messages:
            for deferral, keys in _by_deferral(message.wakeup, deferred, seen).items():
                later = _later(message, keys, deferral, now_ms)
                # The sweeper re-sends after `ends_at`: a copy beyond that would add up with the next one.
                if later.ends_at is None or later.not_before < later.ends_at:
                    fresh.append(later)
                    seen.update(keys)
        return {key for wakeup in self.queue.send(fresh, now_ms) for key in wakeup.keys} if fresh else set()


def _by_deferral(
    wakeup: Wakeup, deferred: Mapping[ExecutionId, Deferral], seen: set[ExecutionId]
) -> dict[Deferral, list[ExecutionId]]:
    groups: dict[Deferral, list[ExecutionId]] = defaultdict(list)
    for key in wakeup.keys:
        if key in deferred and key not in seen:
            groups[deferred[key]].append(key)
    return groups


def _later(message: ReceivedMessage, keys: list[ExecutionId], deferral: Deferral, now_ms: int) -> Wakeup:
    wakeup = message.wakeup
    via: QueueName | None = deferral.via or wakeup.via
    return replace(
        wakeup.only(keys),
        not_before=now_ms + deferral.wait_ms,
        via=via,
        waited=wakeup.waited + (deferral.reason not in _MOVES),
        wait=message.wait.deferred(WaitCause[deferral.reason.name], deferral.wait_ms),
    )
