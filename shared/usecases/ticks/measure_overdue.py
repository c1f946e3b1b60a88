"""MEASURE how long jobs are overdue that no worker has claimed: what operators are woken for.

What waits as ordered, for a limit, a destination or other lanes, is measured apart, as long as its lane is at work:
a tenant that waits must not hide that nobody works.
"""

from dataclasses import dataclass, field

from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.states import NOT_STARTED
from shared.names import Lane
from shared.usecases.ticks.lane_snapshot import LaneSnapshot


@dataclass(slots=True)
class MeasureOverdue:
    """Belongs to one run of the sweeper. What is known of a lane is known when all its rows were seen."""

    lanes: LaneSnapshot
    _unclaimed_ms: int = 0
    _waiting_ms: dict[Lane, int] = field(default_factory=dict)

    def execute(self, row: DueRow, now_ms: int) -> None:
        """Look at one row that has not ended."""
        if row.state not in NOT_STARTED or row.reminder_target is not None:
            return
        overdue_ms = now_ms - row.id.dispatch_at
        if self.lanes.waits_as_ordered(row, now_ms):
            self._waiting_ms[row.lane] = max(self._waiting_ms.get(row.lane, 0), overdue_ms)
        else:
            self._unclaimed_ms = max(self._unclaimed_ms, overdue_ms)

    def result(self, now_ms: int) -> tuple[int, int]:
        """The most by which a job is overdue that no worker has come to, and one that waits as ordered."""
        at_work = {lane for lane in self._waiting_ms if self.lanes.is_at_work(lane, now_ms)}
        idle = (overdue_ms for lane, overdue_ms in self._waiting_ms.items() if lane not in at_work)
        waiting = (self._waiting_ms[lane] for lane in at_work)
        return max((self._unclaimed_ms, *idle)), max(waiting, default=0)
