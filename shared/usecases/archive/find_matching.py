"""Walk over the executions of a search, as the list by due time does: a page of lines for each call."""

import json
from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.archive.reading import ROWS_OF_SEARCH
from shared.domain.archive.row import row_of
from shared.domain.archive.search_task import SearchTask
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import is_recurring_job_id
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.domain.tenancy.tenant import Tenant
from shared.ports.jobs import JobNames, JobStore
from shared.ports.runtime import Clock
from shared.usecases.listings.execution_documents import Beside, shown_document
from shared.usecases.listings.list_by_time import ListByTime
from shared.usecases.outcomes.follow_notifications import FollowNotifications
from shared.usecases.reading.job_tags import JobTags
from shared.usecases.reading.read_page import CHUNK, Candidate, PageOf, read_page
from shared.usecases.reading.shown import Shown, state_of, tenant_of

PAGE_MS = 5_000
"""A page ends after this time, so that a search of months delays no other task."""
PAGE_ROWS = 5_000
NOT_IN_LINES = "last_response_body"
"""The archive has it sealed under the tenant's key. Results are files without that key."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    lines: Sequence[bytes]
    position: IndexPosition | None
    """Every execution from here on was examined; None if the range was examined whole."""


@dataclass(frozen=True, slots=True)
class FindMatching:
    list_by_time: ListByTime
    jobs: JobStore
    names: JobNames
    follow_notifications: FollowNotifications
    clock: Clock

    def execute(self, tenant: Tenant, task: SearchTask) -> FoundPage:
        """The next lines, newest first. UnavailableError."""
        ends_at, tags = self.clock.now_ms() + PAGE_MS, JobTags(self.jobs)
        rest, names, lines = task.rest, dict[str, str | None](), list[bytes]()
        while True:
            page = self._part(tenant, task, rest, tags)
            for first in range(0, len(page.items), CHUNK):
                lines += self._lines(tenant.id, page.items[first : first + CHUNK], names)
            if page.last is None:
                return FoundPage(lines, None)
            rest = PositionRange(after=rest.after, before=page.last.position)
            if len(lines) >= PAGE_ROWS or self.clock.now_ms() >= ends_at:
                return FoundPage(lines, rest.before)

    def _part(self, tenant: Tenant, task: SearchTask, rest: PositionRange, tags: JobTags) -> PageOf[Shown]:
        """Those that match of up to `ROWS_OF_SEARCH` executions."""
        criteria = task.criteria

        def show(_: Candidate, found: Shown | None) -> Shown | None:
            if found is None or tenant_of(found) != tenant.id or state_of(found) is State.MOVED:
                return None
            row = row_of(found) if isinstance(found, Execution) else found
            is_found = criteria.rows.matches(row) and (criteria.tag is None or criteria.tag in tags.of(found))
            return found if is_found else None

        candidates, read = self.list_by_time.walk(tenant, rest, criteria.rows, at_once=ROWS_OF_SEARCH)
        return read_page(candidates, limit=ROWS_OF_SEARCH, read=read, show=show, at_most=ROWS_OF_SEARCH)

    def _lines(self, tenant_id: str, found: Sequence[Shown], names: dict[str, str | None]) -> list[bytes]:
        """The lines of at most 100 executions. `names` has the known names of jobs, and gets more."""
        job_ids = {each.job_id for each in found if is_recurring_job_id(each.job_id)} - names.keys()
        named = self.names.of(tenant_id, job_ids) if job_ids else {}
        names |= {job_id: named.get(job_id) for job_id in job_ids}
        records = [each for each in found if isinstance(each, Execution)]
        beside = Beside(names=names, notifications=self.follow_notifications.execute(records))
        return [_line(each, beside) for each in found]


def _line(shown: Shown, beside: Beside) -> bytes:
    document = shown_document(shown, beside)
    del document[NOT_IN_LINES]
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"
