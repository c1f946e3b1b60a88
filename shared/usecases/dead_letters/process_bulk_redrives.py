"""Process bulk redrives page by page. A page is processed first; the cursor moves afterwards.

A worker leases a task for each page, so that overlapping runs share the open tasks and do no work twice. The
version of the task is the fencing token of the lease. Any number of workers may process a task and crash
anywhere: a page that is processed again finds its redrives marked, and a worker whose lease was taken over
cannot move the cursor.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.bucket import MINUTE_MS
from shared.domain.dead_letters.redrive_task import AHEAD_MS, RedriveTask, TaskState
from shared.domain.errors import (
    PunctualError,
    RequestRejectedError,
    ServiceError,
    UnavailableError,
    UnreadableItemError,
)
from shared.domain.executions.retention import Retention
from shared.ports.dead_letters import RedriveTasks
from shared.ports.runtime import Clock
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.redrive_page import RedrivePage
from shared.usecases.dead_letters.undo_page import UndoPage

PAGE = 200
"""Dead letters of a page. A page takes a fixed number of round trips, since its batches go side by side."""
LOOKED_AT = 500
LEASE_MS = 30_000
"""Other workers leave a task alone for this long after its worker crashed in a page."""


@dataclass(slots=True)
class RedriveReport:
    redriven: int = 0
    undone: int = 0
    ended: int = 0
    unavailable: int = 0
    unreadable: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ProcessBulkRedrives:
    """Processes open tasks in rotation, a page each, so that a large task does not delay the others."""

    tasks: RedriveTasks
    list_dead_letters: ListDeadLetters
    redrive_page: RedrivePage
    undo_page: UndoPage
    clock: Clock
    retention: Retention

    def execute(self, has_time: Callable[[], bool] = lambda: True) -> RedriveReport:
        """Process open tasks while `has_time` returns true; the next run continues with the rest."""
        report = RedriveReport()
        waiting = deque(self.tasks.open())
        # Each minute begins with another task, in case that a run cannot reach all of them.
        waiting.rotate(-(self.clock.now_ms() // MINUTE_MS))
        while waiting and has_time():
            tenant_id, task_id = waiting.popleft()
            try:
                if self._advance(tenant_id, task_id, report):
                    waiting.append((tenant_id, task_id))
            except UnavailableError:
                report.unavailable += 1
            except (RequestRejectedError, UnreadableItemError):
                report.unreadable.append(task_id)
        return report

    def _advance(self, tenant_id: str, task_id: str, report: RedriveReport) -> bool:
        """Process one page, or end a finished task; whether more may be left to do."""
        task = self.tasks.get(tenant_id, task_id)
        if task is None or not task.is_open:
            return False
        if task.is_range_done:
            return self._end(task, report)
        after = self.page(task)
        if after is None:
            return False
        report.redriven += after.counts.redriven - task.counts.redriven
        report.undone += max(0, after.counts.cancelled - task.counts.cancelled)
        return True

    def page(self, task: RedriveTask) -> RedriveTask | None:
        """Process one page; None if the page is not due yet, or another worker leases or has moved the task."""
        now_ms = self.clock.now_ms()
        is_early = task.state is TaskState.RUNNING and task.next_due_at > now_ms + AHEAD_MS
        if is_early or task.lease_until > now_ms:
            return None
        leased = task.leased(now_ms + LEASE_MS)
        if not self.tasks.replace(task, leased):
            return None
        try:
            after = self._processed(leased, now_ms)
        except PunctualError:
            self._release(leased)
            raise
        return after if self.tasks.replace(leased, after) else None

    def _processed(self, task: RedriveTask, now_ms: int) -> RedriveTask:
        """The next version of the task, after its next page was processed."""
        found = self.list_dead_letters.page(
            task.tenant_id, task.rest, limit=PAGE, newest_first=False, at_most=LOOKED_AT
        )
        counts, next_due_at = task.counts, task.next_due_at
        if task.state is TaskState.RUNNING:
            counts, next_due_at = self.redrive_page.execute(task, found.items, now_ms)
        else:
            counts = self.undo_page.execute(task, found.items)
        return task.advanced_to(found.last.position if found.last else None, counts, next_due_at)

    def _release(self, leased: RedriveTask) -> None:
        """End the lease early, if the store allows it; otherwise it expires."""
        try:
            self.tasks.replace(leased, leased.leased(0))
        except ServiceError:
            return

    def _end(self, task: RedriveTask, report: RedriveReport) -> bool:
        """End a finished task; True if an undo must walk the range again, because a slow worker may still
        have filed."""
        now_ms = self.clock.now_ms()
        if task.state is TaskState.UNDOING and (task.pass_began_at or 0) < task.settles_at:
            again = replace(task.pass_begun(now_ms), version=task.version + 1)
            return now_ms >= task.settles_at and self.tasks.replace(task, again)
        is_ended = self.tasks.replace(task, task.ended(now_ms), self.retention.expires_at_s(now_ms))
        report.ended += is_ended
        return False
