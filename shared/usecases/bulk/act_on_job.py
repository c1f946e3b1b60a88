"""Do the action of a bulk operation to one job, by the same use case as a single request."""

from shared.dataclass import dataclass
from shared.domain.bulk.actions import BulkAction, Refusal, refusal_of
from shared.domain.bulk.job_task import JobTask
from shared.domain.bulk.pages import BulkEntry
from shared.domain.bulk.patch import JobPatch
from shared.domain.errors import (
    InvalidStateError,
    InvalidValueError,
    NotFoundError,
    PreconditionFailedError,
    UnknownVersionError,
    UnreadableItemError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import GONE, HELD, Job, JobState
from shared.usecases.chains.change_job import TRIES, FindSettled
from shared.usecases.chains.pause_job import PauseJob
from shared.usecases.chains.resume_job import ResumeJob
from shared.usecases.chains.update_job import UpdateJob
from shared.usecases.jobs.cancel_job import CancelJob
from shared.usecases.jobs.file_trigger import FileTrigger
from shared.usecases.reading.find_job import FindJob


@dataclass(frozen=True, slots=True)
class ActOnJob:
    """Every change requires the revision of the page's record, so that it is known as the task's own.

    Safe to repeat: a change that an earlier try made is found, and completed.
    """

    find: FindJob
    pause: PauseJob
    resume: ResumeJob
    update: UpdateJob
    find_settled: FindSettled
    cancel: CancelJob
    trigger: FileTrigger

    def execute(self, task: JobTask, entry: BulkEntry) -> BulkEntry:
        """The entry with its result. ServiceError or UnknownVersionError: process the page again."""
        for _ in range(TRIES):
            try:
                job = self.find.execute(task.tenant_id, entry.job_id)
                return self._act(task, entry, job)
            except UnknownVersionError:
                raise
            except (UnreadableItemError, InvalidValueError):
                return entry.refused(Refusal.UNREADABLE)
            except NotFoundError:
                return entry.refused(Refusal.DELETED)
            except (InvalidStateError, PreconditionFailedError):
                continue  # Another request was faster: look at the job again.
        return entry.refused(Refusal.CHANGED)

    def find_result(self, task: JobTask, entry: BulkEntry) -> BulkEntry:
        """The entry with the result of a page whose worker has died. Errors as for `execute`."""
        try:
            job = self.find.execute(task.tenant_id, entry.job_id)
        except UnknownVersionError:
            raise
        except (NotFoundError, UnreadableItemError):
            return entry.refused(Refusal.UNREADABLE)
        if entry.execution is not None:
            return entry.left_at(entry.revision, is_changed=True)
        is_changed = isinstance(job, Job) and is_own_change(task, entry, job)
        return entry.left_at(entry.revision + is_changed, is_changed=is_changed)

    def _act(self, task: JobTask, entry: BulkEntry, job: Execution | Job) -> BulkEntry:
        if isinstance(job, Execution):
            return self._cancel(entry, job)
        if task.verb is BulkAction.TRIGGER:
            return self._trigger(entry, job)
        if job.revision == entry.revision:
            if (refusal := refusal_of(task.verb, job, task.patch)) is not None:
                # A deletion with a grace deletes completed jobs, too.
                is_deleted_later = task.action is BulkAction.DELETE and refusal is Refusal.COMPLETED
                return (
                    entry.left_at(entry.revision, is_changed=False)
                    if is_deleted_later
                    else entry.refused(refusal)
                )
        elif not is_own_change(task, entry, job):
            return entry.refused(Refusal.CHANGED)
        return self._change(task, entry, job)

    def _change(self, task: JobTask, entry: BulkEntry, job: Job) -> BulkEntry:
        """Begin the change, or complete the change that an earlier try began."""
        changed = self._verb(task, job)
        is_changed = changed.revision != entry.revision
        # Later changes are of others.
        return entry.left_at(entry.revision + is_changed, is_changed=is_changed)

    def _verb(self, task: JobTask, job: Job) -> Job:
        match task.verb:
            case BulkAction.PAUSE:
                return self.pause.execute(
                    job.tenant_id, job.id, reason=task.pause_reason, revision=job.revision
                )
            case BulkAction.RESUME:
                return self.resume.execute(job.tenant_id, job.id, revision=job.revision)
            case BulkAction.PATCH if task.patch is not None:
                return self._patch(task.patch, job)
            case BulkAction.DELETE:
                deleted = self.cancel.execute(job.tenant_id, job.id, revision=job.revision)
                if isinstance(deleted, Job):
                    return deleted
        raise InvalidValueError(f"{task.verb} changes no job")

    def _patch(self, patch: JobPatch, job: Job) -> Job:
        """An update that an earlier try began is completed, and no second one is made."""
        if not patch.changes(job.definition):
            return self.find_settled.execute(job.tenant_id, job.id)
        return self.update.execute(job.tenant_id, job.id, patch.of(job.definition), revision=job.revision)

    def _trigger(self, entry: BulkEntry, job: Job) -> BulkEntry:
        if entry.execution is None:
            raise UnreadableItemError(f"no run was chosen for {entry.job_id}")
        if (refusal := refusal_of(BulkAction.TRIGGER, job)) is None:
            self.trigger.execute(job, entry.execution, may_exist=True)
        elif self.trigger.store.get(entry.execution) is None:
            return entry.refused(refusal)
        return entry.left_at(entry.revision, is_changed=True)

    def _cancel(self, entry: BulkEntry, job: Execution) -> BulkEntry:
        if job.state is not State.CANCELLED:
            if job.revision != entry.revision:
                return entry.refused(Refusal.CHANGED)
            if (refusal := refusal_of(BulkAction.DELETE, job)) is not None:
                return entry.refused(refusal)
        self.cancel.execution(job, revision=entry.revision)
        return entry.left_at(entry.revision, is_changed=True)


def is_own_change(task: JobTask, entry: BulkEntry, job: Job) -> bool:
    """Whether an earlier try of this page has changed the job, and nobody has since.

    A pause carries the reason of its task. Of the other changes, another request for the same one at the same
    revision is taken for the task's own.
    """
    if job.revision != entry.revision + 1:
        return False
    match task.verb:
        case BulkAction.PAUSE:
            return job.state in HELD and job.pause_reason == task.pause_reason
        case BulkAction.RESUME:
            return entry.was_held and job.state in RESUMED
        case BulkAction.PATCH if task.patch is not None:
            is_begun = entry.former is not None and not task.patch.changes(job.definition)
            return is_begun and job.state not in GONE
    return job.state in GONE


RESUMED = frozenset({JobState.ACTIVE, JobState.COMPLETED})
"""The states that a resume can leave."""
