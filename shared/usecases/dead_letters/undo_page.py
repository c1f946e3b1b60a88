"""Undo the redrives of a page of dead letters, side by side: those that have not started never will."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.dead_letters.redrive_task import RedriveTask, TaskCounts
from shared.domain.errors import NotFoundError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Spread
from shared.usecases.bulk.cancel_unstarted import CancelUnstarted
from shared.usecases.dead_letters.follow_redrives import RedriveLink, follow_redrives
from shared.usecases.dead_letters.redrive_execution import RedriveExecution

if TYPE_CHECKING:
    from shared.domain.workflows.run import Run
    from shared.usecases.dead_letters.undo_runs import UndoRuns


@dataclass(frozen=True, slots=True)
class UndoPage:
    """Cancels what a task redrove; redrives of others are kept. Safe to repeat."""

    store: ExecutionStore
    redrive: RedriveExecution
    cancel_unstarted: CancelUnstarted
    spread: Spread
    runs: Callable[[], UndoRuns]
    """Made only for a page with dead letters of workflows."""

    def execute(self, task: RedriveTask, dead: Sequence[Execution]) -> tuple[TaskCounts, int]:
        """The task's counts after this page, and how many of its dead letters were processed.

        ServiceError or UnknownVersionError: process the page again.
        """
        runs, end = self._own_runs(task, dead)
        letters = [each for each in dead[:end] if each.task is None]
        undone = [each for page in self.spread(partial(self._undo_all, task), letters) for each in page]
        if runs:
            undone += self.spread(self.runs().execute, runs)
        cancelled = sum(undone)
        counts = replace(
            task.counts,
            cancelled=task.counts.cancelled + cancelled,
            already_started=task.counts.already_started + len(undone) - cancelled,
        )
        return counts, end

    def _own_runs(self, task: RedriveTask, dead: Sequence[Execution]) -> tuple[list[Run], int]:
        if all(each.task is None for each in dead):
            return [], len(dead)
        own, end = self.runs().own(task, dead)
        return list(own.values()), end

    def _undo_all(self, task: RedriveTask, dead: Execution) -> list[bool]:
        """For each redrive of this task that a dead letter leads to: whether it was undone."""
        undone = []
        for link in self._links(dead, task):
            if link.mark.task != task.id:
                continue
            undone.append(self._undo(link))
        return undone

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
            return self.cancel_unstarted.execute(
                link.existing or self.redrive.file_cancelled(link.last, link.mark.execution)
            )
        except NotFoundError:
            return False
