"""Measure how long executions without a worker are overdue: the metric that pages operators.

Throttled jobs (limits, circuit breakers, backpressure) are measured separately while their lane is working.
If no worker of the lane is running, they count as unclaimed: a throttled tenant must not hide an outage. A run
that waits for an earlier run of its job is measured separately, too: the earlier run is measured by its own row.

The execution of a lost worker, or one whose heartbeats have ended, has no message until a pass of the sweeper
sends one. It is overdue since the latest message, because the pass may find it late; but if its lane stands still,
since its lease ended.
"""

from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import PunctualError
from shared.domain.executions.execution import GUARDED_FROM
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.names import Lane
from shared.usecases.ticks.held_runs import HeldRuns
from shared.usecases.ticks.lane_snapshot import LaneSnapshot

MAX_GUARDED = 500
"""Only this many of the oldest guarded executions are checked, in some seconds at the end of a run. The others
count as held: an outage also shows in executions without a guard."""


@dataclass(slots=True)
class MeasureOverdue:
    """Belongs to one run of the sweeper; `result` is correct once all rows were measured."""

    lanes: LaneSnapshot
    held_runs: HeldRuns
    _unclaimed_ms: int = 0
    _waiting_ms: dict[Lane, int] = field(default_factory=dict)
    _lost_ms: dict[Lane, int] = field(default_factory=dict)
    """Executions of lost workers for which an earlier pass has sent a message, since their leases ended."""
    _guarded_ms: dict[ExecutionId, int] = field(default_factory=dict)
    """Executions that no worker has admitted: one may wait for another run, or for a worker."""

    def execute(self, row: DueRow, last_resend_at: int | None, now_ms: int) -> None:
        """Measure one row that has not ended, of a shard whose latest messages were sent at `last_resend_at`.

        The target of a reminder is measured by its own row.
        """
        due_at = _due_at(row)
        if due_at is None or due_at >= now_ms or row.reminder_target is not None:
            return
        if row.state is State.RUNNING and (last_resend_at or 0) < due_at:
            return  # The pass that measures it sends its first message.
        overdue_ms = now_ms - due_at
        if self.lanes.is_throttled(row, now_ms):
            self._waiting_ms[row.lane] = max(self._waiting_ms.get(row.lane, 0), overdue_ms)
        elif row.state in NOT_STARTED and row.claimable_from == GUARDED_FROM:
            self._guarded_ms[row.id] = overdue_ms
        elif row.state is State.RUNNING:
            self._lost_ms[row.lane] = max(self._lost_ms.get(row.lane, 0), overdue_ms)
            self._unclaimed_ms = max(self._unclaimed_ms, now_ms - (last_resend_at or 0))
        else:
            self._unclaimed_ms = max(self._unclaimed_ms, overdue_ms)

    def result(self, now_ms: int) -> tuple[int, int]:
        """The longest overdue times in ms: of unclaimed jobs, and of throttled and held jobs."""
        late = (*self._waiting_ms.items(), *self._lost_ms.items())
        at_work = {lane for lane in dict(late) if self.lanes.is_working(lane, now_ms)}
        idle = (overdue_ms for lane, overdue_ms in late if lane not in at_work)
        waiting = (overdue_ms for lane, overdue_ms in self._waiting_ms.items() if lane in at_work)
        held = self._held()
        unadmitted = (overdue_ms for run, overdue_ms in self._guarded_ms.items() if run not in held)
        return (
            max((self._unclaimed_ms, *idle, *unadmitted)),
            max((*waiting, *(self._guarded_ms[run] for run in held)), default=0),
        )

    def _held(self) -> set[ExecutionId]:
        """The guarded executions that wait for another run; none if that cannot be read."""
        oldest = sorted(self._guarded_ms, key=lambda run: self._guarded_ms[run], reverse=True)
        try:
            return self.held_runs.among(oldest[:MAX_GUARDED]) | set(oldest[MAX_GUARDED:])
        except PunctualError:
            return set()


def _due_at(row: DueRow) -> int | None:
    """When a worker had to claim the row: at its due time, at its retry, or when the lease of a lost worker ended."""
    if row.state in NOT_STARTED:
        return row.id.dispatch_at
    return row.next_attempt_at if row.state is State.WAITING else row.claimable_from
