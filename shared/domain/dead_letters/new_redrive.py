"""Construction of the redrive of an execution."""

from dataclasses import replace

from shared.domain.executions.execution import Execution
from shared.domain.executions.progress import Progress
from shared.domain.executions.redrive import RedriveOf
from shared.domain.ids import ExecutionId


def next_redrive(last: Execution) -> RedriveOf:
    """The original and number of the redrive that follows this execution."""
    before = last.redrive_of or RedriveOf(original=last.id, number=0)
    return replace(before, number=before.number + 1)


def redriven(last: Execution, redrive_id: ExecutionId, *, created_at: int) -> Execution:
    """The redrive: the same request for the same instant, in the lane of its job and outside any chain."""
    return replace(
        last,
        id=redrive_id,
        nominal_at=last.scheduled_at,
        created_at=created_at,
        progress=Progress(),
        recurrence=None,
        start_deadline_at=None,
        runs_when_suspended=False,
        job_created_at=None,
        run=1,
        redrive_of=next_redrive(last),
    )
