"""Tasks that are done page by page, and the records of the pages of bulk operations."""

from typing import Protocol, TypeVar

from shared.domain.bulk.job_task import JobTask
from shared.domain.bulk.pages import BulkPage
from shared.domain.bulk.task import PagedTask
from shared.domain.dead_letters.redrive_task import RedriveTask

T = TypeVar("T", bound=PagedTask)


class PagedTasks(Protocol[T]):
    """Tasks of one kind. Every change is a compare-and-swap by version. All reads are strongly consistent."""

    def create(self, task: T) -> str | None:
        """Write a new task and list it as open, in one transaction.

        None if written, otherwise the id of the open task in its place, which may be this task (a lost
        response).
        """
        ...

    def get(self, tenant_id: str, task_id: str) -> T | None: ...

    def replace(self, before: T, after: T, expires_at_s: int | None = None) -> bool:
        """Compare-and-swap to the next version.

        A task that ends leaves the list of open tasks in the same transaction and has an expiry; a task that
        is reopened is listed again. False if the stored version differs, or if another task is open in its
        place.
        """
        ...

    def open(self) -> list[tuple[str, str]]:
        """The tenant and the id of every open task, the tasks of a tenant in order of their ids."""
        ...


class RedriveTasks(PagedTasks[RedriveTask], Protocol):
    """Bulk redrives: at most one open task per tenant."""


class ListedTasks(PagedTasks[T], Protocol[T]):
    """Tasks of which a tenant may have several: each open task has a place of its own."""

    def open_of(self, tenant_id: str) -> list[str]:
        """The ids of the tenant's open tasks, in order."""
        ...

    def latest(self, tenant_id: str, *, before: str | None, limit: int) -> tuple[list[T], str | None]:
        """The tenant's newest tasks, newest first; with `before`, only older ones; unreadable ones are left out.

        The second value is the id before which the next page begins; None on the last page.
        """
        ...


class JobTasks(ListedTasks[JobTask], Protocol):
    """Bulk operations on jobs."""


class BulkPages(Protocol):
    """Records of pages. All reads are strongly consistent."""

    def get(self, tenant_id: str, task_id: str, number: int) -> BulkPage | None: ...

    def begin(self, page: BulkPage, expires_at_s: int) -> BulkPage:
        """Write the record of a page unless there is one; returns the record that is stored afterwards."""
        ...

    def finish(self, page: BulkPage, expires_at_s: int) -> BulkPage:
        """Give the record its results unless it has some; returns the record that is stored afterwards.

        UnavailableError if there is no record.
        """
        ...
