"""Measure how long executions without a worker are overdue: the metric that pages operators.

Throttled jobs (limits, circuit breakers, backpressure) are measured separately while their lane is working.
If no worker of the lane is running, they count as unclaimed: a throttled tenant must not hide an outage.
"""

from dataclasses import dataclass, field

from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.states import NOT_STARTED, State
from shared.names import Lane
from shared.usecases.ticks.lane_snapshot import LaneSnapshot


@dataclass(slots=True)
class MeasureOverdue:
    """Belongs to one run of the sweeper; `result` is correct once all rows were measured."""

    lanes: LaneSnapshot
    _unclaimed_ms: int = 0
    _waiting_ms: dict[Lane, int] = field(default_factory=dict)

    def execute(self, row: DueRow, now_ms: int) -> None:
        """Measure one row that has not ended. The target of a reminder is measured by its own row."""
        due_at = _due_at(row)
        if due_at is None or due_at >= now_ms or row.reminder_target is not None:
            return
        overdue_ms = now_ms - due_at
        if self.lanes.is_throttled(row, now_ms):
            self._waiting_ms[row.lane] = max(self._waiting_ms.get(row.lane, 0), overdue_ms)
        else:
            self._unclaimed_ms = max(self._unclaimed_ms, overdue_ms)

    def result(self, now_ms: int) -> tuple[int, int]:
        """The longest overdue times in ms: of unclaimed jobs, and of throttled jobs."""
        at_work = {lane for lane in self._waiting_ms if self.lanes.is_working(lane, now_ms)}
        idle = (overdue_ms for lane, overdue_ms in self._waiting_ms.items() if lane not in at_work)
        waiting = (self._waiting_ms[lane] for lane in at_work)
        return max((self._unclaimed_ms, *idle)), max(waiting, default=0)


def _due_at(row: DueRow) -> int | None:
    """When a worker had to claim the row: at its due time, at its retry, or when the lease of a lost worker ended."""
    if row.state in NOT_STARTED:
        return row.id.dispatch_at
    return row.next_attempt_at if row.state is State.WAITING else row.claimable_from
