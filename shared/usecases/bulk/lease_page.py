"""Lease a task to one worker for a page. The cursor moves after the page was processed.

The version of the task is the fencing token of the lease. Any number of workers may process a task and crash
anywhere: a worker whose lease was taken over cannot move the cursor.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from shared.dataclass import dataclass
from shared.domain.bulk.task import PagedTask
from shared.domain.errors import PunctualError, ServiceError
from shared.ports.bulk import PagedTasks

T = TypeVar("T", bound=PagedTask)
LEASE_MS = 30_000
"""Other workers leave a task alone for this long after its worker crashed in a page."""


@dataclass(frozen=True, slots=True)
class LeasePage(Generic[T]):
    tasks: PagedTasks[T]

    def execute(self, task: T, now_ms: int, process: Callable[[T], T]) -> T | None:
        """The task after `process`, which returns its next version; None if another worker has the task."""
        worked = self.worked(task, now_ms, process)
        if worked is None:
            return None
        leased, after = worked
        return after if self.tasks.replace(leased, after) else None

    def worked(self, task: T, now_ms: int, process: Callable[[T], T]) -> tuple[T, T] | None:
        """The leased task and its next version, which is not stored yet."""
        leased = task.leased(now_ms + LEASE_MS)
        if task.lease_until > now_ms or not self.tasks.replace(task, leased):
            return None
        try:
            return leased, process(leased)
        except PunctualError:
            self._release(leased)
            raise

    def _release(self, leased: T) -> None:
        """End the lease early, if the store allows it; otherwise it expires."""
        try:
            self.tasks.replace(leased, leased.leased(0))
        except ServiceError:
            return
