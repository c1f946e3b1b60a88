"""Undo a bulk redrive: its redrives that have not started never will."""

from shared.dataclass import dataclass
from shared.domain.dead_letters.redrive_task import RedriveTask, TaskState
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.ports.bulk import RedriveTasks
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import TRIES
from shared.usecases.dead_letters.start_redrive import StartRedrive


@dataclass(frozen=True, slots=True)
class UndoRedrive:
    """Begins the undo. On return, no redrive is filed any more, except from a page that is being processed.

    The undo ends when every redrive of the task has started or is cancelled; its counts include both.
    """

    tasks: RedriveTasks
    start: StartRedrive
    clock: Clock

    def execute(self, tenant_id: str, task_id: str) -> RedriveTask:
        """The task after the request; a repeated request has no effect. NotFoundError.

        InvalidStateError if another task was opened meanwhile, since both would walk over the same dead
        letters.
        """
        for _ in range(TRIES):
            task = self.start.find(tenant_id, task_id)
            if task.state in (TaskState.UNDOING, TaskState.UNDONE):
                return task
            undoing = task.undoing(self.clock.now_ms())
            if self.tasks.replace(task, undoing):
                return undoing
            if not task.is_open and any(tenant == tenant_id for tenant, _ in self.tasks.open()):
                raise InvalidStateError("another redrive is still open")
        raise UnavailableError("the redrive is being worked off")
