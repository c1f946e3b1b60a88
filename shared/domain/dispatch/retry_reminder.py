"""Retry reminders: rows that wake an execution whose retry is beyond the longest message delay."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.delivery.trace import Trace
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.names import Lane

LIFE_MS = 172_800_000
"""Two days from the instant of the retry: sweeps have looked at the reminder many times by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryReminder:
    """A row in a future bucket that wakes `target` for its retry. It is not part of the history."""

    dispatch_at: int
    target: ExecutionId
    claims: int
    """The target's number of claims; the reminder ends once its target has been claimed again."""
    tenant_id: str
    lane: Lane
    created_at: int
    destination: str = UNKNOWN
    trace: Trace | None = None
    state: State = State.PENDING
    shard: int = 0
    """A shard of the bucket in which the retry is due. The target's own shard may exist only at midnight or
    on quarter hours: no watcher would scan it."""

    @property
    def location(self) -> ExecutionId:
        """The row's key: the bucket in which the retry is due."""
        return replace(self.target, dispatch_at=self.dispatch_at, shard=self.shard)

    @property
    def expires_at_s(self) -> int:
        """When the row may expire, in epoch seconds. The sweep of the target's own bucket does not need it."""
        return (self.dispatch_at + LIFE_MS) // 1000
