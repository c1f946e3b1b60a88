"""Accept a job: choose its ID, make it durable, then acknowledge it."""

from shared.dataclass import dataclass
from shared.domain.errors import IdempotencyKeyReusedError, IdentityConflictError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS
from shared.domain.ids import JobId
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.tenancy.tenant import Tenant
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import AssignedId, IdempotencyRecord, IdempotencyStore, JobStore
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.jobs.create_recurring import CreateRecurring
from shared.usecases.jobs.draft_job import DraftJob, Identity, demand_of
from shared.usecases.reading.resolve_moved import resolve_moved
from shared.usecases.tenancy.check_quota import CheckQuota

IDEMPOTENCY_MS = IDEMPOTENCY_DAYS * DAY_SECONDS * 1000
"""How long an Idempotency-Key is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedJob:
    """The accepted job: a one-off execution or a recurring definition. `replayed`: it existed before."""

    job: Execution | Job
    replayed: bool


@dataclass(frozen=True, slots=True)
class CreateJob:
    """Creates one-off and recurring jobs. A replay files the same ID again, which completes a crashed
    request."""

    draft: DraftJob
    jobs: JobStore
    file: FileExecution
    create_recurring: CreateRecurring
    idempotency: IdempotencyStore
    check_quota: CheckQuota
    clock: Clock

    def execute(self, tenant: Tenant, new: NewJob, idempotency_key: str | None = None) -> CreatedJob:
        """Accept the job.

        Domain errors for an invalid job; UnavailableError if the job may or may not exist: repeat with the
        same key.
        """
        tenant = self.draft.with_secrets(tenant, [new])
        self.draft.check(tenant, new)
        now_ms = self.clock.now_ms()
        fingerprint = self.draft.fingerprint(tenant, new)
        record, replayed = self._identify(tenant, new, idempotency_key, now_ms, fingerprint)
        if record.fingerprint != fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request body")
        chosen = AssignedId(id=record.id, due_at=record.due_at)
        identity = Identity(chosen=chosen, created_at=record.created_at, fingerprint=fingerprint)
        return CreatedJob(job=self._create(tenant, new, identity), replayed=replayed)

    def _identify(
        self, tenant: Tenant, new: NewJob, key: str | None, now_ms: int, fingerprint: bytes
    ) -> tuple[IdempotencyRecord[JobId], bool]:
        """The idempotency record of the job.

        An existing record is read before the clock can refuse the schedule of a replay.
        """
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is not None:
            return known, True
        chosen = self.draft.choose(new, now_ms)
        self.check_quota.job(tenant, demand_of(new, chosen))
        record = IdempotencyRecord(
            fingerprint=fingerprint,
            id=chosen.id,
            created_at=now_ms,
            due_at=chosen.due_at,
            expires_at=now_ms + IDEMPOTENCY_MS,
        )
        if key is None:
            return record, False
        existing = self.idempotency.claim(tenant.id, key, record, now_ms)
        return existing, existing != record

    def _create(self, tenant: Tenant, new: NewJob, identity: Identity) -> Execution | Job:
        drafted = self.draft.execute(tenant, new, identity)
        if drafted.payload is not None:
            self.jobs.put_payload(drafted.payload)
        if isinstance(drafted.job, Job):
            return self.create_recurring.execute(drafted.job)
        return current_job(self.file.store, self.file.execute(drafted.job))


def current_job(store: ExecutionStore, filed: Execution) -> Execution:
    """The current item of a one-off job, which may have been moved before a replay."""
    existing = resolve_moved(store, filed)
    if existing is None:
        raise IdentityConflictError("the job was moved and has expired since")
    return existing
