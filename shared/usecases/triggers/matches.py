"""What becomes of the triggers that an event matches."""

from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.triggers.trigger import Trigger


class Outcome(StrEnum):
    """What became of a trigger that an event matches. The values are the API's names."""

    FILED = "filed"
    REPEATED = "repeated"
    """The same event had filed the run, or had postponed it before."""
    DEBOUNCED = "debounced"
    """A run that waits stands for the event: it has its data, and is due later."""
    THROTTLED = "throttled"
    """The trigger has started all runs of its window. Nothing of the event is kept."""
    REFUSED = "refused"
    """The job has ended, or the event does not fit into its call. No run is filed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One trigger that an event matches."""

    trigger: Trigger
    outcome: Outcome
    execution_id: ExecutionId | None = None
    due_at: int | None = None
    """When the first attempt of the run is due."""
    reason: str | None = None
    """Of a refusal."""
    throttled_until: int | None = None


def match_of(trigger: Trigger, outcome: Outcome, run: Execution) -> Match:
    return Match(trigger=trigger, outcome=outcome, execution_id=run.id, due_at=run.due_at)


def refused_by(trigger: Trigger, error: InvalidStateError | NotFoundError) -> Match:
    return Match(trigger=trigger, outcome=Outcome.REFUSED, reason=str(error))
