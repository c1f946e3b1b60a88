"""The future executions of a recurring job, enumerated from its schedule."""

from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import first_after, latest_at_or_before


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRun:
    """A future run. The execution has this id once it is filed."""

    job: Job
    nominal_at: int
    id: ExecutionId

    @property
    def scheduled_at(self) -> int:
        """The instant that the API and the receiver see."""
        return self.job.recurrence.scheduled_at(self.nominal_at)


def expected_runs(job: Job, from_at: int, until: int | None = None) -> Iterator[ExpectedRun]:
    """The executions of the job's current chain that are due in [from, until], jitter included, in order.

    Includes runs beyond the head of the chain; excludes instants that the chain skipped.
    """
    nominal_at = _first_nominal(job, from_at)
    while nominal_at is not None and (until is None or nominal_at <= until):
        execution_id = job.id_at(nominal_at)
        if until is not None and execution_id.dispatch_at > until:
            return
        if execution_id.dispatch_at >= from_at:
            yield ExpectedRun(job=job, nominal_at=nominal_at, id=execution_id)
        nominal_at = first_after(job.schedule, nominal_at)


def _first_nominal(job: Job, from_at: int) -> int | None:
    """Jitter never delays a run past the next instant, so at most one earlier instant may still be due."""
    if job.definition.jitter_ms:
        not_before_at = max(job.chain_from, from_at - job.definition.jitter_ms)
        earlier_at = latest_at_or_before(job.schedule, from_at - 1, not_before_at)
        if earlier_at is not None:
            return earlier_at
    return first_after(job.schedule, max(from_at, job.chain_from) - 1)
