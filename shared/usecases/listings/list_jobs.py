"""A tenant's jobs: recurring jobs by ID, then one-off jobs by the instant that they were created for."""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId, one_off_execution, one_off_job_id
from shared.domain.jobs.job import Job
from shared.domain.listings.filters import JobFilter
from shared.domain.listings.position import BEGINNING, IndexPosition, JobPosition, PositionRange
from shared.domain.tenancy.tenant import Tenant
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import ExecutionStore
from shared.ports.listings import EntryFilter, Queries, TenantIndex
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import (
    Candidate,
    keys_at_most,
    read_page,
    walk_index,
)
from shared.usecases.reading.resolve_moved import resolve_moved

OF_A_STATE_AT_MOST = 4_000
"""Recurring jobs that one page examines for a state that few have. DynamoDB leaves out the others: it bills them, and
sends nothing. It examines 1 MB at most, for 256 read units."""


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
        self,
        tenant: Tenant,
        *,
        limit: int,
        criteria: JobFilter,
        position: JobPosition | None = None,
        at_most: int | None = None,
    ) -> JobPage:
        """At most `limit` jobs of some `at_most` that are examined; unreadable jobs are left out."""
        position = position or JobPosition()
        items: list[Execution | Job] = []
        of_state = at_most or OF_A_STATE_AT_MOST
        at_most = at_most or keys_at_most(is_filtered=criteria.is_filter)
        if position.index_position is None and criteria.recurring:
            asked = at_most if criteria.is_filter else limit
            asked = of_state if criteria.rare_state is not None else asked
            page, examined = self._recurring(tenant.id, limit, criteria, position.job_id, asked)
            if page.next_position is not None or not criteria.one_off:
                return page
            items = list(page.jobs)
            at_most -= examined
        if not criteria.one_off:
            return JobPage(jobs=tuple(items), next_position=None)
        if len(items) == limit or at_most <= 0:
            return JobPage(jobs=tuple(items), next_position=JobPosition(index_position=BEGINNING))
        after = position.index_position or BEGINNING
        rest = self._one_offs(tenant, limit - len(items), criteria, after, at_most)
        return JobPage(jobs=(*items, *rest.jobs), next_position=rest.next_position)

    def _recurring(
        self, tenant_id: str, limit: int, criteria: JobFilter, after: str | None, asked: int
    ) -> tuple[JobPage, int]:
        """A page of recurring jobs from one query, and the number of definitions that were sent."""
        page = self.queries.definitions(
            tenant_id,
            after=after,
            limit=asked,
            backfill_of=criteria.backfill_of,
            state=criteria.rare_state,
        )
        matching = [job for job in (stored.described for stored in page.jobs) if criteria.matches(job)]
        if len(matching) >= limit:
            return _page(matching[:limit], JobPosition(job_id=matching[limit - 1].id)), len(page.jobs)
        following = JobPosition(job_id=page.next_after) if page.next_after is not None else None
        return _page(matching, following), len(page.jobs)

    def _one_offs(
        self, tenant: Tenant, limit: int, criteria: JobFilter, after: IndexPosition, at_most: int
    ) -> JobPage:
        """Failed jobs come from the index of failures, so they are in the order of their due times."""
        index, shards, read = TenantIndex.ONE_OFF_JOBS, tenant.index_shards, self._read_current
        only: EntryFilter | None = EntryFilter(tag=criteria.tag, name_prefix=criteria.name_prefix)
        if criteria.state == State.FAILED:
            index, shards, read, only = TenantIndex.FAILED, FAILURE_PARTITIONS, self._read_failed, None

        def show(_: Candidate, execution: Execution | None) -> Execution | None:
            return execution if execution is not None and criteria.matches(execution) else None

        span = PositionRange(after=after)
        page = read_page(
            walk_index(self.queries, index, tenant.id, shards, span, newest_first=False, only=only),
            limit=limit,
            read=read,
            show=show,
            at_most=at_most,
        )
        return _page(page.items, JobPosition(index_position=page.last.position) if page.last else None)

    def _read_failed(self, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        """The executions at the IDs that are one-off jobs: no runs of recurring jobs, and no redrives."""
        found = read_readable(self.store, ids)
        origins = {key: one_off_execution(execution.job_id) for key, execution in found.items()}
        away = [origin for key, origin in origins.items() if origin is not None and origin != key]
        forwarding = read_readable(self.store, away) if away else {}

        def is_job(key: ExecutionId) -> bool:
            origin = origins[key]
            record = forwarding.get(origin) if origin is not None else None
            return origin == key or (record is not None and record.progress.moved_to == key)

        return {key: execution for key, execution in found.items() if is_job(key)}

    def _read_current(self, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        """The one-off jobs that were created for the IDs, each as it is now."""
        found = read_readable(self.store, ids)
        moved_ids = [each.progress.moved_to for each in found.values() if each.progress.moved_to is not None]
        moved = read_readable(self.store, moved_ids) if moved_ids else {}
        for key, execution in list(found.items()):
            existing: Execution | None = execution
            if execution.progress.moved_to is not None:
                target = moved.get(execution.progress.moved_to)
                existing = resolve_moved(self.store, target) if target is not None else None
            if existing is not None and existing.job_id == one_off_job_id(key):
                found[key] = existing
            else:
                del found[key]
        return found


def _page(jobs: Sequence[Execution | Job], position: JobPosition | None) -> JobPage:
    return JobPage(jobs=tuple(jobs), next_position=position)
