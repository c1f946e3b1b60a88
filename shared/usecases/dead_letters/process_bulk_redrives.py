"""Process bulk redrives page by page. A page is processed first; the cursor moves afterwards.

Any number of workers may process a task and crash anywhere. A page that is processed again finds its redrives
marked, and a worker whose cursor write is rejected stops.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from shared.domain.dead_letters.redrive_task import AHEAD_MS, RedriveTask, TaskCounts, TaskState
from shared.domain.errors import (
    NotFoundError,
    PunctualError,
    RequestRejectedError,
    ServiceError,
    UnavailableError,
    UnknownVersionError,
    UnreadableItemError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import NOT_STARTED, EndReason, State, Transition
from shared.ports.dead_letters import RedriveTasks
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.dead_letters.follow_redrives import RedriveLink, follow_redrives
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.redrive_execution import RedriveExecution
from shared.usecases.outcomes.finalize_execution import FinalizeExecution

PAGE = 50
LOOKED_AT = 500


@dataclass(slots=True)
class RedriveReport:
    redriven: int = 0
    undone: int = 0
    ended: int = 0
    unavailable: int = 0
    unreadable: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ProcessBulkRedrives:
    """Processes open tasks in rotation, so that a large task does not delay the others."""

    tasks: RedriveTasks
    list_dead_letters: ListDeadLetters
    redrive: RedriveExecution
    store: ExecutionStore
    finalize: FinalizeExecution
    clock: Clock
    retention: Retention

    def execute(self, has_time: Callable[[], bool] = lambda: True) -> RedriveReport:
        """Process open tasks while `has_time` returns true; the next run continues with the rest."""
        report = RedriveReport()
        waiting = deque(self.tasks.open())
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
        """Process one page; None if the page is not due yet or another worker moved the cursor first."""
        now_ms = self.clock.now_ms()
        if task.state is TaskState.RUNNING and task.next_due_at > now_ms + AHEAD_MS:
            return None
        found = self.list_dead_letters.page(
            task.tenant_id, task.rest, limit=PAGE, newest_first=False, at_most=LOOKED_AT
        )
        work = self._redrive_all if task.state is TaskState.RUNNING else self._undo_all
        counts, next_due_at = work(task, found.items, now_ms)
        after = task.advanced_to(found.last.position if found.last else None, counts, next_due_at)
        return after if self.tasks.replace(task, after) else None

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

    def _redrive_all(
        self, task: RedriveTask, dead: tuple[Execution, ...], now_ms: int
    ) -> tuple[TaskCounts, int]:
        counts, number = task.counts, 0
        base_at = max(task.next_due_at, now_ms)
        for execution in dead:
            try:
                is_redriven = self._redrive_one(task, execution, task.due_at(base_at, number))
            except (ServiceError, UnknownVersionError):
                raise
            except PunctualError:
                counts = replace(counts, refused=counts.refused + 1)
                continue
            if is_redriven:
                number += 1
                counts = replace(counts, redriven=counts.redriven + 1)
            else:
                counts = replace(counts, skipped=counts.skipped + 1)
        return counts, base_at + -(-number * 1000 // task.rate)

    def _redrive_one(self, task: RedriveTask, dead: Execution, due_at: int) -> bool:
        """Whether this task owns the redrive. Redrives of others are kept, unless they were cancelled."""
        for link in follow_redrives(self.store, dead):
            is_own = link.mark.task == task.id
            if link.existing is None:
                self.redrive.ensure_filed(link.last, link.mark.execution)
                return is_own
            if is_own:
                self.redrive.file.ensure_sent(link.existing)
                return True
            if link.existing.state is not State.CANCELLED:
                return False
        self.redrive.after(dead, due_at, task.id)
        return True

    def _undo_all(self, task: RedriveTask, dead: tuple[Execution, ...], _: int) -> tuple[TaskCounts, int]:
        counts = task.counts
        for execution in dead:
            for link in self._links(execution, task):
                if link.mark.task != task.id:
                    continue
                if self._undo(link):
                    counts = replace(counts, cancelled=counts.cancelled + 1)
                else:
                    counts = replace(counts, already_started=counts.already_started + 1)
        return counts, task.next_due_at

    def _links(self, dead: Execution, task: RedriveTask) -> Iterator[RedriveLink]:
        """The redrives up to the next dead letter that the walk visits by itself, so that each is visited
        once.

        An unreadable redrive ends the walk, since no worker can start it. An unknown version raises instead:
        a newer worker may start that redrive.
        """
        try:
            for link in follow_redrives(self.store, dead):
                if link.last is not dead and task.undoes_from(link.last):
                    return
                yield link
        except UnknownVersionError:
            raise
        except UnreadableItemError:
            return

    def _undo(self, link: RedriveLink) -> bool:
        """Whether the redrive never started and never will; False if its record has expired."""
        try:
            redrive = link.existing or self.redrive.file_cancelled(link.last, link.mark.execution)
        except NotFoundError:
            return False
        existing: Execution | None = redrive
        if redrive.state in NOT_STARTED:
            existing = self.store.cancel(
                redrive.id,
                Transition.UNDO,
                reason=EndReason.CANCELLED,
                expires_at_s=self.retention.expires_at_s(self.clock.now_ms()),
            )
        if existing is None:
            self.finalize.execute(redrive)
            return True
        return existing.state is State.CANCELLED and existing.attempt == 0
