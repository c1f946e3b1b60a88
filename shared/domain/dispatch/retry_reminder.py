"""The pointer: a row that wakes an execution far ahead of the lanes' reach."""

from dataclasses import dataclass, replace

from shared.domain.delivery.destination import UNKNOWN
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.names import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryReminder:
    """A row in a future bucket that wakes an execution for a far-off retry. It is no part of the history."""

    dispatch_at: int
    target: ExecutionId
    attempt: int
    """The attempt that failed; the pointer ends when its target has moved on from it."""
    tenant_id: str
    lane: Lane
    created_at: int
    destination: str = UNKNOWN
    state: State = State.PENDING

    @property
    def location(self) -> ExecutionId:
        """Where the row stands: in the first shard of the bucket in which the retry is due.

        The target's own shard may be one that only midnights or quarter hours have; nobody would look there.
        """
        return replace(self.target, dispatch_at=self.dispatch_at, shard=0)
