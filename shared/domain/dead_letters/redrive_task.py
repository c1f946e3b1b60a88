"""Bulk redrives: all dead letters of a range, redriven page by page at a limited rate."""

import re
from dataclasses import replace
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.bulk.task import BulkTask, check_rate
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import encode_base32
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.listings.position import END, IndexPosition, due_position

MAX_RATE = 1_000
AHEAD_MS = 5 * 60_000
"""Redrives are filed at most this long before they are due; redrives not yet filed are undone for free."""
_TASK_ID = re.compile(r"rdr_[0-9a-hjkmnp-tv-z]{26}")


class TaskState(StrEnum):
    """The state of a bulk redrive. The values are those of the API."""

    RUNNING = "running"
    FINISHED = "finished"
    UNDOING = "undoing"
    UNDONE = "undone"


OPEN_TASKS = frozenset({TaskState.RUNNING, TaskState.UNDOING})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCounts:
    """Counts of the dead letters that were examined."""

    redriven: int = 0
    skipped: int = 0
    """Dead letters whose redrive is open, has succeeded, or is a dead letter itself."""
    refused: int = 0
    """Dead letters whose job was deleted or whose request has expired."""
    cancelled: int = 0
    already_started: int = 0
    """Redrives that had started before the undo reached them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedriveTask(BulkTask):
    """One bulk redrive with its filter and progress. Its rate is that of the redrives' due times."""

    criteria: DeadLetterFilter
    """The range ends before the task was created, so the task's own redrives never match."""
    position: IndexPosition
    """Every dead letter up to this position was processed, in order of due times."""
    state: TaskState = TaskState.RUNNING
    counts: TaskCounts = TaskCounts()
    waits_since: int | None = None
    """When the next dead letter, of a run, first found no minute with room in the quota of the tenant; None if it has
    not been tried, or has room."""

    def __post_init__(self) -> None:
        """Raises InvalidValueError for a rate out of range or an inconsistent state."""
        check_rate(self.rate, MAX_RATE)
        if (self.state in (TaskState.UNDOING, TaskState.UNDONE)) != (self.undo_asked_at is not None):
            raise InvalidValueError("only an undone task has undo_asked_at")

    @property
    def is_open(self) -> bool:
        """Whether work may be left."""
        return self.state in OPEN_TASKS

    @property
    def is_range_done(self) -> bool:
        """Whether every dead letter of the range was examined."""
        return self.position == END

    @property
    def rest(self) -> DeadLetterFilter:
        """The filter for the remaining dead letters.

        An undo ignores the tag, because the tags of a job may have changed since. All other criteria are
        immutable fields of the dead letters.
        """
        tag = self.criteria.tag if self.undo_asked_at is None else None
        return replace(self.criteria, tag=tag, span=replace(self.criteria.span, after=self.position))

    def undoes_from(self, execution: Execution) -> bool:
        """Whether an undo pass reaches this execution by itself, as a dead letter of the range."""
        is_there = execution.state is State.FAILED and due_position(execution.id) in self.criteria.span
        return is_there and self.criteria.matches(execution)

    def due_at(self, base_at: int, number: int) -> int:
        """When the redrive with this number, from 0, of a page that begins at `base_at` is due."""
        return base_at + number * 1000 // self.rate

    def advanced_to(
        self,
        position: IndexPosition | None,
        counts: TaskCounts,
        next_due_at: int,
        waits_since: int | None = None,
    ) -> "RedriveTask":
        """The next version, after a page was processed; `position` is None after the last page."""
        return replace(
            self,
            position=END if position is None else position,
            counts=counts,
            next_due_at=next_due_at,
            waits_since=waits_since,
            lease_until=0,
            version=self.version + 1,
        )

    def ended(self, now_ms: int) -> "RedriveTask":
        """The next version, with no work left."""
        state = TaskState.FINISHED if self.state is TaskState.RUNNING else TaskState.UNDONE
        return replace(self, state=state, ended_at=now_ms, version=self.version + 1)

    def undoing(self, now_ms: int) -> "RedriveTask":
        """The next version, in which the undo starts from the beginning."""
        return replace(
            self,
            state=TaskState.UNDOING,
            undo_asked_at=now_ms,
            ended_at=None,
            lease_until=0,
            version=self.version + 1,
        ).pass_begun(now_ms)

    def pass_begun(self, now_ms: int) -> "RedriveTask":
        """The same version at the beginning of an undo pass, with new counts of cancelled redrives."""
        counts = replace(self.counts, cancelled=0, already_started=0)
        return replace(self, position=self.criteria.span.after, pass_began_at=now_ms, counts=counts)


def redrive_task_id(created_at: int, entropy: int) -> str:
    """A new id; ids sort by the time of creation."""
    return f"rdr_{encode_base32(created_at, 10)}{encode_base32(entropy, 16)}"


def is_redrive_task_id(text: str) -> bool:
    """Whether the text is a well-formed id of a bulk redrive."""
    return _TASK_ID.fullmatch(text) is not None
