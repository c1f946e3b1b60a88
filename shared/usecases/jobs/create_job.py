"""Accept a job: choose its identity, make it durable, and only then say yes."""

from dataclasses import dataclass

from shared.domain.errors import IdempotencyKeyReusedError, IdentityConflictError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS
from shared.domain.ids import JobId
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.tenancy.tenant import Tenant
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import Chosen, IdempotencyRecord, IdempotencyStore
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.jobs.create_recurring import CreateRecurring
from shared.usecases.jobs.draft_job import DraftJob, Identity, demand_of
from shared.usecases.reading.resolve_moved import resolve_moved
from shared.usecases.tenancy.check_quota import CheckQuota

IDEMPOTENCY_MS = IDEMPOTENCY_DAYS * DAY_SECONDS * 1000
"""For so long an Idempotency-Key is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedJob:
    """The accepted job: a one-off's execution or a recurring job's definition. `replayed`: it existed before."""

    job: Execution | Job
    replayed: bool


@dataclass(frozen=True, slots=True)
class CreateJob:
    """Creates one-off and recurring jobs. A replay files the same identity again, which heals a crash in between."""

    draft: DraftJob
    file: FileExecution
    create_recurring: CreateRecurring
    idempotency: IdempotencyStore
    check_quota: CheckQuota
    clock: Clock

    def execute(self, tenant: Tenant, new: NewJob, idempotency_key: str | None = None) -> CreatedJob:
        """Accept the job. Domain errors for what cannot be accepted; UnavailableError where it may or may not stand."""
        self.draft.check(new)
        now_ms = self.clock.now_ms()
        fingerprint = self.draft.fingerprint(tenant, new)
        record, replayed = self._identify(tenant, new, idempotency_key, now_ms, fingerprint)
        if record.fingerprint != fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request body")
        chosen = Chosen(id=record.id, due_at=record.due_at)
        identity = Identity(chosen=chosen, created_at=record.created_at, fingerprint=fingerprint)
        return CreatedJob(job=self._create(tenant, new, identity), replayed=replayed)

    def _identify(
        self, tenant: Tenant, new: NewJob, key: str | None, now_ms: int, fingerprint: bytes
    ) -> tuple[IdempotencyRecord[JobId], bool]:
        """The record that names the job. One that exists is read before the clock may refuse the schedule anew."""
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
        standing = self.idempotency.claim(tenant.id, key, record, now_ms)
        return standing, standing != record

    def _create(self, tenant: Tenant, new: NewJob, identity: Identity) -> Execution | Job:
        drafted = self.draft.execute(tenant, new, identity)
        if isinstance(drafted, Job):
            return self.create_recurring.execute(drafted)
        return standing_job(self.file.store, self.file.execute(drafted))


def standing_job(store: ExecutionStore, filed: Execution) -> Execution:
    """A one-off job where it stands now, which a replay may find moved."""
    standing = resolve_moved(store, filed)
    if standing is None:
        raise IdentityConflictError("the job was moved and has expired since")
    return standing
