"""What is about to run: a tenant's filed executions, its retries, and expected runs of its recurring jobs."""

import heapq
from collections.abc import Iterator
from enum import StrEnum
from functools import partial
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.domain.jobs.expected_runs import ExpectedRun
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.position import IndexPosition, PositionRange, due_position
from shared.domain.tenancy.tenant import Tenant
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import ExecutionStore
from shared.ports.listings import Queries, TenantIndex
from shared.ports.runtime import Clock
from shared.usecases.listings.limited_runs import LimitedRuns
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import CHUNK, Candidate, read_page, walk_index

MAX_WITHIN_SECONDS = 86_400
DEFINITIONS_AT_MOST = 200
"""Recurring jobs that are enumerated. Of further jobs only the filed next execution is listed."""
LIMITED_AT_MOST = 10
"""Enumerated jobs with a maximum number of runs; each costs one read."""
RETRIES_AT_MOST = 100
"""Waiting retries that are read, the latest due times first. Their index is not in the order of the retries."""


class Basis(StrEnum):
    """Why a run is expected. The values are part of the API."""

    FILED = "filed"
    RETRY = "retry"
    EXPECTED = "expected"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcomingRun:
    """A call that is due at an instant, unless its job changes."""

    at: int
    basis: Basis
    id: ExecutionId
    job_id: str
    scheduled_at: int
    """The nominal instant of the run."""
    attempt: int
    """The number of the next attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcomingPosition:
    """Where a page ended, and the end of the window, which all pages share."""

    after: IndexPosition
    until: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcomingPage:
    """A page in order of time. It may be short although `next_position` shows that more follow."""

    runs: tuple[UpcomingRun, ...]
    until: int
    is_complete: bool
    """Whether all recurring jobs were enumerated, and all waiting retries were read."""
    next_position: UpcomingPosition | None


@dataclass(frozen=True, slots=True)
class ListUpcoming:
    """Merges three streams. Each key is read strongly, so a run is listed once, as filed or as expected."""

    queries: Queries
    store: ExecutionStore
    limited_runs: LimitedRuns
    clock: Clock

    def execute(
        self, tenant: Tenant, within_ms: int, *, limit: int, position: UpcomingPosition | None = None
    ) -> UpcomingPage:
        """At most `limit` runs, from now on or from a position on."""
        now_ms = self.clock.now_ms()
        if position is None:
            position = UpcomingPosition(after=IndexPosition(at=now_ms), until=now_ms + within_ms)
        span = PositionRange(after=position.after, before=IndexPosition(at=position.until + 1))
        jobs, has_all_jobs = self._active(tenant.id)
        retries, has_all_retries = self._retries(tenant.id, span)
        expected: dict[ExecutionId, ExpectedRun] = {}
        page = read_page(
            self._candidates(tenant, jobs, retries, span, now_ms, expected),
            limit=limit,
            read=partial(read_readable, self.store),
            show=lambda candidate, execution: _run(candidate, execution, expected),
        )
        return UpcomingPage(
            runs=page.items,
            until=position.until,
            is_complete=has_all_jobs and has_all_retries,
            next_position=(
                UpcomingPosition(after=page.last.position, until=position.until) if page.last else None
            ),
        )

    def _active(self, tenant_id: str) -> tuple[list[Job], bool]:
        jobs: list[Job] = []
        examined, after = 0, None
        while examined < DEFINITIONS_AT_MOST:
            page = self.queries.definitions(tenant_id, after=after, limit=CHUNK)
            jobs += [job for job in page.jobs if job.state is JobState.ACTIVE]
            examined, after = examined + CHUNK, page.next_after
            if after is None:
                break
        limited = [job for job in jobs if job.definition.max_runs is not None]
        limited_ids = {job.id for job in limited[:LIMITED_AT_MOST]}
        enumerated = [job for job in jobs if job.definition.max_runs is None or job.id in limited_ids]
        return enumerated, after is None and len(enumerated) == len(jobs)

    def _retries(self, tenant_id: str, span: PositionRange) -> tuple[list[Candidate], bool]:
        """Retries within a span, in order of time, and whether all waiting retries were read."""
        indexed = walk_index(
            self.queries,
            TenantIndex.RETRY,
            tenant_id,
            FAILURE_PARTITIONS,
            PositionRange(),
            newest_first=True,
        )
        ids = [candidate.position.id for candidate in islice(indexed, RETRIES_AT_MOST + 1)]
        waiting = read_readable(self.store, ids[:RETRIES_AT_MOST]) if ids else {}
        positions = [
            IndexPosition(at=execution.progress.next_attempt_at, id=key)
            for key, execution in waiting.items()
            if execution.state is State.WAITING and execution.progress.next_attempt_at is not None
        ]
        within = sorted(position for position in positions if position in span)
        return [Candidate(position) for position in within], len(ids) <= RETRIES_AT_MOST

    def _candidates(
        self,
        tenant: Tenant,
        jobs: list[Job],
        retries: list[Candidate],
        span: PositionRange,
        now_ms: int,
        expected: dict[ExecutionId, ExpectedRun],
    ) -> Iterator[Candidate]:
        def expected_candidates(job: Job) -> Iterator[Candidate]:
            for run in self.limited_runs.execute(job, span.after.at, span.before.at - 1, now_ms):
                at = due_position(run.id)
                if at in span:
                    expected[run.id] = run
                    yield Candidate(at)

        filed = walk_index(
            self.queries, TenantIndex.DUE, tenant.id, tenant.index_shards, span, newest_first=False
        )
        return _once_each(heapq.merge(filed, retries, *(expected_candidates(job) for job in jobs)))


def _once_each(candidates: Iterator[Candidate]) -> Iterator[Candidate]:
    last: Candidate | None = None
    for candidate in candidates:
        if last is None or candidate.position != last.position:
            yield candidate
        last = candidate


def _run(
    candidate: Candidate, execution: Execution | None, expected: dict[ExecutionId, ExpectedRun]
) -> UpcomingRun | None:
    """The run at a candidate's position; None if nothing will run there."""
    at, key = candidate.position.at, candidate.position.id
    if execution is None:
        return _expected_run(expected[key]) if key in expected else None
    if execution.state in NOT_STARTED and at == key.dispatch_at:
        basis = Basis.FILED
    elif execution.state is State.WAITING and at == execution.progress.next_attempt_at:
        basis = Basis.RETRY
    else:
        return None
    return UpcomingRun(
        at=at,
        basis=basis,
        id=key,
        job_id=execution.job_id,
        scheduled_at=execution.scheduled_at,
        attempt=execution.attempt + 1,
    )


def _expected_run(run: ExpectedRun) -> UpcomingRun:
    return UpcomingRun(
        at=run.id.dispatch_at,
        basis=Basis.EXPECTED,
        id=run.id,
        job_id=run.job.id,
        scheduled_at=run.scheduled_at,
        attempt=1,
    )
