"""What a bulk redrive does with dead letters of workflows: it redrives each run once, at one of its dead letters."""

from enum import Enum, auto

from shared.domain.executions.execution import Execution
from shared.domain.workflows.run import Run, RunState, TaskState


class RunVerdict(Enum):
    """What a dead letter means for the run to which it belongs."""

    REDRIVE = auto()
    OWN = auto()
    """The bulk redrive has begun the present epoch of the run, at this dead letter."""
    SKIP = auto()
    """The run is open, has succeeded, or is redriven at another dead letter."""
    REFUSE = auto()
    """The run is gone or was cancelled."""


def verdict_of(run: Run | None, dead: Execution, bulk_id: str | None) -> RunVerdict:
    """The verdict on the failed execution of a task. A redrive that was cancelled leaves the dead letter free, as that
    of an execution does."""
    if run is None or dead.task is None:
        return RunVerdict.REFUSE
    begun = run.bulk_redrive
    if begun is not None and begun.task == bulk_id:
        return RunVerdict.OWN if begun.dead_letter == dead.id else RunVerdict.SKIP
    if _goes_on(run):
        return RunVerdict.SKIP
    if run.epoch == dead.task.epoch:
        return RunVerdict.REFUSE if run.state is RunState.CANCELLED else RunVerdict.REDRIVE
    return RunVerdict.SKIP if _has_dead_letter(run) else RunVerdict.REDRIVE


def stands_for(run: Run | None) -> bool:
    """Whether a redrive of the run does what the failed execution that started it did not: its own redrive would do
    all of it again."""
    return run is not None and run.epoch > 1 and _goes_on(run)


def _goes_on(run: Run) -> bool:
    return not run.state.is_terminal or run.state is RunState.SUCCEEDED


def _has_dead_letter(run: Run) -> bool:
    """Whether the present epoch has a failed execution, which is a dead letter itself."""
    return any(
        task is not None and task.state is TaskState.FAILED and task.reason is None for task in run.tasks
    )
