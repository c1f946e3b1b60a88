"""Expected runs of a job that may have a maximum number of runs."""

from collections.abc import Iterator
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.bucket import GUARD_MS
from shared.domain.executions.execution import Execution
from shared.domain.jobs.expected_runs import ExpectedRun, expected_runs
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import first_after, instants_before
from shared.ports.executions import ExecutionStore
from shared.usecases.reading.read_executions import read_readable

PROBED = 100
"""Instants that are searched for the head. A chain with an older head has too many runs to catch up with."""


@dataclass(frozen=True, slots=True)
class LimitedRuns:
    """Counts the remaining runs from the head of the chain, which stores its own number."""

    store: ExecutionStore

    def execute(self, job: Job, from_at: int, until: int | None, now_ms: int) -> Iterator[ExpectedRun]:
        """`expected_runs` up to the last of `max_runs`. Costs one strong read for a job with a limit."""
        if job.definition.max_runs is None:
            return expected_runs(job, from_at, until)
        head = self._head(job, now_ms)
        if head is None:
            return iter(())
        # The runs are counted from the head on, wherever the range begins.
        runs = expected_runs(job, min(from_at, head.nominal_at), until)
        left = max(0, job.definition.max_runs - head.run)
        return (run for run in _up_to(runs, head.nominal_at, left) if run.id.dispatch_at >= from_at)

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
    """The runs up to the head, then `count` more."""
    for run in runs:
        if run.nominal_at > head_at:
            if count > 0:
                yield run
                yield from islice(runs, count - 1)
            return
        yield run
