"""Tell which dead letters belong to runs of workflows, and what a bulk redrive does with each of them."""

from collections.abc import Callable, Sequence

from shared.dataclass import dataclass
from shared.domain.dead_letters.run_letters import RunVerdict, stands_for, verdict_of
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.listings.position import due_position
from shared.domain.workflows.identities import run_of
from shared.domain.workflows.run import Run
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.workflows import RunStore
from shared.usecases.dead_letters.follow_redrives import is_redriven
from shared.usecases.dead_letters.run_plan import belongs_to_run
from shared.usecases.reading.job_tags import JobTags
from shared.usecases.workflows.read_tasks import read_tasks

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLetter:
    """A dead letter, and the run to which it belongs; None if the run is gone or broken."""

    verdict: RunVerdict
    run: Run | None


@dataclass(frozen=True, slots=True)
class JudgeRunLetters:
    """A run is redriven at its first dead letter alone.

    A run that a job started is left to the execution of that job, if the bulk redrive meets it and may redrive it, or
    if a redrive of it stands: its redrive starts a new run, and both would do the same work.
    """

    runs: RunStore
    store: ExecutionStore
    jobs: JobStore
    may_redrive: Callable[[Execution], bool]

    def execute(
        self, criteria: DeadLetterFilter, dead: Sequence[Execution], bulk_id: str | None = None
    ) -> dict[int, RunLetter]:
        """By the position of the dead letter; those that are redriven as executions are left out.

        Strong reads: one for a hundred runs, and one for a hundred executions that started them. ServiceError;
        UnknownVersionError for a run of a newer release.
        """
        ids = {
            index: each.task.run if each.task is not None else run_of(each.id)
            for index, each in enumerate(dead)
            if belongs_to_run(each)
        }
        runs = read_runs(self.runs, list(ids.values())) if ids else {}
        letters = dict[int, RunLetter]()
        for index, run_id in ids.items():
            run = runs.get(run_id)
            if dead[index].task is not None:
                letters[index] = RunLetter(verdict=verdict_of(run, dead[index], bulk_id), run=run)
            elif stands_for(run):
                letters[index] = RunLetter(verdict=RunVerdict.SKIP, run=run)
        left = self._left_to_parents(criteria, [each.run for each in letters.values() if _is_redriven(each)])
        chosen = set[ExecutionId]()
        for index, each in letters.items():
            if each.run is None or not _is_redriven(each):
                continue
            if each.run.id in left or each.run.id in chosen:
                letters[index] = RunLetter(verdict=RunVerdict.SKIP, run=each.run)
            chosen.add(each.run.id)
        return letters

    def _left_to_parents(self, criteria: DeadLetterFilter, runs: Sequence[Run | None]) -> set[ExecutionId]:
        parents = {run.parent.execution: run.id for run in runs if run is not None and run.parent is not None}
        ids, tags = list(parents), JobTags(self.jobs)
        left = set[ExecutionId]()
        for start in range(0, len(ids), READ_AT_ONCE):
            known, _ = read_tasks(self.store, ids[start : start + READ_AT_ONCE])
            left |= {parents[key] for key, each in known.items() if self._takes_over(each, criteria, tags.of)}
        return left

    def _takes_over(
        self, parent: Execution, criteria: DeadLetterFilter, tags_of: Callable[[Execution], tuple[str, ...]]
    ) -> bool:
        """Whether the execution that started a run is redriven in place of the run."""
        if parent.state is not State.FAILED:
            return False
        if is_redriven(self.store, parent):
            return True
        is_met = due_position(parent.id) in criteria.span and criteria.matches(parent)
        is_chosen = is_met and (criteria.tag is None or criteria.tag in tags_of(parent))
        return is_chosen and self.may_redrive(parent)


def read_runs(runs: RunStore, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Run]:
    """The runs that can be read. ServiceError; UnknownVersionError for a run of a newer release."""
    found, distinct = dict[ExecutionId, Run](), list(dict.fromkeys(ids))
    for start in range(0, len(distinct), READ_AT_ONCE):
        part = distinct[start : start + READ_AT_ONCE]
        try:
            found |= runs.get_many(part)
        except UnreadableItemError:
            found |= {each: run for each in part if (run := _readable(runs, each)) is not None}
    return found


def _readable(runs: RunStore, run_id: ExecutionId) -> Run | None:
    try:
        return runs.get(run_id)
    except UnknownVersionError:
        raise
    except UnreadableItemError:
        return None


def _is_redriven(letter: RunLetter) -> bool:
    return letter.verdict is RunVerdict.REDRIVE
