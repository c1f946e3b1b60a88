"""Bulk operations on jobs: one action on all jobs that match a filter."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import Enum, StrEnum, auto
from typing import Any

from shared.dataclass import dataclass
from shared.domain.bulk.actions import BulkAction, Refusal
from shared.domain.bulk.pages import BulkEntry, BulkPage, Result
from shared.domain.bulk.patch import JobPatch
from shared.domain.bulk.task import BulkTask, check_rate
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.ids import encode_base32
from shared.domain.listings.filters import JobFilter
from shared.domain.listings.position import JobPosition

MAX_RATE = 100
MAX_GRACE_HOURS = 168
HOUR_MS = 3_600_000
_TASK_ID = re.compile(r"blk_[0-9a-hjkmnp-tv-z]{26}")


class JobTaskState(StrEnum):
    """The values are those of the API."""

    RUNNING = "running"
    WAITING = "waiting"
    """The jobs of a deletion are paused, and the grace has not passed."""
    DELETING = "deleting"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    UNDOING = "undoing"
    UNDONE = "undone"


_OPEN = frozenset({JobTaskState.RUNNING, JobTaskState.WAITING, JobTaskState.DELETING, JobTaskState.UNDOING})
_UNDO = frozenset({JobTaskState.UNDOING, JobTaskState.UNDONE})


class Taken(Enum):
    """The result of the deletion after the grace, or of the undo, for one job."""

    BACK = auto()
    DELETED = auto()
    CHANGED_SINCE = auto()
    """Another request has changed the job since, or the triggered run had started."""
    GONE = auto()
    """The job is deleted."""
    NOTHING = auto()
    """The task had not changed the job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTaskCounts:
    """Counts of the jobs that were examined."""

    done: int = 0
    unchanged: int = 0
    refused: Mapping[Refusal, int] = field(default_factory=dict)
    deleted: int = 0
    """Jobs that were deleted after the grace."""
    undone: int = 0
    changed_since: int = 0
    gone: int = 0

    def of_page(self, entries: Iterable[BulkEntry]) -> "JobTaskCounts":
        """These counts and those of a finished page."""
        results, refusals = Counter[Result | None](), Counter[Refusal](self.refused)
        for entry in entries:
            results[entry.result] += 1
            if entry.refusal is not None:
                refusals[entry.refusal] += 1
        return replace(
            self,
            done=self.done + results[Result.DONE],
            unchanged=self.unchanged + results[Result.UNCHANGED],
            refused=dict(refusals),
        )

    def of_taken(self, taken: Iterable[Taken]) -> "JobTaskCounts":
        """These counts and those of a page of a deletion after the grace, or of an undo."""
        found = Counter(taken)
        return replace(
            self,
            deleted=self.deleted + found[Taken.DELETED],
            undone=self.undone + found[Taken.BACK],
            changed_since=self.changed_since + found[Taken.CHANGED_SINCE],
            gone=self.gone + found[Taken.GONE],
        )

    @property
    def changed(self) -> int:
        return self.done + self.deleted + self.undone

    @property
    def examined(self) -> int:
        return self.done + self.unchanged + sum(self.refused.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJobTask:
    """The jobs, the action and the rate."""

    criteria: JobFilter
    action: BulkAction
    rate: int
    reason: str | None = None
    """The reason of a pause."""
    patch: JobPatch | None = None
    """Its URLs are not sealed yet."""
    grace_ms: int = 0
    """Of a deletion: the jobs are paused at once, and deleted this much later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTask(BulkTask):
    """One bulk operation with its filter and progress."""

    criteria: JobFilter
    """Its jobs were created before the task."""
    action: BulkAction
    total: int
    """The number of matching jobs at the start."""
    is_total: bool = True
    """Whether `total` is exact; otherwise it is a lower bound."""
    reason: str | None = None
    patch: JobPatch | None = None
    grace_ms: int = 0
    state: JobTaskState = JobTaskState.RUNNING
    position: JobPosition | None = JobPosition()
    """Every matching job up to here was processed; None after the last page."""
    page: int = 0
    """The page to record next; while the records are read again, the page to read next."""
    pages: int = 0
    """The number of recorded pages."""
    deletes_at: int | None = None
    counts: JobTaskCounts = JobTaskCounts()

    def __post_init__(self) -> None:
        """Raises InvalidValueError for values out of range or an inconsistent state."""
        check_rate(self.rate, MAX_RATE)
        if not 0 <= self.grace_ms <= MAX_GRACE_HOURS * HOUR_MS:
            raise InvalidValueError(f"grace_hours must be 0 to {MAX_GRACE_HOURS}")
        if (self.action is BulkAction.PATCH) != (self.patch is not None):
            raise InvalidValueError("only an operation with the action patch has a patch")
        if (self.state in _UNDO) != (self.undo_asked_at is not None):
            raise InvalidValueError("only an undone task has undo_asked_at")

    @property
    def is_open(self) -> bool:
        return self.state in _OPEN

    @property
    def verb(self) -> BulkAction:
        """What the first pass does with each job: a deletion with a grace pauses."""
        return BulkAction.PAUSE if self.grace_ms else self.action

    @property
    def pause_reason(self) -> str:
        """The reason of the task's pauses. It names the task, so that its pauses are known from others."""
        return f"{self.reason} ({self.id})" if self.reason else self.id

    @property
    def left(self) -> int:
        """The number of jobs that the present pass has not reached, as far as it is known."""
        counts = self.counts
        match self.state:
            case JobTaskState.RUNNING:
                left = self.total - counts.examined
            case JobTaskState.WAITING | JobTaskState.DELETING:
                left = counts.done + counts.unchanged - counts.deleted - counts.changed_since
            case JobTaskState.UNDOING:
                left = counts.done - counts.undone - counts.changed_since - counts.gone
            case _:
                left = 0
        return max(0, left)

    def ends_at(self, now_ms: int) -> int | None:
        """When the present pass ends at the earliest; None if no work is left."""
        if not self.is_open:
            return None
        is_waiting = self.state is JobTaskState.WAITING
        begins_at = self.deletes_at if is_waiting else self.next_due_at
        return max(begins_at or 0, now_ms) + self.left * 1000 // self.rate

    def changed_since(self, before: "JobTask") -> int:
        """The number of jobs that were changed since an earlier version; 0 where a pass counts anew."""
        return max(0, self.counts.changed - before.counts.changed)

    def after_page(self, page: BulkPage, now_ms: int) -> "JobTask":
        """The next version, after a page of the first pass was worked on."""
        return replace(
            self._paced(len(page.entries), now_ms),
            position=page.next_position,
            page=page.number + 1,
            pages=max(self.pages, page.number + 1),
            counts=self.counts.of_page(page.entries),
        )

    def without_page(self, position: JobPosition | None) -> "JobTask":
        """The next version, after a part of the jobs in which none matched."""
        return replace(self, position=position, lease_until=0, version=self.version + 1)

    def after_record(self, taken: Iterable[Taken], now_ms: int) -> "JobTask":
        """The next version, after the jobs of a record were deleted or undone."""
        results = tuple(taken)
        counts = self.counts.of_taken(results)
        return replace(self._paced(len(results), now_ms), page=self.page + 1, counts=counts)

    def after_cancel(self, worked: "JobTask") -> "JobTask":
        """The cancelled task with the page that was being worked on when it was cancelled."""
        return replace(
            self,
            position=worked.position,
            page=worked.page,
            pages=worked.pages,
            counts=worked.counts,
            version=self.version + 1,
        )

    def _paced(self, items: int, now_ms: int) -> "JobTask":
        next_due_at = max(self.next_due_at, now_ms) + -(-items * 1000 // self.rate)
        return replace(self, next_due_at=next_due_at, lease_until=0, version=self.version + 1)

    @property
    def is_last_pass(self) -> bool:
        """Whether no worker can be working on a page of the first pass any more."""
        return (self.pass_began_at or 0) >= self.settles_at

    @property
    def is_pass_done(self) -> bool:
        """Whether the present pass has reached all jobs. The last pass of an undo looks for one page more than is
        known: it may have been recorded when the undo began."""
        if self.state is JobTaskState.UNDOING:
            return self.page >= self.pages + self.is_last_pass
        return self.position is None if self.state is JobTaskState.RUNNING else self.page >= self.pages

    @property
    def has_work(self) -> bool:
        """Whether jobs are left to the present pass. A deletion in its grace has none, nor an undo that waits for
        its last pass."""
        return self.is_open and self.state is not JobTaskState.WAITING and not self.is_pass_done

    def ended(self, now_ms: int) -> "JobTask":
        """The next version, after the last pass; a deletion with a grace waits for its end."""
        if self.state is JobTaskState.RUNNING and self.grace_ms:
            return self._in_state(JobTaskState.WAITING, deletes_at=now_ms + self.grace_ms)
        is_undo = self.state is JobTaskState.UNDOING
        return self._in_state(JobTaskState.UNDONE if is_undo else JobTaskState.FINISHED, ended_at=now_ms)

    def deleting(self) -> "JobTask":
        """The next version, in which the paused jobs are deleted."""
        return self._in_state(JobTaskState.DELETING, page=0)

    def cancelled(self, now_ms: int) -> "JobTask":
        """The next version, which does no more work."""
        return self._in_state(JobTaskState.CANCELLED, ended_at=now_ms, lease_until=0)

    def undoing(self, now_ms: int) -> "JobTask":
        """The next version, which undoes the task from its first page. InvalidStateError if it cannot."""
        if self.action is BulkAction.DELETE and not self.grace_ms:
            raise InvalidStateError("a deletion without grace_hours cannot be undone")
        undo = self._in_state(
            JobTaskState.UNDOING, undo_asked_at=now_ms, ended_at=None, lease_until=0, next_due_at=now_ms
        )
        return undo.pass_begun(now_ms)

    def pass_begun(self, now_ms: int) -> "JobTask":
        """The same version at the beginning of an undo pass, which counts anew."""
        counts = replace(self.counts, undone=0, changed_since=0, gone=0)
        return replace(self, page=0, pass_began_at=now_ms, counts=counts)

    def next_pass(self, now_ms: int) -> "JobTask":
        """The next version, in which the undo walks over the records again."""
        return replace(self.pass_begun(now_ms), version=self.version + 1)

    def _in_state(self, state: JobTaskState, **changes: Any) -> "JobTask":
        return replace(self, state=state, version=self.version + 1, **changes)


def job_task_id(created_at: int, entropy: int) -> str:
    """A new id; ids sort by the time of creation."""
    return f"blk_{encode_base32(created_at, 10)}{encode_base32(entropy, 16)}"


def is_job_task_id(text: str) -> bool:
    """Whether the text is a well-formed id of a bulk operation on jobs."""
    return _TASK_ID.fullmatch(text) is not None
