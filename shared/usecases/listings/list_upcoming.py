"""What is about to run: a tenant's filed executions, its retries, and expected runs of its recurring jobs."""

import heapq
from collections.abc import Iterator
from functools import partial

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.jobs.expected_runs import ExpectedRun
from shared.domain.jobs.job import Job
from shared.domain.listings.position import IndexPosition, PositionRange, due_position
from shared.domain.tenancy.tenant import Tenant
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.listings.count_upcoming import LONGEST_DAYS
from shared.usecases.listings.upcoming_sources import Basis, UpcomingSources, basis_of
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import Candidate, read_page

MAX_WITHIN_SECONDS = 86_400


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

    sources: UpcomingSources
    store: ExecutionStore
    clock: Clock

    def execute(
        self,
        tenant: Tenant,
        within_ms: int,
        *,
        limit: int,
        from_ms: int | None = None,
        position: UpcomingPosition | None = None,
    ) -> UpcomingPage:
        """At most `limit` runs, from `from_ms` on, which is now by default, or from a position on.

        An instant that has passed counts as now. InvalidValueError for one that is too far ahead.
        """
        now_ms = self.clock.now_ms()
        if position is None:
            begin = max(now_ms, now_ms if from_ms is None else from_ms)
            if begin > now_ms + LONGEST_DAYS * MAX_WITHIN_SECONDS * 1000:
                raise InvalidValueError(
                    f"from is at most {LONGEST_DAYS} days ahead: choose an earlier instant"
                )
            position = UpcomingPosition(after=IndexPosition(at=begin), until=begin + within_ms)
        span = PositionRange(after=position.after, before=IndexPosition(at=position.until + 1))
        jobs, has_all_jobs = self.sources.active_jobs(tenant.id)
        retries, has_all_retries = self.sources.retries(tenant.id, span)
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
            for run in self.sources.expected(job, span, now_ms):
                expected[run.id] = run
                yield Candidate(due_position(run.id))

        filed = self.sources.filed(tenant, span)
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
    basis = basis_of(at, execution)
    if basis is None:
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
