"""Redrive a page of dead letters: each step is completed for all of them before the next step."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from typing import TypeVar

from shared.dataclass import dataclass
from shared.domain.dead_letters.redrive_task import RedriveTask, TaskCounts
from shared.domain.errors import (
    PunctualError,
    ServiceError,
    UnknownVersionError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.states import State
from shared.ports.dead_letters import RedriveBatches
from shared.ports.executions import ExecutionStore, WriteUnknown
from shared.ports.runtime import Spread
from shared.usecases.dead_letters.follow_redrives import follow_redrives
from shared.usecases.dead_letters.redrive_execution import RedriveExecution
from shared.usecases.filing.file_batch import FileBatch, error_of

T = TypeVar("T")


class Outcome(Enum):
    """The result for one dead letter."""

    REDRIVEN = auto()
    SKIPPED = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """A redrive to be filed: the execution that it follows, and the draft."""

    number: int
    last: Execution
    due_at: int
    draft: Execution


@dataclass(frozen=True, slots=True)
class RedrivePage:
    """Marks, records and files the redrives of a page in batches. A page that is processed again finds its
    redrives marked."""

    store: ExecutionStore
    redrive: RedriveExecution
    batches: RedriveBatches
    file_batch: FileBatch
    spread: Spread

    def execute(self, task: RedriveTask, dead: Sequence[Execution], now_ms: int) -> tuple[TaskCounts, int]:
        """The task's counts and its next due time after this page.

        ServiceError or UnknownVersionError if the result for a dead letter is unknown: process the page again.
        """
        base_at = max(task.next_due_at, now_ms)
        latest_at = task.due_at(base_at, len(dead))
        outcomes = self.spread(partial(self._prepare, task, latest_at, {}), dead)
        due, number = {}, 0
        for index, outcome in enumerate(outcomes):
            if isinstance(outcome, Execution):
                due[index] = task.due_at(base_at, number)
            number += isinstance(outcome, Execution) or outcome is Outcome.REDRIVEN
        lasts = {index: last for index, last in enumerate(outcomes) if isinstance(last, Execution)}
        results = self._redrive(task, [(index, last, due[index]) for index, last in lasts.items()])
        ended = [results.get(index, outcome) for index, outcome in enumerate(outcomes)]
        return _counted(task.counts, ended), base_at + -(-number * 1000 // task.rate)

    def _prepare(
        self, task: RedriveTask, latest_at: int, deleted: dict[str, bool], dead: Execution
    ) -> Execution | Outcome:
        """The execution whose redrive is to be chosen, and which may be redriven; otherwise the outcome."""

        def prepare() -> Execution | Outcome:
            last = self._walk(task, dead)
            if isinstance(last, Execution):
                self.redrive.prepare(last, latest_at, deleted)
            return last

        return _unless_refused(prepare)

    def _redrive_alone(self, task: RedriveTask, existing: Execution, due_at: int) -> Outcome:
        """Another request has just marked this dead letter: continue behind its redrive."""

        def continue_behind() -> Outcome:
            self.redrive.after(existing, due_at, task.id)
            return Outcome.REDRIVEN

        return _unless_refused(continue_behind)

    def _walk(self, task: RedriveTask, dead: Execution) -> Execution | Outcome:
        """Follow the redrives of a dead letter. Redrives of others are kept, unless they were cancelled."""
        last = dead
        for link in follow_redrives(self.store, dead):
            is_own = link.mark.task == task.id
            if link.existing is None:
                self.redrive.ensure_filed(link.last, link.mark.execution)
                return Outcome.REDRIVEN if is_own else Outcome.SKIPPED
            if is_own:
                self.redrive.file.ensure_sent(link.existing)
                return Outcome.REDRIVEN
            if link.existing.state is not State.CANCELLED:
                return Outcome.SKIPPED
            last = link.existing
        return last

    def _redrive(self, task: RedriveTask, lasts: Sequence[tuple[int, Execution, int]]) -> dict[int, Outcome]:
        """Choose, record and file a redrive for each. The first error is raised after all others are filed."""
        if not lasts:
            return {}
        choices = [
            _Choice(number=number, last=last, due_at=due_at, draft=self._draft(last, due_at))
            for number, last, due_at in lasts
        ]
        marks = [(each.last.id, RedrivenBy(execution=each.draft.id, task=task.id)) for each in choices]
        results = self.batches.mark_all(marks)
        own, raced = list[_Choice](), list[tuple[_Choice, Execution]]()
        errors, outcomes = list[PunctualError](), dict[int, Outcome]()
        for choice, (_, mark), result in zip(choices, marks, results, strict=True):
            if isinstance(result, WriteUnknown):
                errors.append(_error(result))
            elif result is None or result.progress.redriven_by == mark:
                own.append(choice)
            else:
                raced.append((choice, result))
        self.batches.note_all_beside(self.redrive.history_notes([each.draft for each in own]))
        for choice, filed in zip(own, self.file_batch.execute([each.draft for each in own]), strict=True):
            if isinstance(filed, (ServiceError, UnknownVersionError)):
                errors.append(filed)
            refused = isinstance(filed, PunctualError)
            outcomes[choice.number] = Outcome.REFUSED if refused else Outcome.REDRIVEN
        if errors:
            raise errors[0]
        for choice, existing in raced:
            outcomes[choice.number] = self._redrive_alone(task, existing, choice.due_at)
        return outcomes

    def _draft(self, last: Execution, due_at: int) -> Execution:
        return self.redrive.draft(last, self.redrive.next_id(last, due_at))


def _unless_refused(act: Callable[[], T]) -> T | Outcome:
    """The result of a step. An error that is the fault of the service, or of a newer release, passes."""
    try:
        return act()
    except (ServiceError, UnknownVersionError):
        raise
    except PunctualError:
        return Outcome.REFUSED


def _error(unknown: WriteUnknown) -> PunctualError:
    if unknown.is_newer:
        return UnknownVersionError(unknown.reason)
    return error_of(unknown)


def _counted(counts: TaskCounts, outcomes: Sequence[Execution | Outcome]) -> TaskCounts:
    return replace(
        counts,
        redriven=counts.redriven + outcomes.count(Outcome.REDRIVEN),
        skipped=counts.skipped + outcomes.count(Outcome.SKIPPED),
        refused=counts.refused + outcomes.count(Outcome.REFUSED),
    )
