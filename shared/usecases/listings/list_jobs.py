"""A tenant's jobs: recurring jobs by ID, then one-off jobs by the instant that they were created for."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId, one_off_job_id
from shared.domain.jobs.job import Job
from shared.domain.listings.filters import JobFilter
from shared.domain.listings.position import BEGINNING, IndexPosition, PositionRange
from shared.domain.tenancy.tenant import Tenant
from shared.ports.executions import ExecutionStore
from shared.ports.listings import Queries, TenantIndex
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import CHUNK, EXAMINED_AT_MOST, Candidate, read_page, walk_index
from shared.usecases.reading.resolve_moved import resolve_moved


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPosition:
    """Where a page ended: after a recurring job, or, once these are complete, after a one-off job."""

    job_id: str | None = None
    index_position: IndexPosition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """A page of jobs. It may be short or empty although `next_position` shows that more follow."""

    jobs: tuple[Execution | Job, ...]
    next_position: JobPosition | None


@dataclass(frozen=True, slots=True)
class ListJobs:
    """Lists each job once, because neither the ID nor the first due instant of a job ever changes.

    A job that exists while all pages are read appears exactly once, even if it is moved meanwhile.
    Definitions are read strongly; one-off jobs come from an eventually consistent index.
    """

    queries: Queries
    store: ExecutionStore

    def execute(
        self, tenant: Tenant, *, limit: int, criteria: JobFilter, position: JobPosition | None = None
    ) -> JobPage:
        """At most `limit` jobs; unreadable jobs are left out."""
        position = position or JobPosition()
        items: list[Execution | Job] = []
        examined = 0
        if position.index_position is None and criteria.recurring:
            page, examined = self._recurring(tenant.id, limit, criteria, position.job_id)
            if page.next_position is not None or not criteria.one_off:
                return page
            items = list(page.jobs)
        if not criteria.one_off:
            return JobPage(jobs=tuple(items), next_position=None)
        if len(items) == limit or examined >= EXAMINED_AT_MOST:
            return JobPage(jobs=tuple(items), next_position=JobPosition(index_position=BEGINNING))
        after = position.index_position or BEGINNING
        rest = self._one_offs(tenant, limit - len(items), criteria, after, EXAMINED_AT_MOST - examined)
        return JobPage(jobs=(*items, *rest.jobs), next_position=rest.next_position)

    def _recurring(
        self, tenant_id: str, limit: int, criteria: JobFilter, after: str | None
    ) -> tuple[JobPage, int]:
        """A page of recurring jobs, and the number of definitions examined."""
        items: list[Job] = []
        examined = 0
        while examined < EXAMINED_AT_MOST:
            page = self.queries.definitions(
                tenant_id, after=after, limit=CHUNK, backfill_of=criteria.backfill_of
            )
            for job in (stored.described for stored in page.jobs):
                if criteria.matches(job):
                    items.append(job)
                if len(items) == limit:
                    return _page(items, JobPosition(job_id=job.id)), examined
            examined, after = examined + CHUNK, page.next_after
            if after is None:
                return _page(items, None), examined
        return _page(items, JobPosition(job_id=after)), examined

    def _one_offs(
        self, tenant: Tenant, limit: int, criteria: JobFilter, after: IndexPosition, at_most: int
    ) -> JobPage:
        def show(candidate: Candidate, execution: Execution | None) -> Execution | None:
            is_wanted = execution is not None and criteria.matches(execution)
            return execution if is_wanted and _is_job_of(execution, candidate) else None

        page = read_page(
            walk_index(
                self.queries,
                TenantIndex.DUE,
                tenant.id,
                tenant.index_shards,
                PositionRange(after=after),
                newest_first=False,
            ),
            limit=limit,
            read=self._read_current,
            show=show,
            at_most=at_most,
        )
        return _page(page.items, JobPosition(index_position=page.last.position) if page.last else None)

    def _read_current(self, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        """The items at the IDs, with forwarding records replaced by the items that they lead to."""
        found = read_readable(self.store, ids)
        moved_ids = [each.progress.moved_to for each in found.values() if each.progress.moved_to is not None]
        moved = read_readable(self.store, moved_ids) if moved_ids else {}
        for key, execution in list(found.items()):
            moved_to = execution.progress.moved_to
            if moved_to is None:
                continue
            target = moved.get(moved_to)
            existing = resolve_moved(self.store, target) if target is not None else None
            if existing is None:
                del found[key]
            else:
                found[key] = existing
        return found


def _is_job_of(execution: Execution | None, candidate: Candidate) -> bool:
    """Whether a one-off job is listed here: at the instant that it was created for, and nowhere else."""
    return (
        execution is not None
        and execution.state is not State.MOVED
        and execution.job_id == one_off_job_id(candidate.position.id)
    )


def _page(jobs: Sequence[Execution | Job], position: JobPosition | None) -> JobPage:
    return JobPage(jobs=tuple(jobs), next_position=position)
