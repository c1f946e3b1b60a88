"""Waiting for the end of a job, an execution or a run of a workflow."""

from dataclasses import dataclass
from datetime import datetime

from punctual import _operations
from punctual._core import Rules, Sleep, Steps, exchange
from punctual._model import Ref
from punctual._operation import Call, Operation, T, id_of
from punctual.errors import ExecutionFailedError, WaitTimeoutError
from punctual.models import ExecutionDetail, Job, RunDetail

FIRST_POLL_SECONDS, LONGEST_POLL_SECONDS, GROWTH = 0.5, 10.0, 1.5
DISTANT_POLL_SECONDS = 60.0
"""The longest time between two reads while the call is not due."""
ENDED = frozenset({"succeeded", "failed", "cancelled", "skipped"})
ENDED_RUN = frozenset({"succeeded", "failed", "cancelled", "timed_out"})
ENDED_BACKFILL = frozenset({"completed", "deleted"})
_BACKFILL, _ONCE = "backfill", "once"


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a job, an execution or a run of a workflow."""

    state: str
    job: Job | None
    """The job, if a job was waited for."""
    execution: ExecutionDetail | None
    """The execution; None for a backfill, which has many, and for a job that never ran."""
    run: RunDetail | None = None
    """The run with its tasks, if a run of a workflow was waited for."""

    @property
    def succeeded(self) -> bool:
        """Whether the call succeeded, or the backfill has made all of its runs."""
        return self.state in ("succeeded", "completed")

    def raise_for_failure(self) -> "Ended":
        """Raise ExecutionFailedError unless it succeeded."""
        if self.succeeded:
            return self
        subject = self.execution or self.job or self.run
        raise ExecutionFailedError(
            f"{subject.id if subject else 'it'} ended as {self.state}{_why(self.execution)}",
            self.job,
            self.execution,
        )


def _why(execution: ExecutionDetail | None) -> str:
    if execution is None:
        return ""
    last = execution.attempts[-1] if execution.attempts else None
    status = f" {last.status}" if last and last.status else ""
    attempt = f"; attempt {last.number} ended with {last.reason}{status}" if last else ""
    return f" ({execution.end_reason}){attempt}" if execution.end_reason else attempt


def ended(subject: Ref, timeout: float, rules: Rules) -> Steps[Ended]:
    """Read a job, an execution or a run of a workflow until it has ended.

    Raises WaitTimeoutError after `timeout` seconds, and ValueError for a recurring job, which has no end.
    """
    subject_id, deadline = id_of(subject), rules.monotonic() + timeout
    read = {"job_": _job, "run_": _run}.get(subject_id[:4], _execution)
    pause = FIRST_POLL_SECONDS
    while True:
        found = yield from read(subject_id, rules)
        if isinstance(found, Ended):
            return found
        left = deadline - rules.monotonic()
        if left <= 0:
            raise WaitTimeoutError(subject_id, found.state, timeout)
        until_due = (found.due_at - rules.now()).total_seconds() if found.due_at else 0.0
        wait = min(until_due, DISTANT_POLL_SECONDS)
        if until_due <= pause:
            wait, pause = pause, min(pause * GROWTH, LONGEST_POLL_SECONDS)
        yield Sleep(min(wait, left))


@dataclass(frozen=True, slots=True)
class _Open:
    """The state of what has not ended, and when its next call is due."""

    state: str
    due_at: datetime | None


def _execution(execution_id: str, rules: Rules) -> Steps[Ended | _Open]:
    found = yield from exchange(_get(_operations.GET_EXECUTION, execution_id), rules)
    if found.state in ENDED:
        return Ended(found.state, None, found)
    return _Open(found.state, found.next_attempt_at or found.due_at)


def _run(run_id: str, rules: Rules) -> Steps[Ended | _Open]:
    run = yield from exchange(_get(_operations.GET_RUN, run_id), rules)
    return Ended(run.state, None, None, run) if run.state in ENDED_RUN else _Open(run.state, None)


def _job(job_id: str, rules: Rules) -> Steps[Ended | _Open]:
    job = yield from exchange(_get(_operations.GET_JOB, job_id), rules)
    if job.kind == _BACKFILL:
        return Ended(job.state, job, None) if job.state in ENDED_BACKFILL else _Open(job.state, None)
    if job.kind != _ONCE:
        raise ValueError(
            f"{job_id} is recurring and has no end: wait for an execution, such as that of trigger()"
        )
    if job.state not in ENDED:
        return _Open(job.state, job.next_due_at)
    execution = None
    if job.last_run is not None:
        execution = yield from exchange(_get(_operations.GET_EXECUTION, job.last_run.execution_id), rules)
    return Ended(job.state, job, execution)


def _get(operation: Operation[T], ref: Ref) -> Call[T]:
    return Call(operation, operation.at(ref))
