"""An execution of a workflow's job whose lease has expired: ask its run before anything is given up."""

from shared.dataclass import dataclass
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason
from shared.domain.ids import is_recurring_job_id
from shared.domain.jobs.job import GONE
from shared.domain.workflows.identities import run_of
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.attempts.end_parent import EndParent
from shared.usecases.attempts.settlement import AttemptEnd
from shared.usecases.workflows.begin_run import BeginRun

_STOPPED = CallbackResponse(reason=Reason.STOPPED, duration_ms=0)


@dataclass(frozen=True, slots=True)
class FollowRun:
    """A run that is open extends the execution, one that has ended ends it, and an absent one begins.

    Beginning is no attempt of the customer, so a lost worker costs nothing: the process that finds the lease
    expired goes on.
    """

    begin: BeginRun
    end_parent: EndParent
    jobs: JobStore
    clock: Clock

    def execute(self, lost: Execution) -> None:
        """UnavailableError: call again. UnreadableItemError if run or tenant cannot be read for good."""
        run = self.begin.runs.get(run_of(lost.id))
        if run is not None:
            self.end_parent.record(lost, self.begin.healed(run))
            return
        now_ms = self.clock.now_ms()
        if lost.progress.stop_retries or self._is_deleted(lost):
            outcome = self.begin.withdraw(lost, EndReason.JOB_DELETED)
        else:
            outcome = self.begin.execute(lost, now_ms)
        settlement = self.end_parent.settle.execute(
            lost,
            now_ms,
            _STOPPED if isinstance(outcome, EndReason) else outcome,
            outcome if isinstance(outcome, EndReason) else None,
            ended_at=now_ms,
        )
        if settlement.end is AttemptEnd.FENCED or not settlement.is_done:
            raise UnavailableError("the execution is being changed by others")

    def _is_deleted(self, lost: Execution) -> bool:
        if not is_recurring_job_id(lost.job_id):
            return False
        job = self.jobs.get(lost.tenant_id, lost.job_id)
        return job is None or job.state in GONE
