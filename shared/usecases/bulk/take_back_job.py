"""Undo a bulk operation for one job, or delete a job after the grace: only while its revision is the task's own."""

from shared.dataclass import dataclass
from shared.domain.bulk.actions import BulkAction
from shared.domain.bulk.job_task import JobTask, Taken
from shared.domain.bulk.pages import BulkEntry, Result
from shared.domain.errors import InvalidStateError, NotFoundError, PreconditionFailedError
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import GONE, HELD, Job, JobState
from shared.ports.jobs import JobStore
from shared.usecases.bulk.act_on_job import RESUMED
from shared.usecases.bulk.cancel_unstarted import CancelUnstarted
from shared.usecases.chains.change_job import FindSettled
from shared.usecases.chains.delete_recurring_job import DeleteRecurringJob
from shared.usecases.chains.pause_job import PauseJob
from shared.usecases.chains.resume_job import ResumeJob
from shared.usecases.chains.update_job import UpdateJob


@dataclass(frozen=True, slots=True)
class TakeBackJob:
    """Safe to repeat."""

    jobs: JobStore
    find_settled: FindSettled
    pause: PauseJob
    resume: ResumeJob
    update: UpdateJob
    delete_recurring: DeleteRecurringJob
    cancel_unstarted: CancelUnstarted

    def delete(self, task: JobTask, entry: BulkEntry) -> Taken:
        """Delete a job that was paused. UnreadableItemError, ServiceError."""
        job = self.jobs.get(task.tenant_id, entry.job_id)
        if entry.result is Result.REFUSED:
            return Taken.NOTHING
        if job is None or entry.after is None:
            return Taken.CHANGED_SINCE
        is_begun = job.state in GONE and job.revision == entry.after + 1
        if job.revision != entry.after and not is_begun:
            return Taken.CHANGED_SINCE
        try:
            self.delete_recurring.execute(job.tenant_id, job.id, revision=job.revision)
        except (NotFoundError, PreconditionFailedError):
            return Taken.CHANGED_SINCE
        return Taken.DELETED

    def undo(self, task: JobTask, entry: BulkEntry) -> Taken:
        """Undo the change of one job of a finished page; errors as for `delete`."""
        if entry.result is not Result.DONE:
            return Taken.NOTHING
        if entry.execution is not None:
            return self._undo_trigger(entry.execution)
        stored = self.jobs.get(task.tenant_id, entry.job_id)
        if stored is None or stored.state in GONE:
            return Taken.GONE
        job = stored.described
        own = entry.after or 0
        is_undone = job.revision == own + 1 and _is_undone(task, entry, job)
        if job.revision != own and not is_undone:
            return Taken.CHANGED_SINCE
        try:
            self._restore(task, entry, job)
        except (InvalidStateError, NotFoundError, PreconditionFailedError):
            return Taken.CHANGED_SINCE
        return Taken.BACK

    def _restore(self, task: JobTask, entry: BulkEntry, job: Job) -> None:
        """Change the job back, or complete the change that an earlier try began."""
        former = entry.former.restored(job.definition) if entry.former is not None else None
        if job.state is JobState.COMPLETED or former == job.definition:
            self.find_settled.execute(job.tenant_id, job.id)
        elif former is not None:
            self.update.execute(job.tenant_id, job.id, former, revision=job.revision)
        elif task.verb is BulkAction.RESUME:
            self.pause.execute(job.tenant_id, job.id, reason=entry.pause_reason, revision=job.revision)
        else:
            self.resume.execute(job.tenant_id, job.id, revision=job.revision)

    def _undo_trigger(self, execution_id: ExecutionId) -> Taken:
        run = self.cancel_unstarted.store.get(execution_id)
        if run is None:
            return Taken.NOTHING
        return Taken.BACK if self.cancel_unstarted.execute(run) else Taken.CHANGED_SINCE


def _is_undone(task: JobTask, entry: BulkEntry, job: Job) -> bool:
    """Whether an earlier try of the undo has changed the job, or another request to the same effect."""
    if entry.former is not None:
        return entry.former.restored(job.definition) == job.definition
    reached = HELD if task.verb is BulkAction.RESUME else RESUMED
    return job.state in reached
