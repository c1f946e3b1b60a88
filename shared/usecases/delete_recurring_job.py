"""DELETE a recurring job: end its chain where no successor can be filed from, then stop what had started."""

from dataclasses import dataclass, replace

from shared.domain.bucket import GUARD_MS
from shared.domain.errors import NotFoundError
from shared.domain.execution import NOT_STARTED, EndReason, Execution, State, Transition
from shared.domain.job import Job, JobState
from shared.domain.retention import Retention
from shared.domain.schedule import first_after, instants_before
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.find_head import FindHead
from shared.usecases.read_executions import read_readable

STOPPED_ONE_BY_ONE = 500
"""So many past occurrences are looked at for retries; an older retry sees for itself that its job is gone."""


@dataclass(frozen=True, slots=True)
class DeleteRecurringJob:
    """Finishes what a crashed deletion began, too: repeating it is always safe."""

    store: ExecutionStore
    jobs: JobStore
    clock: Clock
    retention: Retention

    def __call__(self, tenant_id: str, job_id: str) -> Job:
        """The definition in state DELETED; NotFoundError where there is none. The acknowledgement comes last."""
        job = self.jobs.begin_delete(tenant_id, job_id)
        if job is None:
            raise NotFoundError("no such job")
        if job.state is JobState.DELETED:
            return job
        self._end_chain(job)
        self._stop_started(job)
        self.jobs.end_delete(job, self._expires_at_s())
        return replace(job, state=JobState.DELETED)

    def _end_chain(self, job: Job) -> None:
        """Tombstone forward from the head until one sticks, and at least through the first after now + G.

        A tombstone that sticks stands on an instant whose predecessor has started: the head's predecessor did,
        or the head itself when it would not take the tombstone. Nothing is ever filed behind a tombstone.
        """
        far_enough_at = first_after(job.schedule, self.clock.now_ms() + GUARD_MS)
        head = FindHead(self.store)(job, self.clock.now_ms())
        nominal_at: int | None = head.nominal_at if head else job.chain_from
        stuck = False
        while nominal_at is not None:
            stuck = self._tombstone(job, nominal_at) or stuck
            if stuck and (far_enough_at is None or nominal_at >= far_enough_at):
                return
            nominal_at = first_after(job.schedule, nominal_at)

    def _tombstone(self, job: Job, nominal_at: int) -> bool:
        """Whether a tombstone stands at that instant now; False where an execution there has started."""
        tombstone = replace(
            job.occurrence(nominal_at, created_at=self.clock.now_ms()),
            state=State.CANCELLED,
            end_reason=EndReason.JOB_DELETED,
            ends_chain=True,
        )
        standing = self.store.put_if_absent(tombstone, expires_at_s=self._expires_at_s())
        if standing is not None and standing.state in NOT_STARTED:
            standing = self.store.cancel(
                standing.id,
                Transition.END_CHAIN,
                reason=EndReason.JOB_DELETED,
                expires_at_s=self._expires_at_s(),
            )
        return standing is None or standing.ends_chain

    def _stop_started(self, job: Job) -> None:
        """Cancel what waits for a retry, and let running attempts be the last, those claimed just ahead too."""
        begun_by = self.clock.now_ms() + GUARD_MS
        instants = instants_before(job.schedule, begun_by + 1, job.created_at, STOPPED_ONE_BY_ONE)
        for start in range(0, len(instants), 100):
            page = [job.id_at(instant) for instant in instants[start : start + 100]]
            for execution in read_readable(self.store, page).values():
                if execution.state in (State.WAITING, State.RUNNING):
                    self._stop(execution)

    def _stop(self, execution: Execution) -> None:
        """Twice, because an attempt may end or begin in between; one that goes on even so asks for its job itself."""
        for _ in range(2):
            if self.store.stop_retries(execution.id):
                return
            standing = self.store.cancel(
                execution.id,
                Transition.CANCEL,
                reason=EndReason.JOB_DELETED,
                expires_at_s=self._expires_at_s(),
            )
            if standing is None:
                return

    def _expires_at_s(self) -> int:
        return self.retention.expires_at_s(self.clock.now_ms())
