"""Send the head of a chain again, because its writer may have crashed between the write and the message."""

from shared.dataclass import dataclass
from shared.domain.jobs.job import Job, JobState
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.reading.find_head import FindHead


@dataclass(frozen=True, slots=True)
class ResendChainHead:
    """A request whose change was already made is acknowledged only after this step; safe to repeat."""

    find_head: FindHead
    file: FileExecution
    clock: Clock

    def execute(self, job: Job) -> None:
        """No effect for a job that is not active. UnavailableError if the wake-up cannot be sent."""
        head = self.find_head.execute(job, self.clock.now_ms()) if job.state is JobState.ACTIVE else None
        if head is not None:
            self.file.ensure_sent(head)
