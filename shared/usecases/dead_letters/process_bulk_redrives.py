"""Bulk redrives, worked off page by page. What a page asks for is done before it is ticked off.

Any number may work the same task off at once, and die anywhere: a page that is done again finds its redrives chosen,
and whoever ticks it off second is refused and stops.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from shared.domain.dead_letters.redrive_task import AHEAD_MS, RedriveTask, TaskCounts, TaskState
from shared.domain.errors import (
    NotFoundError,
    PunctualError,
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
from shared.usecases.dead_letters.follow_redrives import Link, follow_redrives
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.redrive_execution import RedriveExecution
from shared.usecases.outcomes.finalize_execution import FinalizeExecution

PAGE = 50
LOOKED_AT = 500


@dataclass(slots=True)
class RedriveReport:
    """What a run came to."""

    redriven: int = 0
    undone: int = 0
    ended: int = 0
    unavailable: int = 0
    unreadable: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ProcessBulkRedrives:
    """One run; those that are open take turns, so that a large one holds up nobody."""

    tasks: RedriveTasks
    list_dead_letters: ListDeadLetters
    redrive: RedriveExecution
    store: ExecutionStore
    finalize: FinalizeExecution
    clock: Clock
    retention: Retention

    def execute(self, has_time: Callable[[], bool] = lambda: True) -> RedriveReport:
        """Work off what is open while `has_time` says so; the rest is left to the next run."""
        report = RedriveReport()
        waiting = deque(self.tasks.open())
        while waiting and has_time():
            tenant_id, task_id = waiting.popleft()
            try:
                if self._turn(tenant_id, task_id, report):
                    waiting.append((tenant_id, task_id))
            except UnavailableError:
                report.unavailable += 1
            except UnreadableItemError:
                report.unreadable.append(task_id)
        return report

    def _turn(self, tenant_id: str, task_id: str, report: RedriveReport) -> bool:
        """One page, or the end of a task; whether there may be more to do."""
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
        """Work one page off; None where that has to wait, or somebody else was faster."""
        now_ms = self.clock.now_ms()
        if task.state is TaskState.RUNNING and task.next_due_at > now_ms + AHEAD_MS:
            return None
        found = self.list_dead_letters.page(
            task.tenant_id, task.rest, limit=PAGE, newest_first=False, at_most=LOOKED_AT
        )
        work = self._redrive_all if task.state is TaskState.RUNNING else self._undo_all
        counts, next_due_at = work(task, found.shown, now_ms)
        after = task.advanced_to(found.last.place if found.last else None, counts, next_due_at)
        return after if self.tasks.replace(task, after) else None

    def _end(self, task: RedriveTask, report: RedriveReport) -> bool:
        """Whether a walk that undoes has to be made once more: somebody may have filed behind the last one."""
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
            except (UnavailableError, UnknownVersionError):
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
        """Whether the task has a redrive of it. Others' redrives are let be, unless nothing came of them."""
        for link in follow_redrives(self.store, dead):
            is_own = link.chosen.task == task.id
            if link.standing is None:
                self.redrive.make_sure(link.last, link.chosen.execution)
                return is_own
            if is_own:
                self.redrive.file.ensure_sent(link.standing)
                return True
            if link.standing.state is not State.CANCELLED:
                return False
        self.redrive.after(dead, due_at, task.id)
        return True

    def _undo_all(self, task: RedriveTask, dead: tuple[Execution, ...], _: int) -> tuple[TaskCounts, int]:
        counts = task.counts
        for execution in dead:
            for link in self._behind(execution, task):
                if link.chosen.task != task.id:
                    continue
                if self._undo(link):
                    counts = replace(counts, cancelled=counts.cancelled + 1)
                else:
                    counts = replace(counts, already_started=counts.already_started + 1)
        return counts, task.next_due_at

    def _behind(self, dead: Execution, task: RedriveTask) -> Iterator[Link]:
        """Its redrives up to the next dead letter that is walked over by itself, so that each is met once.

        One that is broken is the last as well: nobody can start it either. What is newer is not passed over.
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

    def _undo(self, link: Link) -> bool:
        """Whether it never started, and never will; of one whose record has gone nobody can say that."""
        try:
            redrive = link.standing or self.redrive.never(link.last, link.chosen.execution)
        except NotFoundError:
            return False
        standing: Execution | None = redrive
        if redrive.state in NOT_STARTED:
            standing = self.store.cancel(
                redrive.id,
                Transition.UNDO,
                reason=EndReason.CANCELLED,
                expires_at_s=self.retention.expires_at_s(self.clock.now_ms()),
            )
        if standing is None:
            self.finalize.execute(redrive)
            return True
        return standing.state is State.CANCELLED and standing.attempt == 0
