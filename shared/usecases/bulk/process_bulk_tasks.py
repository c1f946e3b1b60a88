"""Process the open bulk tasks of all tenants: a page of each in turn, so that no tenant delays the others.

The tasks of one kind and tenant are processed one after another, in the order of their creation.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from enum import Enum, auto
from typing import Protocol

from shared.dataclass import dataclass
from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import RequestRejectedError, UnavailableError, UnreadableItemError
from shared.ports.runtime import Clock, Pause

MAX_PAUSE_MS = 1_000
"""The longest pause before the remaining time is looked at again."""


class Rest(Enum):
    """Why a task needs no more work in this run."""

    ENDED = auto()
    """It has ended, or waits for long: the next task of its tenant may begin."""
    HELD = auto()
    """Another worker has it, or it is far ahead: its tenant is left to a later run."""


Step = int | Rest
"""The instant at which the task may be continued, or why not in this run."""


@dataclass(slots=True)
class BulkReport:
    redriven: int = 0
    undone: int = 0
    """Redrives that were undone."""
    changed: int = 0
    """Jobs that bulk operations have changed, or changed back."""
    deleted: int = 0
    """Rows of deleted tenants."""
    found: int = 0
    """Executions that searches have written to files."""
    ended: int = 0
    unavailable: int = 0
    unreadable: list[str] = field(default_factory=list)


class TaskWorker(Protocol):
    """The work of one kind of task."""

    def open(self) -> list[tuple[str, str]]:
        """The tenant and the id of every open task."""
        ...

    def advance(self, tenant_id: str, task_id: str, report: BulkReport) -> Step:
        """Process one page, or end a task whose work is done."""
        ...


@dataclass(slots=True)
class _Turn:
    """The open tasks of one kind and tenant, oldest first."""

    worker: TaskWorker
    tenant_id: str
    task_ids: deque[str]
    due_at: int = 0


@dataclass(frozen=True, slots=True)
class ProcessBulkTasks:
    workers: Sequence[TaskWorker]
    clock: Clock
    pause: Pause

    def execute(self, has_time: Callable[[], bool] = lambda: True) -> BulkReport:
        """Process open tasks while `has_time` returns true; the next run continues with the rest."""
        report = BulkReport()
        waiting = deque(turn for worker in self.workers for turn in _turns(worker))
        # Each minute begins with another tenant, in case that a run cannot reach all of them.
        waiting.rotate(-(self.clock.now_ms() // MINUTE_MS))
        while waiting and has_time():
            turn = waiting.popleft()
            if turn.due_at > self.clock.now_ms():
                waiting.append(turn)
                self._pause_for(min(each.due_at for each in waiting))
            elif self._has_more(turn, report):
                waiting.append(turn)
        return report

    def _pause_for(self, due_at: int) -> None:
        """Wait until the first task is due, if all tasks are at their rate."""
        left_ms = due_at - self.clock.now_ms()
        if left_ms > 0:
            self.pause(min(left_ms, MAX_PAUSE_MS))

    def _has_more(self, turn: _Turn, report: BulkReport) -> bool:
        """Advance the first task of a tenant; whether the tenant has more work for this run."""
        task_id = turn.task_ids[0]
        try:
            step = turn.worker.advance(turn.tenant_id, task_id, report)
        except UnavailableError:
            report.unavailable += 1
            return False
        except (RequestRejectedError, UnreadableItemError):
            report.unreadable.append(task_id)
            step = Rest.ENDED
        if step is Rest.ENDED:
            turn.task_ids.popleft()
            return bool(turn.task_ids)
        if isinstance(step, int):
            turn.due_at = step
        return step is not Rest.HELD


def _turns(worker: TaskWorker) -> Iterator[_Turn]:
    by_tenant: dict[str, deque[str]] = {}
    for tenant_id, task_id in worker.open():
        by_tenant.setdefault(tenant_id, deque()).append(task_id)
    for tenant_id, task_ids in by_tenant.items():
        yield _Turn(worker, tenant_id, task_ids)
