"""Accept a job: choose its identity, make it durable, and only then say yes."""

from dataclasses import dataclass, replace

from shared.domain.bucket import ShardPlan, bucket_of, is_near
from shared.domain.errors import IdempotencyKeyReusedError, IdentityConflictError
from shared.domain.execution import Execution, State
from shared.domain.ids import (
    ENTROPY_BITS,
    is_recurring_job_id,
    new_one_off_id,
    one_off_execution,
    one_off_job_id,
    recurring_job_id,
)
from shared.domain.job import Job, JobState
from shared.domain.new_job import NewJob, encode_new_job
from shared.domain.request import INLINE_BYTES, check_request, encode_request
from shared.domain.retention import DAY_SECONDS, IDEMPOTENCY_DAYS
from shared.domain.schedule import Once, check_fires
from shared.domain.tenant import Tenant
from shared.ports.idempotency import IdempotencyRecord, IdempotencyStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Entropy
from shared.ports.vault import Vault
from shared.usecases.check_quota import CheckQuota, Demand
from shared.usecases.file_execution import FileExecution
from shared.usecases.follow_moves import follow_moves


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedJob:
    """The accepted job: a one-off's execution or a recurring job's definition. `replayed`: it existed before."""

    job: Execution | Job
    replayed: bool


@dataclass(frozen=True, slots=True)
class CreateJob:
    """Creates one-off and recurring jobs. A replay files the same identity again, which heals a crash in between."""

    file: FileExecution
    jobs: JobStore
    idempotency: IdempotencyStore
    vault: Vault
    clock: Clock
    entropy: Entropy
    plan: ShardPlan
    check_quota: CheckQuota
    allow_http: bool

    def __call__(self, tenant: Tenant, new: NewJob, idempotency_key: str | None = None) -> CreatedJob:
        """Accept the job. Domain errors for what cannot be accepted; UnavailableError where it may or may not stand."""
        check_request(new.request, allow_http=self.allow_http)
        now_ms = self.clock.now_ms()
        fingerprint = self.vault.fingerprint(tenant, encode_new_job(new))
        record, replayed = self._identify(tenant, new, idempotency_key, now_ms, fingerprint)
        if record.fingerprint != fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request body")
        if is_recurring_job_id(record.job_id):
            return CreatedJob(job=self._create_recurring(tenant, new, record), replayed=replayed)
        return CreatedJob(job=self._create_one_off(tenant, new, record), replayed=replayed)

    def _identify(
        self, tenant: Tenant, new: NewJob, key: str | None, now_ms: int, fingerprint: bytes
    ) -> tuple[IdempotencyRecord, bool]:
        """The record that names the job. One that exists is read before the clock may refuse the schedule anew."""
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is not None:
            return known, True
        chosen = self._choose(new, now_ms, fingerprint)
        self.check_quota.job(tenant, _demand(new, chosen))
        if key is None:
            return chosen, False
        record = self.idempotency.claim(tenant.id, key, chosen, now_ms)
        return record, record != chosen

    def _choose(self, new: NewJob, now_ms: int, fingerprint: bytes) -> IdempotencyRecord:
        """Identity and due instant, from this moment's clock and randomness."""
        schedule = new.schedule_at(now_ms)
        entropy = self.entropy.bits(ENTROPY_BITS)
        if isinstance(schedule, Once):
            dispatch_at = schedule.at + (entropy % new.jitter_ms if new.jitter_ms else 0)
            counts = self.plan.counts_at(bucket_of(dispatch_at))
            job_id, due_at = one_off_job_id(new_one_off_id(dispatch_at, counts, entropy)), schedule.at
        else:
            job_id, due_at = recurring_job_id(now_ms, entropy), check_fires(schedule, now_ms)
        return IdempotencyRecord(
            fingerprint=fingerprint,
            job_id=job_id,
            created_at=now_ms,
            due_at=due_at,
            expires_at=now_ms + IDEMPOTENCY_DAYS * DAY_SECONDS * 1000,
        )

    def _seal(self, tenant: Tenant, new: NewJob, job_id: str) -> tuple[bytes, str | None]:
        """The sealed request, stored apart beforehand where it is large."""
        sealed = self.vault.seal(tenant, job_id, encode_request(new.request))
        if len(sealed) <= INLINE_BYTES:
            return sealed, None
        self.jobs.put_payload(tenant.id, job_id, sealed)
        return b"", job_id

    def _create_one_off(self, tenant: Tenant, new: NewJob, record: IdempotencyRecord) -> Execution:
        execution_id = one_off_execution(record.job_id)
        if execution_id is None:
            raise IdentityConflictError("the idempotency record names no job")
        sealed, apart = self._seal(tenant, new, record.job_id)
        draft = Execution(
            id=execution_id,
            tenant_id=tenant.id,
            job_id=record.job_id,
            revision=1,
            nominal_at=record.due_at,
            created_at=record.created_at,
            lane=new.lane,
            request=sealed,
            fingerprint=record.fingerprint,
            retry=new.retry,
            timeout_ms=new.timeout_seconds * 1000,
            index_shard=execution_id.entropy % tenant.index_shards,
            name=new.name,
            tags=new.tags,
            payload_apart=apart,
            start_deadline_at=new.start_deadline_at(execution_id.dispatch_at),
        )
        filed = self.file(draft)
        standing = follow_moves(self.file.store, filed)
        if standing is None:
            raise IdentityConflictError("the job was moved and has expired since")
        return standing

    def _create_recurring(self, tenant: Tenant, new: NewJob, record: IdempotencyRecord) -> Job:
        """Definition and first occurrence in one transaction, so that neither can exist alone."""
        job = self._definition(tenant, new, record)
        first = job.occurrence(record.due_at, created_at=record.created_at)
        self.file.reopen_if_closed(first.id)
        near = is_near(first.id.bucket, self.clock.now_ms())
        first = replace(first, state=State.QUEUED if near else State.PENDING)
        existing = self.jobs.create(job, first)
        if existing is not None and existing.fingerprint != job.fingerprint:
            raise IdentityConflictError(f"{job.id} stands for another request")
        if existing is None or existing.state is JobState.ACTIVE:
            self.file.ensure_sent(first)
        return existing or job

    def _definition(self, tenant: Tenant, new: NewJob, record: IdempotencyRecord) -> Job:
        schedule = new.schedule_at(record.created_at)
        if isinstance(schedule, Once):
            raise IdentityConflictError("the idempotency record names a recurring job")
        sealed, apart = self._seal(tenant, new, record.job_id)
        return Job(
            id=record.job_id,
            tenant_id=tenant.id,
            revision=1,
            state=JobState.ACTIVE,
            schedule=schedule,
            counts=self.plan.counts_at(bucket_of(record.created_at)),
            lane=new.lane,
            request=sealed,
            fingerprint=record.fingerprint,
            retry=new.retry,
            timeout_ms=new.timeout_seconds * 1000,
            created_at=record.created_at,
            chain_from=record.due_at,
            index_shard=int.from_bytes(record.fingerprint[:4]) % tenant.index_shards,
            name=new.name,
            tags=new.tags,
            payload_apart=apart,
            jitter_ms=new.jitter_ms,
            catch_up=new.recurring.catch_up,
            overlap_policy=new.recurring.overlap_policy,
            max_runs=new.recurring.max_runs,
        )


def _demand(new: NewJob, chosen: IdempotencyRecord) -> Demand:
    return Demand(
        due_at=chosen.due_at,
        payload_bytes=len(new.request.body),
        tags=len(new.tags),
        is_recurring=is_recurring_job_id(chosen.job_id),
    )
