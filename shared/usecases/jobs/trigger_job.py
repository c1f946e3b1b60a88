"""Trigger a recurring job: one extra run now, outside its schedule."""

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.errors import (
    IdempotencyKeyReusedError,
    InvalidStateError,
    UnavailableError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.progress import Progress
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS, Retention
from shared.domain.executions.states import State
from shared.domain.ids import (
    ENTROPY_BITS,
    ExecutionId,
    backfilled_job,
    cell_of,
    new_one_off_id,
)
from shared.domain.jobs.job import Job, JobState
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import IdempotencyRecord, IdempotencyStore, JobStore
from shared.ports.runtime import Clock, Entropy
from shared.usecases.chains.change_job import TRIES, FindSettled, check_revision
from shared.usecases.filing.file_execution import FileExecution


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerResult:
    """The execution. `replayed`: an earlier request with the same key had filed it."""

    execution: Execution
    replayed: bool


@dataclass(frozen=True, slots=True)
class TriggerJob:
    """Leaves the job's chain and any pause unchanged."""

    store: ExecutionStore
    jobs: JobStore
    find_settled: FindSettled
    idempotency: IdempotencyStore
    file: FileExecution
    vault: Vault
    clock: Clock
    entropy: Entropy
    plan: ShardPlan
    retention: Retention

    def execute(
        self, tenant: Tenant, job_id: str, key: str | None = None, *, revision: int | None = None
    ) -> TriggerResult:
        """File the execution; repeats with the same idempotency key return the same execution.

        InvalidStateError if the job is a backfill, or neither active nor paused. NotFoundError if there is
        none. PreconditionFailedError if the job is not at `revision`; a repeat gets its execution even then.
        """
        if backfilled_job(job_id) is not None:
            self.find_settled.execute(tenant.id, job_id)
            raise InvalidStateError("a backfill runs for the instants of its range alone; trigger its job")
        job = self.find_settled.execute(tenant.id, job_id)
        record, replayed = self._identify(tenant, job, key, revision)
        for _ in range(TRIES):
            existing = self.store.get(record.id) if replayed else None
            filed = existing or self._file(job, record, revision)
            if filed is not None:
                self.file.ensure_sent(filed)
                return TriggerResult(execution=filed, replayed=replayed)
            job, replayed = self.find_settled.execute(tenant.id, job_id), True
        raise UnavailableError("the job is being changed by others")

    def _identify(
        self, tenant: Tenant, job: Job, key: str | None, revision: int | None
    ) -> tuple[IdempotencyRecord[ExecutionId], bool]:
        now_ms = self.clock.now_ms()
        fingerprint = self.vault.fingerprint(tenant, f"trigger|{job.id}".encode())
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is None:  # Check before the claim, so that a refused request does not use up its key.
            _require_open(job, revision)
        chosen = known or self._choose(job, fingerprint, now_ms)
        record = chosen
        if key is not None and known is None:
            record = self.idempotency.claim(tenant.id, key, chosen, now_ms)
        if record.fingerprint != fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request")
        return record, known is not None or record != chosen

    def _choose(self, job: Job, fingerprint: bytes, now_ms: int) -> IdempotencyRecord[ExecutionId]:
        counts = self.plan.counts_at(bucket_of(now_ms))
        return IdempotencyRecord(
            fingerprint=fingerprint,
            id=new_one_off_id(now_ms, counts, self.entropy.bits(ENTROPY_BITS), cell=cell_of(job.id)),
            created_at=now_ms,
            due_at=now_ms,
            expires_at=now_ms + IDEMPOTENCY_DAYS * DAY_SECONDS * 1000,
        )

    def _file(
        self, job: Job, record: IdempotencyRecord[ExecutionId], revision: int | None
    ) -> Execution | None:
        """None if the job was changed meanwhile, or a concurrent request with the same key was faster."""
        _require_open(job, revision)
        now_ms = self.clock.now_ms()
        execution = Execution(
            id=record.id,
            tenant_id=job.tenant_id,
            job_id=job.id,
            revision=job.chain_revision,
            nominal_at=record.due_at,
            created_at=now_ms,
            call=job.call,
            fingerprint=job.fingerprint,
            progress=Progress(state=State.QUEUED),
            index_shard=job.index_shard,
        )
        self.file.ensure_scanned(record.id)
        is_filed = self.jobs.file_beside(job, execution, self.retention.outlives_records_s(now_ms))
        return execution if is_filed else None


def _require_open(job: Job, revision: int | None) -> None:
    check_revision(job, revision)
    if job.state not in (JobState.ACTIVE, JobState.PAUSED):
        raise InvalidStateError(f"the job is {job.state}")
