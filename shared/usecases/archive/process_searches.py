"""Process searches of executions: find a page, write its file, then move the cursor.

A file is written under a name that no other worker uses, and belongs to the result once the cursor has moved. A
worker that crashes, or whose lease was taken over, leaves a file that nothing names.
"""

import gzip

from shared.dataclass import dataclass
from shared.domain.archive.search_task import ResultFile, SearchTask
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.retention import Retention
from shared.ports.runtime import Clock
from shared.ports.searches import SearchFiles, SearchTasks
from shared.usecases.archive.find_matching import FindMatching, FoundPage
from shared.usecases.bulk.lease_page import LeasePage
from shared.usecases.bulk.process_bulk_tasks import BulkReport, Rest, Step
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True, slots=True)
class ProcessSearches:
    """The worker of searches."""

    tasks: SearchTasks
    files: SearchFiles
    read_tenant: ReadTenant
    find: FindMatching
    clock: Clock
    retention: Retention

    def open(self) -> list[tuple[str, str]]:
        return self.tasks.open()

    def advance(self, tenant_id: str, task_id: str, report: BulkReport) -> Step:
        """Process one page."""
        task = self.tasks.get(tenant_id, task_id)
        if task is None or not task.is_open:
            return Rest.ENDED
        worked = LeasePage(self.tasks).worked(task, self.clock.now_ms(), self._page)
        if worked is None:
            return Rest.HELD
        leased, after = worked
        now_ms = self.clock.now_ms()
        expires_at_s = None if after.is_open else self.retention.expires_at_s(now_ms)
        if not self.tasks.replace(leased, after, expires_at_s):
            return Rest.HELD
        report.found += after.found - task.found
        report.ended += not after.is_open
        return now_ms if after.is_open else Rest.ENDED

    def _page(self, task: SearchTask) -> SearchTask:
        now_ms = self.clock.now_ms()
        tenant = self.read_tenant.execute(task.tenant_id)
        if tenant is None or tenant.is_being_deleted or now_ms >= task.expires_at:
            return task.cancelled(now_ms)
        page = self.find.execute(tenant, task)
        return task.after_page(self._written(task, page), page.position, self.clock.now_ms())

    def _written(self, task: SearchTask, page: FoundPage) -> ResultFile | None:
        """The file with the lines of the page; None if nothing was found."""
        if not page.lines:
            return None
        rows, content = len(page.lines), gzip.compress(b"".join(page.lines), mtime=0)
        if task.grows:
            last = task.files[-1]
            before = self.files.get(task.tenant_id, task.id, last.version)
            if before is None:
                raise UnreadableItemError(f"{task.id} has lost a file")
            # Compressed files one after another are one compressed file.
            rows, content = last.rows + rows, before + content
        self.files.put(task.tenant_id, task.id, task.version, content)
        return ResultFile(task.version, rows, len(content))
