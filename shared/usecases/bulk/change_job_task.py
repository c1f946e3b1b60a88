"""Cancel or undo a bulk operation on jobs."""

from shared.dataclass import dataclass
from shared.domain.bulk.job_task import JobTask, JobTaskState
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.executions.retention import Retention
from shared.ports.bulk import JobTasks
from shared.ports.runtime import Clock
from shared.usecases.bulk.start_job_task import StartJobTask
from shared.usecases.chains.change_job import TRIES


@dataclass(frozen=True, slots=True)
class ChangeJobTask:
    tasks: JobTasks
    start: StartJobTask
    clock: Clock
    retention: Retention

    def cancel(self, tenant_id: str, task_id: str) -> JobTask:
        """The cancelled task; a repetition has no effect.

        On return no further page begins; a page that is being worked on takes effect. NotFoundError;
        InvalidStateError if the task has finished, or is being undone.
        """
        for _ in range(TRIES):
            task = self.start.find(tenant_id, task_id)
            if task.state is JobTaskState.CANCELLED:
                return task
            if task.state is JobTaskState.UNDOING or not task.is_open:
                raise InvalidStateError(f"the operation is {task.state}")
            now_ms = self.clock.now_ms()
            cancelled = task.cancelled(now_ms)
            if self.tasks.replace(task, cancelled, self.retention.expires_at_s(now_ms)):
                return cancelled
        raise UnavailableError("the operation is being worked on")

    def undo(self, tenant_id: str, task_id: str) -> JobTask:
        """The task whose undo has begun; a repetition has no effect. NotFoundError.

        InvalidStateError for an operation that cannot be undone. The undo ends when every job of the task has
        been looked at, and no page is being worked on any more.
        """
        for _ in range(TRIES):
            task = self.start.find(tenant_id, task_id)
            if task.undo_asked_at is not None:
                return task
            undoing = task.undoing(self.clock.now_ms())
            if self.tasks.replace(task, undoing):
                return undoing
        raise UnavailableError("the operation is being worked on")
