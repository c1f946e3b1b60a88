"""Backfill a recurring job: run it for the nominal instants of a past range, outside its schedule.

A backfill is a recurring job of its own, whose schedule maps each run to its instant. All rules for chains
therefore apply to it: crashes, pauses, deletion, history, audit.
"""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.delivery.request import new_payload_id
from shared.domain.errors import IdempotencyKeyReusedError, UnavailableError
from shared.domain.ids import ENTROPY_BITS, RecurringJobId, backfill_job_id
from shared.domain.jobs.job import Definition, Job, JobState
from shared.domain.jobs.new_backfill import NewBackfill, encode_new_backfill
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.jobs import IdempotencyRecord, IdempotencyStore, JobStore
from shared.ports.runtime import Clock, Entropy
from shared.usecases.chains.change_job import TRIES, FindSettled
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.resend_chain_head import ResendChainHead
from shared.usecases.jobs.create_job import IDEMPOTENCY_MS
from shared.usecases.jobs.plan_backfill import planned
from shared.usecases.reading.read_calendar import ReadCalendar
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.requests.seal_request import seal_request
from shared.usecases.tenancy.check_quota import CheckQuota, Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedBackfill:
    """The stored backfill. `replayed`: an earlier request with the same key had created it."""

    job: Job
    replayed: bool


@dataclass(frozen=True, slots=True)
class BackfillJob:
    """Creates a backfill with the job's current request. The job's chain and any pause of it stay
    unchanged."""

    jobs: JobStore
    find_settled: FindSettled
    resend_chain_head: ResendChainHead
    idempotency: IdempotencyStore
    check_quota: CheckQuota
    open_request: OpenRequest
    read_calendar: ReadCalendar
    file: FileExecution
    vault: Vault
    clock: Clock
    entropy: Entropy
    plan: ShardPlan

    def execute(
        self, tenant: Tenant, job_id: str, new: NewBackfill, key: str | None = None
    ) -> CreatedBackfill:
        """Create the backfill; repeats with the same idempotency key return the same backfill.

        The write requires the revision of the job that was read, so a concurrent deletion either refuses the
        backfill or finds it. NotFoundError if there is no such job, InvalidStateError if it cannot be
        backfilled, ScheduleError for the range, QuotaExceededError.
        """
        job = self.find_settled.execute(tenant.id, job_id)
        record, is_known = self._identify(tenant, job, new, key)
        existing = self.jobs.get(tenant.id, record.id) if is_known else None
        if existing is not None:
            self.resend_chain_head.execute(existing)
            return CreatedBackfill(job=existing, replayed=True)
        for _ in range(TRIES):
            created = self._make(tenant, job, new, record)
            if created is not None:
                return CreatedBackfill(job=created, replayed=is_known)
            job = self.find_settled.execute(tenant.id, job_id)
        raise UnavailableError("the job is being changed by others")

    def _identify(
        self, tenant: Tenant, job: Job, new: NewBackfill, key: str | None
    ) -> tuple[IdempotencyRecord[RecurringJobId], bool]:
        """The record that names the backfill, and whether the backfill may already exist.

        An existing record is read before any check, so that a replay cannot be refused by a check that passed
        before.
        """
        now_ms = self.clock.now_ms()
        fingerprint = self.vault.fingerprint(tenant, encode_new_backfill(job.id, new))
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is None:
            record = self._choose(tenant, job, new, fingerprint, now_ms)
            known = record if key is None else self.idempotency.claim(tenant.id, key, record, now_ms)
            if known == record:
                return record, False
        if known.fingerprint != fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request")
        return known, True

    def _choose(
        self, tenant: Tenant, job: Job, new: NewBackfill, fingerprint: bytes, now_ms: int
    ) -> IdempotencyRecord[RecurringJobId]:
        planned(self.read_calendar.known_since(job, new.from_at), new, now_ms, now_ms)
        # Request and tags were already checked when the job was created.
        self.check_quota.job(tenant, Demand(due_at=now_ms, payload_bytes=0, tags=0, is_recurring=True))
        return IdempotencyRecord(
            fingerprint=fingerprint,
            id=backfill_job_id(job.id, now_ms, self.entropy.bits(ENTROPY_BITS)),
            created_at=now_ms,
            due_at=now_ms,
            expires_at=now_ms + IDEMPOTENCY_MS,
        )

    def _make(
        self, tenant: Tenant, job: Job, new: NewBackfill, record: IdempotencyRecord[RecurringJobId]
    ) -> Job | None:
        """The new backfill, or the backfill that a concurrent request with the same key created.

        None if the job was changed meanwhile.
        """
        now_ms = self.clock.now_ms()
        schedule = planned(self.read_calendar.known_since(job, new.from_at), new, record.due_at, now_ms)
        # A random name, so that a request that loses the race cannot overwrite the winner's payload.
        name = new_payload_id(record.id, self.entropy.bits(ENTROPY_BITS))
        request = self.open_request.described(tenant, job)
        call, payload = seal_request(
            self.vault,
            tenant,
            record.id,
            request,
            call=replace(job.call, lane=new.lane),
            payload_id=name,
            now_ms=now_ms,
        )
        if payload is not None:
            self.jobs.put_payload(payload)
        backfill = self._draft(tenant, new.definition(job, schedule, call), record)
        first = self.file.prepare(backfill.occurrence(record.due_at, created_at=now_ms))
        if self.jobs.create_backfill(job, backfill, first):
            self.file.ensure_sent(first)
            return backfill
        existing = self.jobs.get(tenant.id, record.id)
        if existing is not None:
            self.resend_chain_head.execute(existing)
        return existing

    def _draft(
        self, tenant: Tenant, definition: Definition, record: IdempotencyRecord[RecurringJobId]
    ) -> Job:
        return Job(
            id=record.id,
            tenant_id=tenant.id,
            revision=1,
            state=JobState.ACTIVE,
            definition=definition,
            counts=self.plan.counts_at(bucket_of(record.created_at)),
            fingerprint=record.fingerprint,
            created_at=record.created_at,
            chain_from=record.due_at,
            history_from=record.due_at,
            index_shard=int.from_bytes(record.fingerprint[:4]) % tenant.index_shards,
        )
