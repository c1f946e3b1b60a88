"""Redrive a page of dead letters: each step is completed for all of them before the next step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.bucket import MINUTE_MS
from shared.domain.dead_letters.redrive_task import AHEAD_MS, RedriveTask, TaskCounts
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
from shared.usecases.dead_letters.redrive_outcome import Outcome, unless_refused
from shared.usecases.dead_letters.run_plan import MOST_EXECUTIONS, RunPlan, belongs_to_run
from shared.usecases.filing.file_batch import FileBatch, error_of

if TYPE_CHECKING:
    from shared.usecases.dead_letters.redrive_runs import RedriveRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """A redrive to be filed: the execution that it follows, and the draft."""

    number: int
    last: Execution
    due_at: int
    draft: Execution


Step = Execution | RunPlan | Outcome
"""What is to be done about a dead letter: redrive an execution or a run, or nothing."""


PATIENCE_MS = 3_600_000
"""So long a run waits for a minute with room in the quota of its tenant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timetable:
    due: dict[int, int]
    """The due time of each redrive, by the position of its dead letter."""
    refused: set[int]
    """Runs for which no minute had room for too long."""
    next_due_at: int
    end: int
    waits_since: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """What becomes of the task, and how many dead letters of the page were processed."""

    counts: TaskCounts
    next_due_at: int
    end: int
    waits_since: int | None


@dataclass(frozen=True, slots=True)
class RedrivePage:
    """Marks, records and files the redrives of a page in batches. A page that is processed again finds its
    redrives marked."""

    store: ExecutionStore
    redrive: RedriveExecution
    batches: RedriveBatches
    file_batch: FileBatch
    spread: Spread
    runs: Callable[[], RedriveRuns]
    """Made only for a page with dead letters of workflows."""

    def execute(self, task: RedriveTask, dead: Sequence[Execution], now_ms: int) -> PageResult:
        """The result of a page.

        ServiceError or UnknownVersionError if the result for a dead letter is unknown: process the page again.
        """
        plans = self.runs().prepare(task, dead) if any(map(belongs_to_run, dead)) else {}
        base_at = max(task.next_due_at, now_ms)
        latest_at = task.due_at(base_at, len(dead) + sum(_width(each) for each in plans.values()))
        if plans:
            latest_at += AHEAD_MS + MINUTE_MS
        others = [index for index in range(len(dead)) if index not in plans]
        prepared = self.spread(partial(self._prepare, task, latest_at, {}), [dead[index] for index in others])
        steps = {**plans, **dict(zip(others, prepared, strict=True))}
        timetable = self._timetable(task, [steps[index] for index in range(len(dead))], now_ms)
        due = timetable.due
        lasts = [(index, last, due[index]) for index in due if isinstance(last := steps[index], Execution)]
        outcomes = {index: each for index, each in steps.items() if isinstance(each, Outcome)}
        outcomes |= dict.fromkeys(timetable.refused, Outcome.REFUSED)
        outcomes |= self._redrive(task, lasts)
        begun = [(index, plan) for index in due if isinstance(plan := steps[index], RunPlan)]

        def redrive_run(run: tuple[int, RunPlan]) -> Outcome:
            return self.runs().execute(task, dead[run[0]], run[1], due[run[0]])

        outcomes |= dict(zip([index for index, _ in begun], self.spread(redrive_run, begun), strict=True))
        counts = _counted(task.counts, [outcomes[index] for index in range(timetable.end)])
        return PageResult(
            counts=counts,
            next_due_at=timetable.next_due_at,
            end=timetable.end,
            waits_since=timetable.waits_since,
        )

    def _timetable(self, task: RedriveTask, steps: Sequence[Step], now_ms: int) -> _Timetable:
        """When each redrive is due. The page ends early where its runs have many executions, reach far ahead, or have
        to wait for the quota of the tenant. Once its first run has waited for `PATIENCE_MS`, the runs without room are
        refused, so that the dead letters behind them have their turn."""
        base_at, number, executions = max(task.next_due_at, now_ms), 0, 0
        due, refused, until = dict[int, int](), set[int](), now_ms + AHEAD_MS
        has_waited = task.waits_since is not None and now_ms - task.waits_since > PATIENCE_MS
        for index, step in enumerate(steps):
            due_at = task.due_at(base_at, number)
            width = _width(step)
            if executions and (executions + width > MOST_EXECUTIONS or due_at > until):
                return _Timetable(due=due, refused=refused, next_due_at=due_at, end=index)
            if isinstance(step, RunPlan):
                if not step.is_begun:
                    free_at = self.runs().room_at(task, step, due_at, until)
                    if free_at > until and has_waited:
                        refused.add(index)
                        continue
                    if free_at > until:
                        waits_since = None if index else task.waits_since or now_ms
                        return _Timetable(
                            due=due, refused=refused, next_due_at=due_at, end=index, waits_since=waits_since
                        )
                    if free_at > due_at:
                        base_at, number, due_at = free_at, 0, free_at
                executions += max(1, width)
                due[index] = due_at
                number += max(1, width)
            elif isinstance(step, Execution):
                due[index] = due_at
                number += 1
            else:
                number += step is Outcome.REDRIVEN
        next_due_at = base_at + -(-number * 1000 // task.rate)
        return _Timetable(due=due, refused=refused, next_due_at=next_due_at, end=len(steps))

    def _prepare(
        self, task: RedriveTask, latest_at: int, deleted: dict[str, bool], dead: Execution
    ) -> Execution | Outcome:
        """The execution whose redrive is to be chosen, and which may be redriven; otherwise the outcome."""

        def prepare() -> Execution | Outcome:
            last = self._walk(task, dead)
            if isinstance(last, Execution):
                self.redrive.prepare(last, latest_at, deleted)
            return last

        return unless_refused(prepare)

    def _redrive_alone(self, task: RedriveTask, existing: Execution, due_at: int) -> Outcome:
        """Another request has just marked this dead letter: continue behind its redrive."""

        def continue_behind() -> Outcome:
            self.redrive.after(existing, due_at, task.id)
            return Outcome.REDRIVEN

        return unless_refused(continue_behind)

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


def _width(step: Step) -> int:
    return step.width if isinstance(step, RunPlan) else 0


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
