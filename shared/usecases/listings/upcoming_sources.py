"""Where the upcoming runs of a tenant are found: its filed executions, its retries and its definitions."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.jobs.expected_runs import ExpectedRun
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.position import IndexPosition, PositionRange, due_position
from shared.domain.tenancy.tenant import Tenant
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import ExecutionStore
from shared.ports.listings import Queries, TenantIndex
from shared.usecases.listings.limited_runs import LimitedRuns
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import CHUNK, Candidate, walk_index

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


def basis_of(at: int, execution: Execution) -> Basis | None:
    """Why a stored execution will run at an instant; None if it will not."""
    if execution.state in NOT_STARTED and at == execution.id.dispatch_at:
        return Basis.FILED
    if execution.state is State.WAITING and at == execution.progress.next_attempt_at:
        return Basis.FILED if execution.is_postponable else Basis.RETRY
    return None


@dataclass(frozen=True, slots=True)
class UpcomingSources:
    """Three streams, each in order of time. An execution may be in two of them."""

    queries: Queries
    store: ExecutionStore
    limited_runs: LimitedRuns

    def active_jobs(self, tenant_id: str) -> tuple[list[Job], bool]:
        """The active recurring jobs to enumerate, and whether these are all of them."""
        page = self.queries.definitions(tenant_id, after=None, limit=DEFINITIONS_AT_MOST)
        jobs = [job for job in page.jobs if job.state is JobState.ACTIVE]
        limited = [job for job in jobs if job.definition.max_runs is not None]
        limited_ids = {job.id for job in limited[:LIMITED_AT_MOST]}
        enumerated = [job for job in jobs if job.definition.max_runs is None or job.id in limited_ids]
        return enumerated, page.next_after is None and len(enumerated) == len(jobs)

    def retries(self, tenant_id: str, span: PositionRange) -> tuple[list[Candidate], bool]:
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

    def filed(self, tenant: Tenant, span: PositionRange, *, at_once: int = CHUNK) -> Iterator[Candidate]:
        """Executions within a span by the index, whether or not they have started or ended since.

        Reads `at_once` entries of all shards together, or more.
        """
        return walk_index(
            self.queries,
            TenantIndex.DUE,
            tenant.id,
            tenant.index_shards,
            span,
            newest_first=False,
            at_once=at_once,
        )

    def expected(self, job: Job, span: PositionRange, now_ms: int) -> Iterator[ExpectedRun]:
        """The runs of an active job within a span, filed or not."""
        for run in self.limited_runs.execute(job, span.after.at, span.before.at - 1, now_ms):
            if due_position(run.id) in span:
                yield run
