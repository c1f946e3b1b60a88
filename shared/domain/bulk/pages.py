"""The record of a page of jobs: it is written before the page is worked on, and completed afterwards.

A page that is processed again after a crash has the same jobs. An undo acts on the jobs of the records.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.bulk.actions import Refusal
from shared.domain.bulk.patch import FormerMembers
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import JobPosition


class Result(StrEnum):
    """The result for one job."""

    DONE = "done"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkEntry:
    """One job of a page."""

    job_id: str
    revision: int
    """The revision when the page was recorded."""
    was_held: bool = False
    """Whether the job was paused when the page was recorded."""
    pause_reason: str | None = None
    """The reason of the pause that a resume ends."""
    execution: ExecutionId | None = None
    """The run that a trigger files. It is chosen before, so that a repetition files the same run."""
    former: FormerMembers | None = None
    """The members that a patch changes."""
    result: Result | None = None
    """None until the page was worked on."""
    after: int | None = None
    """The revision that the action left."""
    refusal: Refusal | None = None

    def left_at(self, revision: int, *, is_changed: bool) -> "BulkEntry":
        """The entry of a job that the action left at a revision."""
        return replace(self, after=revision, result=Result.DONE if is_changed else Result.UNCHANGED)

    def refused(self, refusal: Refusal) -> "BulkEntry":
        return replace(self, result=Result.REFUSED, refusal=refusal)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkPage:
    """The jobs of one page of a task, and where the next page begins."""

    tenant_id: str
    task_id: str
    number: int
    recorded_at: int
    entries: tuple[BulkEntry, ...]
    next_position: JobPosition | None

    @property
    def is_finished(self) -> bool:
        """Whether every job has its result."""
        return all(entry.result is not None for entry in self.entries)

    def finished(self, entries: Sequence[BulkEntry]) -> "BulkPage":
        """The page with the results of its jobs."""
        return replace(self, entries=tuple(entries))
