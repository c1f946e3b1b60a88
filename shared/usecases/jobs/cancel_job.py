"""Cancel a one-off job, or delete a recurring job."""

from collections.abc import Callable
from contextlib import suppress

from shared.dataclass import dataclass
from shared.domain.delivery.call_kind import CallKind
from shared.domain.errors import InvalidStateError, NotFoundError, PreconditionFailedError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.jobs.job import Job
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import check_revision
from shared.usecases.chains.delete_recurring_job import DeleteRecurringJob
from shared.usecases.outcomes.finalize_execution import FinalizeExecution
from shared.usecases.reading.find_job import FindJob

CANCEL_TRIES = 3
"""Tries of a cancellation while the store does not respond."""


@dataclass(frozen=True, slots=True)
class CancelJob:
    """After an acknowledged cancellation no attempt begins."""

    find: FindJob
    store: ExecutionStore
    finalize: FinalizeExecution
    delete_recurring: DeleteRecurringJob
    clock: Clock
    retention: Retention
    stop_run: Callable[[Execution], None]
    """Cancels the run of an execution that started a workflow."""

    def execute(
        self, tenant_id: str, job_id: str, *, stop_retries: bool = False, revision: int | None = None
    ) -> Execution | Job:
        """The job after the cancellation.

        InvalidStateError if an attempt is running or the job has ended. With `stop_retries`, a running
        attempt continues as the last attempt instead. PreconditionFailedError if the job is not at
        `revision`.
        """
        job = self.find.execute(tenant_id, job_id)
        if isinstance(job, Job):
            return self.delete_recurring.execute(tenant_id, job_id, revision=revision)
        check_revision(job, revision)
        return self.execution(job, stop_retries=stop_retries, revision=revision)

    def execution(
        self, job: Execution, *, stop_retries: bool = False, revision: int | None = None
    ) -> Execution:
        """Cancel one execution; errors as for `execute`."""
        existing = self._cancel(job, revision)
        if existing is None or existing.state is State.CANCELLED:
            self.finalize.execute(job)
            if job.call.kind is CallKind.WORKFLOW and self._reread(job).progress.claims > 0:
                # It waited for another claim: a worker may still begin its run.
                self.stop_run(job)
        else:
            check_revision(existing, revision)
            self._too_late(existing, stop_retries=stop_retries, is_conditional=revision is not None)
        return self._reread(job)

    def _cancel(self, job: Execution, revision: int | None) -> Execution | None:
        """The stored execution if it was not cancelled; None if it was.

        A request with a lost response is repeated, so the result may also show an earlier cancellation.
        """
        for _ in range(CANCEL_TRIES):
            with suppress(UnavailableError):
                return self.store.cancel(
                    job.id,
                    Transition.CANCEL,
                    reason=EndReason.CANCELLED,
                    expires_at_s=self.retention.record_expires_at_s(job.id.dispatch_at, self.clock.now_ms()),
                    revision=revision,
                )
        raise UnavailableError("the store does not say whether the job was cancelled")

    def _too_late(self, existing: Execution, *, stop_retries: bool, is_conditional: bool) -> None:
        if existing.state is State.MOVED and is_conditional:
            raise PreconditionFailedError("the job was given another time meanwhile")
        if existing.state is State.MOVED:
            raise UnavailableError("the job was given another time meanwhile")
        if existing.state is State.RUNNING:
            if stop_retries and self.store.stop_retries(existing.id):
                if existing.call.kind is CallKind.WORKFLOW:
                    self.stop_run(existing)
                return
            if existing.call.kind is CallKind.WORKFLOW:
                raise InvalidStateError("too late: its run has begun; cancel the run, or use stop_retries")
            raise InvalidStateError(f"too late: attempt {existing.attempt} is running")
        raise InvalidStateError(f"too late: it has already {_PAST.get(existing.state, 'ended')}")

    def _reread(self, job: Execution) -> Execution:
        execution = self.store.get(job.id)
        if execution is None:
            raise NotFoundError("no such job")
        return execution


_PAST = {State.SUCCEEDED: "succeeded", State.FAILED: "failed", State.SKIPPED: "been skipped"}
