"""What a page of a bulk redrive knows of runs before it loads anything of workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution

if TYPE_CHECKING:
    from shared.domain.workflows.run import Run
    from shared.domain.workflows.workflow import Workflow

MOST_EXECUTIONS = 1_000
"""A page ends before its runs file more executions than this, or with its first run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """A run to redrive at a dead letter, or one that an earlier try of the page has redriven."""

    workflow: Workflow
    run: Run
    is_begun: bool
    width: int
    """Executions that are due at once, at the beginning of the epoch."""
    most: int = 0
    """The most executions of the epoch, which all count in the quota of the minute in which the epoch begins."""


def belongs_to_run(dead: Execution) -> bool:
    """Whether the dead letter is a task of a run, or was to start one."""
    return dead.task is not None or dead.call.workflow_id is not None
