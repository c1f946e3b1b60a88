"""A tenant's jobs: the recurring ones by id, then those that run once by the instant that they were created for."""

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
    """Where a page of jobs ended: behind a recurring job, or, where those are told, behind a one-off."""

    job_id: str | None = None
    place: IndexPosition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """A page of jobs; it may be short, or even empty, while `next_position` says that there is more."""

    jobs: tuple[Execution | Job, ...]
    next_position: JobPosition | None


@dataclass(frozen=True, slots=True)
class ListJobs:
    """Neither a job's id nor the instant that it was created for ever changes, so that neither does its place.

    A job that is there while all pages are read is shown exactly once, even if it is moved to another time meanwhile.
    Definitions are read strongly; one-offs are found through an index, which may be a moment behind.
    """

    queries: Queries
    store: ExecutionStore

    def execute(
        self, tenant: Tenant, *, limit: int, criteria: JobFilter, position: JobPosition | None = None
    ) -> JobPage:
        """Up to `limit` jobs; those that cannot be read are left out."""
        position = position or JobPosition()
        shown: list[Execution | Job] = []
        examined = 0
        if position.place is None and criteria.recurring:
            page, examined = self._recurring(tenant.id, limit, criteria, position.job_id)
            if page.next_position is not None or not criteria.one_off:
                return page
            shown = list(page.jobs)
        if not criteria.one_off:
            return JobPage(jobs=tuple(shown), next_position=None)
        if len(shown) == limit or examined >= EXAMINED_AT_MOST:
            return JobPage(jobs=tuple(shown), next_position=JobPosition(place=BEGINNING))
        after = position.place or BEGINNING
        rest = self._one_offs(tenant, limit - len(shown), criteria, after, EXAMINED_AT_MOST - examined)
        return JobPage(jobs=(*shown, *rest.jobs), next_position=rest.next_position)

    def _recurring(
        self, tenant_id: str, limit: int, criteria: JobFilter, after: str | None
    ) -> tuple[JobPage, int]:
        """A page of recurring jobs, and how many were examined for it."""
        shown: list[Job] = []
        examined = 0
        while examined < EXAMINED_AT_MOST:
            page = self.queries.definitions(
                tenant_id, after=after, limit=CHUNK, backfill_of=criteria.backfill_of
            )
            for job in (stored.described for stored in page.jobs):
                if criteria.matches(job):
                    shown.append(job)
                if len(shown) == limit:
                    return _page(shown, JobPosition(job_id=job.id)), examined
            examined, after = examined + CHUNK, page.next_after
            if after is None:
                return _page(shown, None), examined
        return _page(shown, JobPosition(job_id=after)), examined

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
        return _page(page.shown, JobPosition(place=page.last.place) if page.last else None)

    def _read_current(self, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        """What stands at the ids; in the place of what was moved, what it was moved to."""
        found = read_readable(self.store, ids)
        goals = [one.progress.moved_to for one in found.values() if one.progress.moved_to is not None]
        moved = read_readable(self.store, goals) if goals else {}
        for key, execution in list(found.items()):
            moved_to = execution.progress.moved_to
            if moved_to is None:
                continue
            goal = moved.get(moved_to)
            standing = resolve_moved(self.store, goal) if goal is not None else None
            if standing is None:
                del found[key]
            else:
                found[key] = standing
        return found


def _is_job_of(execution: Execution | None, candidate: Candidate) -> bool:
    """Whether a one-off job has its place here: where it was created, and nowhere else."""
    return (
        execution is not None
        and execution.state is not State.MOVED
        and execution.job_id == one_off_job_id(candidate.place.id)
    )


def _page(jobs: Sequence[Execution | Job], position: JobPosition | None) -> JobPage:
    return JobPage(jobs=tuple(jobs), next_position=position)
