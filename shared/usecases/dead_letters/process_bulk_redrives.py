"""Process bulk redrives page by page. A page that is processed again finds its redrives marked."""

from dataclasses import replace
from functools import partial

from shared.dataclass import dataclass
from shared.domain.dead_letters.redrive_task import AHEAD_MS, RedriveTask, TaskState
from shared.domain.executions.retention import Retention
from shared.domain.listings.position import due_position
from shared.ports.bulk import RedriveTasks
from shared.ports.runtime import Clock
from shared.usecases.bulk.lease_page import LeasePage
from shared.usecases.bulk.process_bulk_tasks import BulkReport, Rest, Step
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.redrive_page import RedrivePage
from shared.usecases.dead_letters.undo_page import UndoPage

PAGE = 200
"""Dead letters of a page. A page takes a fixed number of round trips, since its batches go side by side."""
LOOKED_AT = 500


@dataclass(frozen=True, slots=True)
class ProcessBulkRedrives:
    """The worker of bulk redrives."""

    tasks: RedriveTasks
    list_dead_letters: ListDeadLetters
    redrive_page: RedrivePage
    undo_page: UndoPage
    clock: Clock
    retention: Retention

    def open(self) -> list[tuple[str, str]]:
        return self.tasks.open()

    def advance(self, tenant_id: str, task_id: str, report: BulkReport) -> Step:
        """Process one page, or end a finished task."""
        task = self.tasks.get(tenant_id, task_id)
        if task is None or not task.is_open:
            return Rest.ENDED
        if task.is_range_done:
            return self.clock.now_ms() if self._end(task, report) else Rest.ENDED
        after = self.page(task)
        if after is None:
            return Rest.HELD
        if after.position == task.position:
            return Rest.HELD  # A run waits for a minute with room.
        report.redriven += after.counts.redriven - task.counts.redriven
        report.undone += max(0, after.counts.cancelled - task.counts.cancelled)
        return self.clock.now_ms()

    def page(self, task: RedriveTask) -> RedriveTask | None:
        """Process one page; None if the page is not due yet, or another worker leases or has moved the task."""
        now_ms = self.clock.now_ms()
        if task.state is TaskState.RUNNING and task.next_due_at > now_ms + AHEAD_MS:
            return None
        return LeasePage(self.tasks).execute(task, now_ms, partial(self._processed, now_ms=now_ms))

    def _processed(self, task: RedriveTask, now_ms: int) -> RedriveTask:
        """The next version of the task, after its next page was processed."""
        found = self.list_dead_letters.page(
            task.tenant_id, task.rest, limit=PAGE, newest_first=False, at_most=LOOKED_AT
        )
        position = found.last.position if found.last else None
        counts, next_due_at = task.counts, task.next_due_at
        waits_since: int | None = None
        if task.state is TaskState.RUNNING:
            result = self.redrive_page.execute(task, found.items, now_ms)
            counts, next_due_at, end = result.counts, result.next_due_at, result.end
            waits_since = result.waits_since
        else:
            counts, end = self.undo_page.execute(task, found.items)
        if end < len(found.items):
            position = due_position(found.items[end - 1].id) if end else task.position
        return task.advanced_to(position, counts, next_due_at, waits_since)

    def _end(self, task: RedriveTask, report: BulkReport) -> bool:
        """End a finished task; True if an undo must walk the range again, because a slow worker may still
        have filed."""
        now_ms = self.clock.now_ms()
        if task.state is TaskState.UNDOING and (task.pass_began_at or 0) < task.settles_at:
            again = replace(task.pass_begun(now_ms), version=task.version + 1)
            return now_ms >= task.settles_at and self.tasks.replace(task, again)
        is_ended = self.tasks.replace(task, task.ended(now_ms), self.retention.expires_at_s(now_ms))
        report.ended += is_ended
        return False
