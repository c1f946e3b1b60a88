"""Bulk tasks in memory."""

from typing import Generic, TypeVar

from shared.domain.archive.search_task import SearchTask
from shared.domain.bulk.job_task import JobTask
from shared.domain.bulk.pages import BulkPage
from shared.domain.bulk.task import PagedTask
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.errors import UnavailableError

T = TypeVar("T", bound=PagedTask)


class FakePagedTasks(Generic[T]):
    """Each change is atomic."""

    def __init__(self) -> None:
        self.tasks: dict[tuple[str, str], T] = {}
        self.slots: dict[str, str] = {}
        self.expires_at_s: dict[tuple[str, str], int] = {}

    def _slot(self, task: T) -> str:
        """The place of an open task: one for each tenant."""
        return task.tenant_id

    def create(self, task: T) -> str | None:
        if self._slot(task) in self.slots:
            return self.slots[self._slot(task)]
        if (task.tenant_id, task.id) in self.tasks:
            return task.id
        self.tasks[task.tenant_id, task.id] = task
        self.slots[self._slot(task)] = task.id
        return None

    def get(self, tenant_id: str, task_id: str) -> T | None:
        return self.tasks.get((tenant_id, task_id))

    def replace(self, before: T, after: T, expires_at_s: int | None = None) -> bool:
        key = (before.tenant_id, before.id)
        if key not in self.tasks or self.tasks[key].version != before.version:
            return False
        if after.is_open and self.slots.get(self._slot(after), after.id) != after.id:
            return False
        self.tasks[key] = after
        self.expires_at_s.pop(key, None)
        if expires_at_s is not None:
            self.expires_at_s[key] = expires_at_s
        if after.is_open:
            self.slots[self._slot(after)] = after.id
        else:
            self.slots.pop(self._slot(after), None)
        return True

    def open(self) -> list[tuple[str, str]]:
        return sorted((slot.partition("#")[0], task_id) for slot, task_id in self.slots.items())


class FakeRedriveTasks(FakePagedTasks[RedriveTask]):
    """Bulk redrives."""


class FakeListedTasks(FakePagedTasks[T]):
    """Each open task has a place of its own."""

    def _slot(self, task: T) -> str:
        return f"{task.tenant_id}#{task.id}"

    def open_of(self, tenant_id: str) -> list[str]:
        return [task_id for tenant, task_id in self.open() if tenant == tenant_id]

    def latest(self, tenant_id: str, *, before: str | None, limit: int) -> tuple[list[T], str | None]:
        """As in DynamoDB, a full page is never marked as the last."""
        ids = sorted((task_id for tenant, task_id in self.tasks if tenant == tenant_id), reverse=True)
        page = [task_id for task_id in ids if before is None or task_id < before][:limit]
        tasks = [self.tasks[tenant_id, task_id] for task_id in page]
        return tasks, page[-1] if len(page) == limit else None


class FakeJobTasks(FakeListedTasks[JobTask]):
    """Bulk operations on jobs."""


class FakeSearchTasks(FakeListedTasks[SearchTask]):
    """Searches of executions."""


class FakeBulkPages:
    """Records of pages."""

    def __init__(self) -> None:
        self.pages: dict[tuple[str, str, int], BulkPage] = {}
        self.expires_at_s: dict[tuple[str, str, int], int] = {}

    def get(self, tenant_id: str, task_id: str, number: int) -> BulkPage | None:
        return self.pages.get((tenant_id, task_id, number))

    def begin(self, page: BulkPage, expires_at_s: int) -> BulkPage:
        if _key(page) not in self.pages:
            self._put(page, expires_at_s)
        return self.pages[_key(page)]

    def finish(self, page: BulkPage, expires_at_s: int) -> BulkPage:
        if _key(page) not in self.pages:
            raise UnavailableError("the record of a page is missing")
        if not self.pages[_key(page)].is_finished:
            self._put(page, expires_at_s)
        return self.pages[_key(page)]

    def _put(self, page: BulkPage, expires_at_s: int) -> None:
        self.pages[_key(page)], self.expires_at_s[_key(page)] = page, expires_at_s


def _key(page: BulkPage) -> tuple[str, str, int]:
    return page.tenant_id, page.task_id, page.number
