"""Send for the head of a chain once more: whoever filed it may have died between its write and its message."""

from dataclasses import dataclass

from shared.domain.jobs.job import Job, JobState
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.reading.find_head import FindHead


@dataclass(frozen=True, slots=True)
class ResendChainHead:
    """A request that finds its change made is acknowledged only after this. Repeating it is always safe."""

    find_head: FindHead
    file: FileExecution
    clock: Clock

    def execute(self, job: Job) -> None:
        """Nothing for a job that is not active. UnavailableError where the head cannot be sent for."""
        head = self.find_head.execute(job, self.clock.now_ms()) if job.state is JobState.ACTIVE else None
        if head is not None:
            self.file.ensure_sent(head)
