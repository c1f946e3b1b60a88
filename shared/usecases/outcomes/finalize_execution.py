"""The follow-up of a final outcome, apart from the successor."""

from collections.abc import Callable

from shared.dataclass import dataclass
from shared.domain.errors import (
    InvalidStateError,
    NotFoundError,
    PreconditionFailedError,
    UnavailableError,
)
from shared.domain.executions.execution import Execution
from shared.domain.ids import is_recurring_job_id
from shared.domain.jobs.job import JobState
from shared.usecases.chains.change_job import TRIES, FindSettled
from shared.usecases.chains.pause_job import PauseJob
from shared.usecases.outcomes.notify_outcome import NotifyOutcome

GONE = "gone"
"""Pause reason of a job whose receiver answered 410."""


@dataclass(frozen=True, slots=True)
class FinalizeExecution:
    """Safe to repeat, however long ago the execution ended: any process that finds an ended execution
    completes it."""

    find_settled: FindSettled
    pause: PauseJob
    notify: NotifyOutcome
    advance_run: Callable[[Execution], None]
    """Tells the run of a workflow of the end of its task."""

    def execute(self, ended: Execution, *, tells_run: bool = True) -> None:
        """File the notification, tell the run of a task, and pause a job whose receiver is gone.

        UnavailableError if one of them may be missing: call again. Without `tells_run`, the caller tells the run.
        """
        self.notify.execute(ended)
        if ended.task is not None and tells_run:
            self.advance_run(ended)
        if ended.receiver_gone and is_recurring_job_id(ended.job_id):
            self._pause_job(ended)

    def _pause_job(self, ended: Execution) -> None:
        """Pause only while the execution's chain is the current chain, so that a job resumed since stays
        active."""
        for _ in range(TRIES):
            try:
                job = self.find_settled.execute(ended.tenant_id, ended.job_id)
                if job.state is JobState.ACTIVE and job.chain_revision == ended.revision:
                    self.pause.execute(job.tenant_id, job.id, reason=GONE, revision=job.revision)
            except PreconditionFailedError:
                continue
            except (NotFoundError, InvalidStateError):
                return
            return
        raise UnavailableError("the job is being changed by others")
