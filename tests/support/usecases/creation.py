"""The creation of jobs over the fakes, one by one and many at once."""

from shared.domain.delivery.target_policy import TargetPolicy
from shared.usecases.filing.file_batch import FileBatch
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.record_dst_skips import RecordDstSkips
from shared.usecases.jobs.create_job import CreateJob
from shared.usecases.jobs.create_jobs import CreateJobs
from shared.usecases.jobs.create_recurring import CreateRecurring
from shared.usecases.jobs.draft_job import DraftJob
from shared.usecases.tenancy.check_quota import CheckQuota
from tests.support.usecases.ports import Ports


def creation(ports: Ports, file: FileExecution, check_quota: CheckQuota) -> tuple[CreateJob, CreateJobs]:
    """Both share all that they can."""
    draft = DraftJob(
        jobs=ports.jobs, vault=ports.vault, entropy=ports.entropy, plan=ports.plan, policy=TargetPolicy()
    )
    create_recurring = CreateRecurring(
        file, ports.jobs, RecordDstSkips(ports.store, ports.clock, ports.retention)
    )
    create_job = CreateJob(
        draft=draft,
        file=file,
        create_recurring=create_recurring,
        idempotency=ports.idempotency,
        check_quota=check_quota,
        clock=ports.clock,
    )
    create_jobs = CreateJobs(
        draft=draft,
        file_batch=FileBatch(file=file, batches=ports.tapped("batches", ports.one_off_batches)),
        create_recurring=create_recurring,
        idempotency=ports.idempotency,
        check_quota=check_quota,
        clock=ports.clock,
    )
    return create_job, create_jobs
