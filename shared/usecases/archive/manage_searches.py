"""Find, list and cancel searches of executions, and offer their files."""

from collections.abc import Mapping

from shared.dataclass import dataclass
from shared.domain.archive.search_task import (
    ResultFile,
    SearchState,
    SearchTask,
    is_search_task_id,
)
from shared.domain.errors import NotFoundError, UnavailableError
from shared.domain.executions.retention import Retention
from shared.ports.runtime import Clock
from shared.ports.searches import SearchFiles, SearchTasks

URL_SECONDS = 900
TRIES = 5


@dataclass(frozen=True, slots=True)
class ManageSearches:
    tasks: SearchTasks
    files: SearchFiles | None
    """None in a stage without an archive."""
    clock: Clock
    retention: Retention

    def find(self, tenant_id: str, search_id: str) -> SearchTask:
        """A search of this tenant; NotFoundError."""
        task = self.tasks.get(tenant_id, search_id) if is_search_task_id(search_id) else None
        if task is None:
            raise NotFoundError("no such search")
        return task

    def latest(self, tenant_id: str, before: str | None, limit: int) -> tuple[list[SearchTask], str | None]:
        """The tenant's searches, newest first, and the id before which the next page begins."""
        return self.tasks.latest(tenant_id, before=before, limit=limit)

    def cancel(self, tenant_id: str, search_id: str) -> SearchTask:
        """The cancelled search; a repetition has no effect. NotFoundError, InvalidStateError if it has finished."""
        for _ in range(TRIES):
            task = self.find(tenant_id, search_id)
            if task.state is SearchState.CANCELLED:
                return task
            now_ms = self.clock.now_ms()
            cancelled = task.cancelled(now_ms)
            if self.tasks.replace(task, cancelled, self.retention.expires_at_s(now_ms)):
                return cancelled
        raise UnavailableError("the search is being worked on")

    def urls(self, task: SearchTask) -> Mapping[ResultFile, str]:
        """New URLs of the files of a search that has finished, each good for `URL_SECONDS`."""
        if self.files is None or not task.has_result(self.clock.now_ms()):
            return {}
        return {
            file: self.files.url(task.tenant_id, task.id, file.version, seconds=URL_SECONDS)
            for file in task.files
        }
