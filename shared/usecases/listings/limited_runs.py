"""Expected runs of a job that may end after so many of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from shared.domain.bucket import GUARD_MS
from shared.domain.executions.execution import Execution
from shared.domain.jobs.expected_runs import ExpectedRun, expected_runs
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import first_after, instants_before
from shared.ports.executions import ExecutionStore
from shared.usecases.reading.read_executions import read_readable

PROBED = 100
"""A chain whose head is further behind has more to catch up with than anybody can foresee."""


@dataclass(frozen=True, slots=True)
class LimitedRuns:
    """Where `max_runs` ends a job is counted from the head of its chain, which has its number on it."""

    store: ExecutionStore

    def execute(self, job: Job, from_at: int, until: int | None, now_ms: int) -> Iterator[ExpectedRun]:
        """As `expected_runs`, and none beyond the last one. One strong read, for jobs with a limit alone."""
        runs = expected_runs(job, from_at, until)
        if job.definition.max_runs is None:
            return runs
        head = self._head(job, now_ms)
        if head is None:
            return iter(())
        return _up_to(runs, head.nominal_at, max(0, job.definition.max_runs - head.run))

    def _head(self, job: Job, now_ms: int) -> Execution | None:
        soon_ms = now_ms + GUARD_MS
        latest_at = max(first_after(job.schedule, soon_ms) or soon_ms, job.chain_from)
        ids = [
            job.id_at(instant)
            for instant in instants_before(job.schedule, latest_at + 1, job.chain_from, PROBED)
        ]
        found = read_readable(self.store, ids) if ids else {}
        return next((found[key] for key in ids if key in found), None)


def _up_to(runs: Iterator[ExpectedRun], head_at: int, count: int) -> Iterator[ExpectedRun]:
    """The head and what comes before it, then so many more."""
    for run in runs:
        if run.nominal_at > head_at:
            if count > 0:
                yield run
                yield from islice(runs, count - 1)
            return
        yield run
