"""Bulk redrives: all dead letters of a range, redriven at a pace, page by page, however long that takes."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import encode_base32
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.listings.position import END, IndexPosition, due_position

MAX_RATE = 1_000
AHEAD_MS = 15 * 60_000
"""Redrives are filed so long before they are due: what is further off can still be taken back without a trace."""
SETTLED_MS = 180_000
"""Whoever worked a task off when its undoing began has ended after so long: no function may run for longer."""
_TASK_ID = re.compile(r"rdr_[0-9a-hjkmnp-tv-z]{26}")


class TaskState(StrEnum):
    """Where a bulk redrive stands. The values are the API's words."""

    RUNNING = "running"
    FINISHED = "finished"
    UNDOING = "undoing"
    UNDONE = "undone"


OPEN_TASKS = frozenset({TaskState.RUNNING, TaskState.UNDOING})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCounts:
    """What became of the dead letters that were looked at."""

    redriven: int = 0
    skipped: int = 0
    """They had a redrive that is open, has succeeded, or is a dead letter of its own."""
    refused: int = 0
    """Their jobs were deleted, or their requests are not kept any more."""
    cancelled: int = 0
    already_started: int = 0
    """Redrives that had started when they were to be undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedriveTask:
    """One bulk redrive: what is wanted, and how far it has come. Each page that was worked off is a new version."""

    id: str
    tenant_id: str
    criteria: DeadLetterFilter
    """Within a span that ends before the task began: its own redrives are never among them."""
    rate: int
    """So many redrives are due in a second at the most."""
    created_at: int
    next_due_at: int
    """No redrive that is still to be filed is due before."""
    position: IndexPosition
    """Everything up to here was worked off, in order of the instants at which it was due."""
    state: TaskState = TaskState.RUNNING
    version: int = 1
    counts: TaskCounts = TaskCounts()
    undo_asked_at: int | None = None
    pass_began_at: int | None = None
    """When the walk began that undoes."""
    ended_at: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no request makes."""
        if not 1 <= self.rate <= MAX_RATE:
            raise InvalidValueError(f"rate must be 1 to {MAX_RATE}")
        if (self.state in (TaskState.UNDOING, TaskState.UNDONE)) != (self.undo_asked_at is not None):
            raise InvalidValueError("exactly what is undone says when that was asked for")

    @property
    def is_open(self) -> bool:
        """Whether there may be something left to do."""
        return self.state in OPEN_TASKS

    @property
    def is_walked(self) -> bool:
        """Whether everything that is wanted was looked at."""
        return self.position == END

    @property
    def rest(self) -> DeadLetterFilter:
        """What is still to be looked at.

        Whoever undoes looks at all that had other tags, too: those of a job may have changed since. All else that
        can be asked for is said by the dead letters themselves, which do not change.
        """
        tag = self.criteria.tag if self.undo_asked_at is None else None
        return replace(self.criteria, tag=tag, span=replace(self.criteria.span, after=self.position))

    def undoes_from(self, execution: Execution) -> bool:
        """Whether a walk that undoes comes to this execution by itself, as to a dead letter of the range."""
        is_there = execution.state is State.FAILED and due_position(execution.id) in self.criteria.span
        return is_there and self.criteria.matches(execution)

    def due_at(self, base_at: int, number: int) -> int:
        """When the redrive of this number, from 0, is due on a page that begins with an instant."""
        return base_at + number * 1000 // self.rate

    def advanced_to(self, place: IndexPosition | None, counts: TaskCounts, next_due_at: int) -> "RedriveTask":
        """The next version: a page was worked off; None where it was the last."""
        return replace(
            self,
            position=END if place is None else place,
            counts=counts,
            next_due_at=next_due_at,
            version=self.version + 1,
        )

    def ended(self, now_ms: int) -> "RedriveTask":
        """The next version: nothing is left to do."""
        state = TaskState.FINISHED if self.state is TaskState.RUNNING else TaskState.UNDONE
        return replace(self, state=state, ended_at=now_ms, version=self.version + 1)

    def undoing(self, now_ms: int) -> "RedriveTask":
        """The next version: what it did is to be undone, from the beginning."""
        return replace(
            self,
            state=TaskState.UNDOING,
            undo_asked_at=now_ms,
            ended_at=None,
            version=self.version + 1,
        ).pass_begun(now_ms)

    def pass_begun(self, now_ms: int) -> "RedriveTask":
        """The same version at the beginning of a walk that undoes; what such a walk comes to is counted anew."""
        counts = replace(self.counts, cancelled=0, already_started=0)
        return replace(self, position=self.criteria.span.after, pass_began_at=now_ms, counts=counts)

    @property
    def settles_at(self) -> int:
        """A walk that undoes and begins from then on misses nothing: nobody files any more."""
        return (self.undo_asked_at or 0) + SETTLED_MS


def redrive_task_id(created_at: int, entropy: int) -> str:
    """A new id for a bulk redrive; sorts by the time of creation."""
    return f"rdr_{encode_base32(created_at, 10)}{encode_base32(entropy, 16)}"


def is_redrive_task_id(text: str) -> bool:
    """Whether the text has the form of a bulk redrive's id."""
    return _TASK_ID.fullmatch(text) is not None
