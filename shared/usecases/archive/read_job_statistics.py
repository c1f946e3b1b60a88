"""Statistics of one job, counted from its executions while they exist."""

from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.archive.row import row_of
from shared.domain.archive.stat_window import StatWindow
from shared.domain.archive.statistics import sample_of
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS, Retention
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.domain.schedules.jitter import MAX_JITTER_MS
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.archive.read_statistics import StatBucket, StatReport, complete_until
from shared.usecases.listings.job_history import WalkHistory
from shared.usecases.reading.find_job import FindJob
from shared.usecases.reading.read_executions import read_readable

MOST_RUNS = 2_000
"""Executions that a request counts at most: about as many read units."""
MOST_EXAMINED = 10_000
"""Positions in the history of the job that a request looks at."""
AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadJobStatistics:
    """Reads alone, strongly consistent: each step that is over, and whose executions have ended, is complete."""

    find: FindJob
    walk: WalkHistory
    jobs: JobStore
    store: ExecutionStore
    clock: Clock
    retention: Retention

    def execute(self, tenant_id: str, job_id: str, window: StatWindow) -> StatReport:
        """NotFoundError; InvalidValueError for a range that is too old, or that has too many executions."""
        now_ms = self.clock.now_ms()
        if window.from_at < now_ms - self.retention.days * DAY_SECONDS * 1000:
            raise InvalidValueError(
                f"statistics of one job reach back {self.retention.days} days: for earlier days use "
                "GET /v1/stats/jobs, or find its executions with POST /v1/executions/search"
            )
        job = self.find.execute(tenant_id, job_id)
        ids = self._ids(job, window)
        buckets = [StatBucket(start, start + window.step.ms) for start in window.starts()]
        for start in range(0, len(ids), AT_ONCE):
            for execution in read_readable(self.store, ids[start : start + AT_ONCE]).values():
                if execution.tenant_id == tenant_id:
                    _add(buckets[(execution.id.dispatch_at - window.from_at) // window.step.ms], execution)
        for bucket in buckets:
            bucket.is_complete = bucket.until_at <= now_ms and not bucket.sums.unended
        return StatReport(window=window, buckets=tuple(buckets), complete_until=complete_until(buckets))

    def _ids(self, job: Execution | Job, window: StatWindow) -> list[ExecutionId]:
        """The ids of the executions that may exist and are due in the range."""
        found: set[ExecutionId] = set()
        for examined, identity in enumerate(self._positions(job, window)):
            if window.from_at <= identity.dispatch_at < window.until_at:
                found.add(identity)
            if examined == MOST_EXAMINED or len(found) > MOST_RUNS:
                raise InvalidValueError(
                    f"the job has more than {MOST_RUNS} executions in this range: choose a shorter one"
                )
        return sorted(found)

    def _positions(self, job: Execution | Job, window: StatWindow) -> Iterator[ExecutionId]:
        """Jitter makes a run due up to a day after its instant, and a redrive has the instant of its original."""
        first = max(0, window.from_at - MAX_JITTER_MS)
        span = PositionRange(after=IndexPosition(at=first), before=IndexPosition(at=window.until_at))
        for candidate in self.walk.execute(job, span):
            if candidate.is_end:
                raise InvalidValueError("the job was changed too often in this range: choose a shorter one")
            yield candidate.position.id
        job_id, before = job.job_id if isinstance(job, Execution) else job.id, span.after
        while True:
            extras = self.jobs.extras(job.tenant_id, job_id, before=before, limit=AT_ONCE)
            yield from (position.id for position in extras)
            if len(extras) < AT_ONCE:
                return
            before = extras[-1]


def _add(bucket: StatBucket, execution: Execution) -> None:
    if execution.state.is_terminal:
        bucket.sums.add(sample_of(row_of(execution)))
    else:
        bucket.sums.unended += 1
