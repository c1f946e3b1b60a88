"""Start a search of executions. The task is stored here, and processed elsewhere."""

from shared.dataclass import dataclass
from shared.domain.archive.reading import RowFilter
from shared.domain.archive.search_task import SearchFilter, SearchTask, search_task_id
from shared.domain.archive.unit import DAY_MS
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.listings.position import IndexPosition
from shared.domain.tenancy.tenant import Tenant
from shared.ports.jobs import IdempotencyRecord
from shared.ports.searches import SearchTasks
from shared.usecases.bulk.identify_task import IdentifyTask, create_once

MAX_OPEN = 3
"""Searches of a tenant that have not ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSearch:
    rows: RowFilter
    from_at: int
    until_at: int | None = None
    """None: until the search begins."""
    tag: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedSearch:
    """The stored task. `replayed`: an earlier request with the same key had created it."""

    task: SearchTask
    replayed: bool


@dataclass(frozen=True, slots=True)
class StartSearch:
    """Executions are kept for `kept_days`."""

    tasks: SearchTasks
    identify: IdentifyTask
    kept_days: int

    def execute(self, tenant: Tenant, new: NewSearch, key: str | None = None) -> StartedSearch:
        """Create the task; repeats with the same idempotency key return the same task.

        The range ends now at the latest, and begins with what is kept. InvalidValueError if nothing of it is left,
        InvalidStateError if too many searches are open.
        """
        record, is_known = self.identify.execute(tenant, _canonical(new), search_task_id, key)
        if is_known and (existing := self.tasks.get(tenant.id, record.id)) is not None:
            return StartedSearch(task=existing, replayed=True)
        task = self._task(tenant.id, new, record)
        if len(self.tasks.open_of(tenant.id)) >= MAX_OPEN:
            raise InvalidStateError(f"{MAX_OPEN} searches are open: wait for one to end, or cancel one")
        return StartedSearch(task=create_once(self.tasks, task), replayed=is_known)

    def _task(self, tenant_id: str, new: NewSearch, record: IdempotencyRecord[str]) -> SearchTask:
        now_ms = record.created_at
        from_at = max(new.from_at, now_ms - self.kept_days * DAY_MS)
        until_at = now_ms if new.until_at is None else min(new.until_at, now_ms)
        if from_at >= until_at:
            detail = f"from: the range has nothing of the last {self.kept_days} days"
            raise InvalidValueError(detail, path=("from",))
        return SearchTask(
            id=record.id,
            tenant_id=tenant_id,
            created_at=now_ms,
            criteria=SearchFilter(rows=new.rows, from_at=from_at, until_at=until_at, tag=new.tag),
            position=IndexPosition(at=until_at),
        )


def _canonical(new: NewSearch) -> bytes:
    """Canonical form of a request, for its fingerprint."""
    rows = new.rows
    criteria = (rows.state, rows.job_id, rows.reason, rows.status, rows.lane, new.tag)
    return "|".join(("search", *map(repr, (*criteria, new.from_at, new.until_at)))).encode()
