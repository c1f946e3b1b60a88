"""Create a recurring job: its definition and first occurrence in one transaction."""

from shared.dataclass import dataclass
from shared.domain.errors import IdentityConflictError
from shared.domain.jobs.job import Job, JobState
from shared.ports.jobs import JobStore
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.record_dst_skips import RecordDstSkips


@dataclass(frozen=True, slots=True)
class CreateRecurring:
    """Safe to repeat with the same definition."""

    file: FileExecution
    jobs: JobStore
    record_dst_skips: RecordDstSkips

    def execute(self, job: Job) -> Job:
        """The stored job.

        IdentityConflictError if the ID belongs to another job; UnavailableError if the job may or may not
        exist.
        """
        first = self.file.prepare(job.occurrence(job.chain_from, created_at=job.created_at))
        existing = self.jobs.create(job, first)
        if existing is not None and existing.fingerprint != job.fingerprint:
            raise IdentityConflictError(f"{job.id} stands for another request")
        if existing is None or existing.state is JobState.ACTIVE:
            self.record_dst_skips.execute(job, job.created_at, job.chain_from)
            self.file.ensure_sent(first)
        return existing or job
